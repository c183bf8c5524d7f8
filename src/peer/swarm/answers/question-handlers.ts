import {
  decodeContentQuestion,
  encodeContentChunk,
} from "../../../core/messages/content-message.ts";
import { decodeHostQuestion, encodeHostReply } from "../../../core/messages/host-message.ts";
import { decodeListQuestion, encodeListReply } from "../../../core/messages/list-message.ts";
import { messageKinds } from "../../../core/messages/message-kinds.ts";
import { decodeStatsQuestion, encodeStatsReply } from "../../../core/messages/stats-message.ts";
import { decodeStatusQuestion, encodeStatusReply } from "../../../core/messages/status-message.ts";
import type { Overlay } from "../../../ports/overlay.ts";
import type { ContentDesk } from "./content-desk.ts";
import type { HeldAnswers } from "./held-answers.ts";
import type { SwarmFigures } from "./swarm-figures.ts";

/** A member that asks something that cannot be read is left waiting so long. */
const retryAfterMs = 1_000;

interface QuestionParts {
  readonly contents: ContentDesk;
  readonly figures: SwarmFigures;
  readonly held: HeldAnswers;
}

/** Serves the questions of users that other members pass on to this one. */
export function serveQuestions(overlay: Overlay, parts: QuestionParts): void {
  const { contents, figures, held } = parts;
  serve(overlay, "status", decodeStatusQuestion, async (question) =>
    encodeStatusReply(await held.status(question)),
  );
  serve(overlay, "host", decodeHostQuestion, async (question) =>
    encodeHostReply(await held.host(question)),
  );
  serve(overlay, "list", decodeListQuestion, async (question) =>
    encodeListReply(await held.list(question)),
  );
  serve(overlay, "stats", decodeStatsQuestion, (question) =>
    Promise.resolve(encodeStatsReply(figures.answer(question))),
  );
  serve(overlay, "content", decodeContentQuestion, async (question) =>
    encodeContentChunk(await contents.part(question)),
  );
}

function serve<T>(
  overlay: Overlay,
  kind: keyof typeof messageKinds,
  decode: (payload: Uint8Array) => T | undefined,
  answer: (question: T) => Promise<Uint8Array>,
): void {
  overlay.serve(messageKinds[kind], async (_from, payload) => {
    const question = decode(payload);
    return question === undefined
      ? { kind: "busy", retryAfterMs }
      : { kind: "reply", payload: await answer(question) };
  });
}
