import { describe, expect, it } from "vitest";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import type { MemberId } from "../../../../src/core/units.ts";
import { OwnershipBench, ringOf } from "./ownership-bench.ts";

const a = "a" as MemberId;
const b = "b" as MemberId;
const c = "c" as MemberId;

/** How often a complete copy is compared. */
const everyMs = 20_000;

/** A peer with other members that holds what the ring names it for. */
function holder(...others: MemberId[]): OwnershipBench {
  const bench = new OwnershipBench([a, ...others], { antiEntropyIntervalMs: everyMs });
  bench.territory.take(bench.view.ring.arcsOf(a));
  return bench;
}

describe("a member", () => {
  it("inquires into what should have come to it from a holder that runs", async () => {
    const bench = new OwnershipBench([a, b]);
    bench.territory.note(ArcSet.whole, { member: b, generation: 1, synced: false });
    await bench.run(() => bench.clock.sleep(5_000));
    expect([bench.asked, bench.claims]).toEqual([[b], []]);
  });

  it("looks at changes together that come together", async () => {
    const bench = holder(b);
    await bench.run(async () => {
      const before = bench.crawled.length;
      for (let times = 0; times < 100; times += 1) {
        bench.ownership.look();
        await bench.clock.sleep(1);
      }
      expect(bench.crawled.length - before).toBeLessThan(10);
    });
  });

  it("stops at once, and then not before what it has begun is over", async () => {
    for (const begin of ["syncs", "transfers", "comparison"] as const) {
      const bench = holder(b);
      if (begin === "transfers") bench.territory.take(ArcSet.whole);
      if (begin !== "syncs") bench.copied(ArcSet.whole);
      await bench.run(async () => {
        if (begin === "comparison") await bench.clock.sleep(everyMs + 2_000);
        const { syncs, transfers } = bench;
        let hasStopped = false;
        const stopped = bench.ownership.stop().then(() => (hasStopped = true));
        await bench.clock.sleep(10_000);
        expect([begin, syncs.length + transfers.length, hasStopped]).toEqual([begin, 1, false]);
        for (const { end } of syncs) end(ArcSet.empty);
        for (const { end } of transfers) end();
        const endedAtMs = bench.clock.nowMs();
        await stopped;
        expect(bench.clock.nowMs()).toBe(endedAtMs);
      });
    }
    const idle = holder();
    await idle.run(async () => {
      const atMs = idle.clock.nowMs();
      await idle.ownership.stop();
      expect(idle.clock.nowMs()).toBe(atMs);
    });
  });
});

describe("what a peer holds", () => {
  it("is settled when it is what the ring says, and copied to all that run", async () => {
    const bench = holder(b, c);
    bench.copied(ArcSet.whole);
    bench.synced.delete(c);
    await bench.run(async () => {
      expect(bench.ownership.isSettled).toBe(true);
      bench.copied(ArcSet.empty, [b]);
      expect(bench.ownership.isSettled).toBe(false);
      bench.copied(ArcSet.whole, [b]);
      expect(bench.ownership.isSettled).toBe(true);
      bench.territory.take(ArcSet.whole);
      expect(bench.ownership.isSettled).toBe(false);
      await bench.look();
    });
  });

  it("is not settled before it is seen who needs copies of what has just come", async () => {
    const bench = new OwnershipBench([a, b]);
    const owned = bench.view.ring.arcsOf(a);
    const [early = ArcSet.empty, ...late] = owned.inParts(1);
    bench.territory.take(early);
    bench.territory.note(ArcSet.unionOf(late), { member: b, generation: 1, synced: false });
    bench.copied(early);
    await bench.run(async () => {
      bench.territory.take(owned);
      expect(bench.ownership.isSettled).toBe(false);
      await bench.look();
      expect(bench.ownership.isSettled).toBe(false);
      bench.copied(owned);
      for (const { end } of bench.syncs) end(ArcSet.empty);
      await bench.look();
      expect(bench.ownership.isSettled).toBe(true);
    });
  });

  it("is not settled while something is on its way, be it there already, nor for who joins", async () => {
    const copying = holder(b);
    await copying.run(async () => {
      copying.copied(ArcSet.whole);
      expect(copying.ownership.isSettled).toBe(false);
      copying.syncs[0]?.end(ArcSet.empty);
      await copying.look();
      expect(copying.ownership.isSettled).toBe(true);
      copying.view.role = "joining";
      expect(copying.ownership.isSettled).toBe(false);
    });
    const passing = holder(b);
    passing.territory.take(ArcSet.whole);
    passing.copied(ArcSet.whole);
    await passing.run(async () => {
      const [transfer] = passing.transfers;
      passing.territory.give(transfer?.arcs ?? ArcSet.empty, {
        member: b,
        generation: 1,
        synced: false,
      });
      expect(passing.ownership.isSettled).toBe(false);
      transfer?.end();
      await passing.look();
      expect(passing.ownership.isSettled).toBe(true);
    });
  });

  it("is not settled while a holder has been lost of what there is a copy, and while that is claimed", async () => {
    const bench = holder(b);
    bench.copied(ArcSet.whole);
    const copyOf = (generation: number): void => {
      bench.territory.note(ArcSet.whole, { member: b, generation, synced: true });
    };
    await bench.run(async () => {
      copyOf(7);
      expect(bench.ownership.isSettled).toBe(false);
      await bench.look();
      copyOf(1);
      expect([bench.claims.length, bench.ownership.isSettled]).toEqual([1, false]);
      await bench.clock.sleep(1_000);
      expect(bench.ownership.isSettled).toBe(true);
    });
  });
});

describe("complete copies", () => {
  it("of a member that has needed none for a while are compared so long after it needs one again", async () => {
    const bench = holder(b);
    bench.copied(ArcSet.whole);
    await bench.run(async () => {
      bench.view.ring = bench.view.futureRing = ringOf(a);
      await bench.look();
      await bench.clock.sleep(everyMs);
      bench.view.ring = bench.view.futureRing = ringOf(a, b);
      await bench.look();
      await bench.clock.sleep(everyMs - 2_000);
      expect(bench.syncs).toEqual([]);
      await bench.clock.sleep(4_000);
      expect(bench.syncs).toHaveLength(1);
    });
  });
});
