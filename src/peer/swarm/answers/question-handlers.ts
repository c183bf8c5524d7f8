import type { FairSlots, InTurn } from "../../../core/fair-slots.ts";
import {
  decodeContentQuestion,
  encodeContentChunk,
} from "../../../core/messages/content-message.ts";
import { decodeHostQuestion, encodeHostReply } from "../../../core/messages/host-message.ts";
import { decodeListQuestion, encodeListReply } from "../../../core/messages/list-message.ts";
import type { MessageKind } from "../../../core/messages/message-kinds.ts";
import { decodeStatsQuestion, encodeStatsReply } from "../../../core/messages/stats-message.ts";
import { decodeStatusQuestion, encodeStatusReply } from "../../../core/messages/status-message.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Overlay } from "../../../ports/overlay.ts";
import { memberSlots, reply, serve, turnMs } from "../serve.ts";
import type { ContentDesk } from "./content-desk.ts";
import type { HeldAnswers } from "./held-answers.ts";
import type { SwarmFigures } from "./swarm-figures.ts";

interface QuestionParts {
  readonly contents: ContentDesk;
  readonly figures: SwarmFigures;
  readonly held: HeldAnswers;
}

/**
 * Questions of other members for which the database is read at once. Seven thousand bytes may ask for three hundred rows of half
 * a mebibyte; whoever opens all streams that it may has seven hundred such questions under way.
 */
export const readsMax = 16;

/** Records unpacked for other members at once: each as a whole, to give a part of it. */
export const unpackedMax = 4;

/** Serves the questions of users that other members pass on to this one. */
export function serveQuestions(
  overlay: Overlay,
  clock: Pick<Clock, "sleep">,
  { contents, figures, held }: QuestionParts,
): void {
  const reads = memberSlots(readsMax);
  const hosts = memberSlots(readsMax);
  const bodies = memberSlots(unpackedMax);
  const counts = memberSlots(1);
  serveQuestion(overlay, "status", decodeStatusQuestion, reads, async (question, inTurn) =>
    encodeStatusReply(await held.status(question, inTurn)),
  );
  // Apart from the others: who is told too late that a host is to be left alone asks it meanwhile.
  serveQuestion(overlay, "host", decodeHostQuestion, hosts, async (question, inTurn) =>
    encodeHostReply(await inTurn(() => held.host(question))),
  );
  serveQuestion(overlay, "list", decodeListQuestion, reads, async (question, inTurn) =>
    encodeListReply(await inTurn(() => held.list(question))),
  );
  // One in a turn of the event loop: ten bytes may ask for the totals of thousands of jobs.
  serveQuestion(overlay, "stats", decodeStatsQuestion, counts, (question, inTurn) =>
    inTurn(async () => {
      const told = encodeStatsReply(figures.answer(question));
      await clock.sleep(turnMs);
      return told;
    }),
  );
  serveQuestion(overlay, "content", decodeContentQuestion, bodies, async (question, inTurn) =>
    encodeContentChunk(await contents.part(question, inTurn)),
  );
}

function serveQuestion<T>(
  overlay: Overlay,
  kind: MessageKind,
  decode: (payload: Uint8Array) => T | undefined,
  slots: FairSlots,
  answer: (question: T, inTurn: InTurn) => Promise<Uint8Array>,
): void {
  serve(overlay, kind, async (from, payload) => {
    const question = decode(payload);
    if (question === undefined || slots.isFull(from)) return undefined;
    return reply(await answer(question, (work) => slots.run(from, work)));
  });
}
