import type { FastifyReply } from "fastify";

/** Aborts when the asker is gone, or has its answer. */
export function goneOf(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once("close", () => gone.abort());
  return gone.signal;
}
