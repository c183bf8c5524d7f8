import { expect, it } from "vitest";
import { encodeJobs } from "../../../src/core/messages/jobs.ts";
import type { JobNews } from "../../../src/core/messages/jobs.ts";
import { messageKinds } from "../../../src/core/messages/message-kinds.ts";
import type { MemberId } from "../../../src/core/units.ts";
import { PeerHandlers } from "../../../src/peer/swarm/peer-handlers.ts";
import type { OverlayHandler } from "../../../src/ports/overlay.ts";

const nothing: JobNews = { definitions: [], digest: 0n, pageCounts: [], pastPageCounts: [] };

it("definitions of jobs are told to one member in a turn of the event loop, however many ask", async () => {
  let told = 0;
  const answer = (): JobNews => {
    told += 1;
    return nothing;
  };
  const turns: (() => void)[] = [];
  const sleep = (): Promise<unknown> =>
    new Promise<undefined>((resolve) => turns.push(() => resolve(undefined)));
  const handlers = new Map<number, OverlayHandler>();
  const overlay = {
    serve: (kind: number, handler: OverlayHandler): void => void handlers.set(kind, handler),
  };
  new PeerHandlers({ clock: { sleep } } as never, { spread: { answer } } as never).serve(
    overlay as never,
  );
  const asked = ["one", "one", "other"].map(
    async (member) =>
      await handlers.get(messageKinds.jobs)?.(member as MemberId, encodeJobs(nothing)),
  );
  for (const count of [1, 2, 3]) {
    await new Promise(setImmediate);
    expect(told).toBe(count);
    turns.shift()?.();
  }
  expect((await Promise.all(asked)).map((outcome) => outcome?.kind)).toEqual([
    "reply",
    "reply",
    "reply",
  ]);
});
