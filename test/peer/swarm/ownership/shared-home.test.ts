import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import { urlKey } from "../../../../src/core/record/url-keys.ts";
import { queuedRecord } from "../../../../src/core/record/url-state.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import { circle, type RingPosition } from "../../../../src/core/ring/ring-position.ts";
import type { MemberId } from "../../../../src/core/units.ts";
import { Homecoming } from "../../../../src/peer/swarm/ownership/homecoming.ts";
import { Territory } from "../../../../src/peer/swarm/ownership/territory.ts";
import type { PeerCalls } from "../../../../src/peer/swarm/peer-calls.ts";
import type { StoreOp } from "../../../../src/ports/store.ts";
import { silentLogger } from "../../../support/silent-logger.ts";
import { timelessStore } from "../../../support/still-process.ts";
import { stillView } from "../still-view.ts";

const [self, bad, good] = ["a", "b", "c"].map((id) => id as MemberId) as [
  MemberId,
  MemberId,
  MemberId,
];

const rows = [1n, 2n ** 63n].map((site): StoreOp => {
  const key = urlKey("url", site, new Uint32Array([1, 2, 3, 4]), 0, 7);
  return { type: "put", key, value: queuedRecord(0) };
});

const half = (circle / 2) as RingPosition;
const [lower, upper] = [
  ArcSet.of([{ from: 0 as RingPosition, to: half }]),
  ArcSet.of([{ from: half, to: circle }]),
];

const none = ArcSet.empty;
const nothing = { generation: 1, kept: none, copied: none, former: none, known: [] };

describe("what is to be brought home beside a member that runs and does not take it", () => {
  /** Rows that the good one has after a minute, and whether all is home. */
  async function bring(
    held: (member: MemberId) => ArcSet,
    answers: { readonly digests: boolean },
    others = [bad, good],
  ): Promise<{ brought: number; isDone: boolean }> {
    const clock = new VirtualClock();
    const store = timelessStore();
    await store.start();
    await store.write(rows, { sync: true });
    let brought = 0;
    const calls: Pick<PeerCalls, "digests" | "homeRows" | "whoHolds"> = {
      whoHolds: (member, arcs) =>
        Promise.resolve({ ...nothing, held: held(member).intersect(arcs) }),
      digests: (member, { buckets }) =>
        Promise.resolve(
          member === good || answers.digests
            ? buckets.map((_, index) => ({ index, count: 0 }))
            : undefined,
        ),
      homeRows: (member, { length }) => {
        if (member === bad) return Promise.resolve({ kind: "busy", retryAfterMs: 300 });
        brought += length;
        return Promise.resolve({ kind: "reply", payload: new Uint8Array(0) });
      },
    };
    const homecoming = new Homecoming(
      { clock, logger: silentLogger, store, calls: calls as PeerCalls },
      { view: { ...stillView(self, bad), others }, territory: new Territory() },
    );
    const stop = new AbortController();
    const running = homecoming.run(stop.signal);
    await clock.run(clock.sleep(60_000));
    const { isDone } = homecoming;
    stop.abort();
    await clock.run(running);
    return { brought, isDone };
  }

  it("comes to the other one that holds the same, whichever is visited first", async () => {
    for (const others of [
      [bad, good],
      [good, bad],
    ]) {
      const { brought, isDone } = await bring(() => ArcSet.whole, { digests: false }, others);
      expect(brought).toBe(rows.length);
      expect(isDone).toBe(true);
    }
  });

  it("comes to those that hold other arcs", async () => {
    const held = (member: MemberId): ArcSet => (member === bad ? lower : upper);
    const { brought, isDone } = await bring(held, { digests: true });
    expect(brought).toBe(1);
    expect(isDone).toBe(false);
  });
});
