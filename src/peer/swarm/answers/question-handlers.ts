import {
  decodeContentQuestion,
  encodeContentChunk,
} from "../../../core/messages/content-message.ts";
import { decodeHostQuestion, encodeHostReply } from "../../../core/messages/host-message.ts";
import { decodeListQuestion, encodeListReply } from "../../../core/messages/list-message.ts";
import type { MessageKind } from "../../../core/messages/message-kinds.ts";
import { decodeStatsQuestion, encodeStatsReply } from "../../../core/messages/stats-message.ts";
import { decodeStatusQuestion, encodeStatusReply } from "../../../core/messages/status-message.ts";
import type { Overlay } from "../../../ports/overlay.ts";
import { reply, serve } from "../serve.ts";
import type { ContentDesk } from "./content-desk.ts";
import type { HeldAnswers } from "./held-answers.ts";
import type { SwarmFigures } from "./swarm-figures.ts";

interface QuestionParts {
  readonly contents: ContentDesk;
  readonly figures: SwarmFigures;
  readonly held: HeldAnswers;
}

/** Serves the questions of users that other members pass on to this one. */
export function serveQuestions(overlay: Overlay, parts: QuestionParts): void {
  const { contents, figures, held } = parts;
  serveQuestion(overlay, "status", decodeStatusQuestion, async (question) =>
    encodeStatusReply(await held.status(question)),
  );
  serveQuestion(overlay, "host", decodeHostQuestion, async (question) =>
    encodeHostReply(await held.host(question)),
  );
  serveQuestion(overlay, "list", decodeListQuestion, async (question) =>
    encodeListReply(await held.list(question)),
  );
  serveQuestion(overlay, "stats", decodeStatsQuestion, (question) =>
    encodeStatsReply(figures.answer(question)),
  );
  serveQuestion(overlay, "content", decodeContentQuestion, async (question) =>
    encodeContentChunk(await contents.part(question)),
  );
}

function serveQuestion<T>(
  overlay: Overlay,
  kind: MessageKind,
  decode: (payload: Uint8Array) => T | undefined,
  answer: (question: T) => Uint8Array | Promise<Uint8Array>,
): void {
  serve(overlay, kind, async (_from, payload) => {
    const question = decode(payload);
    return question === undefined ? undefined : reply(await answer(question));
  });
}
