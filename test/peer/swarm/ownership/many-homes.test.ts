import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import { hash64 } from "../../../../src/core/hash/hash64.ts";
import { urlKey } from "../../../../src/core/record/url-keys.ts";
import { queuedRecord } from "../../../../src/core/record/url-state.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import { positionOfKey } from "../../../../src/core/ring/ring-position.ts";
import type { MemberId } from "../../../../src/core/units.ts";
import { Homecoming } from "../../../../src/peer/swarm/ownership/homecoming.ts";
import { Territory } from "../../../../src/peer/swarm/ownership/territory.ts";
import type { PeerCalls } from "../../../../src/peer/swarm/peer-calls.ts";
import { RingBook } from "../../../../src/peer/swarm/members/ring-book.ts";
import type { StoreOp } from "../../../../src/ports/store.ts";
import { silentLogger } from "../../../support/silent-logger.ts";
import { timelessStore } from "../../../support/still-process.ts";
import { stillView } from "../still-view.ts";
import { storeWith } from "../store-with.ts";

const self = "a" as MemberId;
const others = Array.from({ length: 20 }, (_, number) => `b${number}` as MemberId);

const rows = Array.from({ length: 2_000 }, (_, number): StoreOp => {
  const key = urlKey("url", hash64(`${number}`), new Uint32Array([1, 2, 3, 4]), 0, 7);
  return { type: "put", key, value: queuedRecord(0) };
});

const none = ArcSet.empty;
const nothing = { kept: none, copied: none, former: none, known: [] };

describe("what is to be brought home to many members", () => {
  /**
   * How many rows were read until all is home, and brought to each member.
   *
   * @param lack whether they have nothing of it; else they have all
   * @param lost answers no digests at first
   */
  async function bring(
    lack: boolean,
    lost?: MemberId,
  ): Promise<{ read: number; brought: Map<MemberId, number> }> {
    const clock = new VirtualClock();
    const store = timelessStore();
    await store.start();
    await store.write(rows, { sync: true });
    const members = others.map((id) => ({ id, weight: 1 }));
    const ring = new RingBook({ virtualNodes: 64, hashSeed: 0 }).ringOf(members);
    let read = 0;
    let refusals = lost ? 1 : 0;
    const brought = new Map<MemberId, number>();
    const calls: Pick<PeerCalls, "digests" | "homeRows" | "whoHolds"> = {
      whoHolds: (member, arcs) => {
        const held = ring.arcsOf(member).intersect(arcs);
        return Promise.resolve({ ...nothing, generation: 1, held });
      },
      digests: (member, { buckets }) => {
        if (member !== lost || refusals === 0) {
          return Promise.resolve(lack ? buckets.map((_, index) => ({ index, count: 0 })) : []);
        }
        refusals -= 1;
        return Promise.resolve(undefined);
      },
      homeRows: (member, { length }) => {
        brought.set(member, (brought.get(member) ?? 0) + length);
        return Promise.resolve({ kind: "reply", payload: new Uint8Array(0) });
      },
    };
    const counted = storeWith(store, {
      range: async (...asked) => {
        const found = await store.range(...asked);
        read += found.length;
        return found;
      },
    });
    const homecoming = new Homecoming(
      { clock, logger: silentLogger, store: counted, calls: calls as PeerCalls },
      { view: { ...stillView(self, others[0] ?? self), ring, others }, territory: new Territory() },
    );
    const stop = new AbortController();
    const running = homecoming.run(stop.signal);
    await clock.run(clock.sleep(5_000));
    expect(homecoming.isDone).toBe(true);
    stop.abort();
    await clock.run(running);
    for (const [member, count] of brought) {
      const due = rows.filter(({ key }) => ring.ownerOf(positionOfKey(key)) === member);
      expect(count).toBe(due.length);
    }
    return { read, brought };
  }

  it("is read once for all of them", async () => {
    expect((await bring(false)).read).toBeLessThan(1.1 * rows.length);
  });

  it("comes to each, also to one that does not answer at first", async () => {
    for (const lost of [undefined, others[7]]) {
      const { brought } = await bring(true, lost);
      expect([...brought.values()].reduce((sum, count) => sum + count)).toBe(rows.length);
      expect(brought.size).toBe(others.length);
    }
  });
});
