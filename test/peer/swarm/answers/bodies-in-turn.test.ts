import { expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import { encodeContentQuestion } from "../../../../src/core/messages/content-message.ts";
import { messageKinds } from "../../../../src/core/messages/message-kinds.ts";
import type { MemberId } from "../../../../src/core/units.ts";
import { ContentDesk } from "../../../../src/peer/swarm/answers/content-desk.ts";
import { serveQuestions } from "../../../../src/peer/swarm/answers/question-handlers.ts";
import type { OverlayHandler } from "../../../../src/ports/overlay.ts";
import { sampleResponse } from "../../../support/sample-captures.ts";

const [many, one] = [1_000, 1];

it("a member that asks for many bodies keeps none from another one for longer than it takes to unpack one", async () => {
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const read = async ({ offset }: { readonly offset: number }): Promise<typeof sampleResponse> => {
    begun.push(offset);
    await new Promise<void>((resolve) => ends.push(resolve));
    return sampleResponse;
  };
  const clock = new VirtualClock();
  const contents = new ContentDesk(
    {
      calls: { content: () => Promise.resolve(undefined) },
      clock,
      urls: { read },
      view: { self: "peer-0" as MemberId },
    },
    1,
    new AbortController().signal,
  );
  const handlers = new Map<number, OverlayHandler>();
  const serve = (kind: number, handler: OverlayHandler) => void handlers.set(kind, handler);
  const parts = { contents } as unknown as Parameters<typeof serveQuestions>[2];
  serveQuestions({ serve } as never, clock, parts);
  const ask = (from: string, offset: number): void => {
    const place = { file: "a-1.warc.gz", offset, length: 100 };
    const question = encodeContentQuestion({ place, from: 0 });
    void handlers.get(messageKinds.content)?.(from as MemberId, question);
  };
  for (let offset = one + 1; offset < many; offset += 1) ask("greedy", offset);
  ask("other", one);
  await new Promise(setImmediate);
  const atOnce = begun.length;
  expect(atOnce).toBe(4);
  for (let ended = 0; ended < 2; ended += 1) {
    ends.shift()?.();
    await new Promise(setImmediate);
  }
  // One of the greedy member's own may have stood before it.
  expect(begun.slice(atOnce)).toContain(one);
});
