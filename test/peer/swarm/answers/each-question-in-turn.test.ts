import { expect, it } from "vitest";
import { encodeContentQuestion } from "../../../../src/core/messages/content-message.ts";
import { encodeHostQuestion } from "../../../../src/core/messages/host-message.ts";
import { encodeListQuestion } from "../../../../src/core/messages/list-message.ts";
import { messageKinds } from "../../../../src/core/messages/message-kinds.ts";
import { encodeStatusQuestion } from "../../../../src/core/messages/status-message.ts";
import { tagRange } from "../../../../src/core/record/key-ranges.ts";
import type { HostName, JobId, MemberId } from "../../../../src/core/units.ts";
import {
  readsMax,
  serveQuestions,
  unpackedMax,
} from "../../../../src/peer/swarm/answers/question-handlers.ts";
import type { InTurn } from "../../../../src/core/fair-slots.ts";
import type { OverlayHandler } from "../../../../src/ports/overlay.ts";

/** More than one member may have waiting. */
const many = 2_000;

const [list, place] = [
  { filter: {}, count: 1 },
  { file: "a.warc.gz", offset: 0, length: 1 },
];
const payloads = {
  content: encodeContentQuestion({ place, from: 0 }),
  host: encodeHostQuestion({ host: "a.example" as HostName, fromCopy: false }),
  list: encodeListQuestion({ ...list, job: "news" as JobId, from: tagRange("url").gte }),
  status: encodeStatusQuestion({ urls: [], fromCopy: false }),
};

it.each([
  ["content", unpackedMax],
  ["host", readsMax],
  ["list", readsMax],
  ["status", readsMax],
] as const)(
  "a question is read for so many times at once, and waits as often as a member may have some wait (%s)",
  async (kind, atOnceMax) => {
    let reading = 0;
    const read = (): Promise<never> => {
      reading += 1;
      return new Promise(() => undefined);
    };
    const handlers = new Map<number, OverlayHandler>();
    const serve = (served: number, handler: OverlayHandler): void =>
      void handlers.set(served, handler);
    const readInTurn = (_: unknown, inTurn: InTurn) => inTurn(read);
    const parts = {
      held: { status: readInTurn, host: read, list: read },
      contents: { part: readInTurn },
    };
    serveQuestions({ serve } as never, {} as never, parts as never);
    const outcomes: string[] = [];
    const ask = (member: string): void => {
      const answer = handlers.get(messageKinds[kind])?.(member as MemberId, payloads[kind]);
      void answer?.then((outcome) => outcomes.push(outcome.kind));
    };
    for (let count = 0; count < many; count += 1) ask("one");
    await new Promise(setImmediate);
    expect(reading).toBe(atOnceMax);
    const turnedAway = outcomes.length;
    expect(turnedAway).toBeGreaterThan(0);
    expect(turnedAway).toBeLessThan(many - atOnceMax);
    expect(new Set(outcomes)).toEqual(new Set(["busy"]));
    ask("other");
    await new Promise(setImmediate);
    expect(outcomes.length).toBe(turnedAway);
  },
);
