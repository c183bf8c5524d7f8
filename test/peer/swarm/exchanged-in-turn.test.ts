import { expect, it } from "vitest";
import { SystemClock } from "../../../src/adapters/system/system-clock.ts";
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
  const handlers = new Map<number, OverlayHandler>();
  const overlay = {
    serve: (kind: number, handler: OverlayHandler): void => void handlers.set(kind, handler),
  };
  // The machine's: what has ended by itself, as a sleep of no time has, is not put off to another turn.
  const clock = new SystemClock();
  new PeerHandlers({ clock } as never, { spread: { answer } } as never).serve(overlay as never);
  let answered = 0;
  const asked = ["one", "one", "other"].map(async (member) => {
    const outcome = await handlers.get(messageKinds.jobs)?.(
      member as MemberId,
      encodeJobs(nothing),
    );
    answered += 1;
    return outcome?.kind;
  });
  while (answered < asked.length) {
    const before = told;
    await new Promise(setImmediate);
    expect(told - before).toBeLessThanOrEqual(1);
  }
  expect(await Promise.all(asked)).toEqual(["reply", "reply", "reply"]);
});
