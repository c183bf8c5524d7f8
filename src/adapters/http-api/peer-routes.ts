import type { FastifyInstance, FastifyPluginCallback } from "fastify";
import { RequestError } from "./api-error.ts";
import type { RouteContext } from "./http-api.ts";

/** Questions about, and commands to, the peer as a whole. */
export function peerRoutes(context: RouteContext): FastifyPluginCallback {
  const { control, metrics, version, leave } = context;
  return (app: FastifyInstance, _options, done) => {
    app.get("/healthz", () => ({ status: "ok", peer: control.peerId, version }));

    app.get("/stats", () => control.stats());

    app.get("/metrics", async (_request, reply) => {
      if (metrics === undefined) throw new RequestError("NOT_FOUND", "this peer keeps no metrics");
      return reply.header("content-type", metrics.contentType).send(await metrics.text());
    });

    app.post("/leave", (_request, reply) => {
      reply.raw.once("finish", leave);
      return reply.code(202).send({ leaving: true, peer: control.peerId, pid: process.pid });
    });
    done();
  };
}
