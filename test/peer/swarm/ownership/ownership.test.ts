import { describe, expect, it } from "vitest";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import type { MemberId } from "../../../../src/core/units.ts";
import { OwnershipBench, ringOf } from "./ownership-bench.ts";

const a = "a" as MemberId;
const b = "b" as MemberId;
const c = "c" as MemberId;
const d = "d" as MemberId;
const e = "e" as MemberId;

/** How often a complete copy is compared. */
const everyMs = 20_000;

/** A peer with other members that holds what the ring names it for. */
function holder(...others: MemberId[]): OwnershipBench {
  const options = { syncsMax: 2, antiEntropyIntervalMs: everyMs };
  const bench = new OwnershipBench([a, ...others], options);
  bench.territory.take(bench.view.ring.arcsOf(a));
  return bench;
}

const own = ({ view }: OwnershipBench): ArcSet => view.ring.arcsOf(a);

describe("what a peer crawls", () => {
  it("is what it holds and owns, but for what is closed", async () => {
    const bench = holder(b);
    bench.territory.take(ArcSet.whole);
    const [closed] = own(bench).arcs();
    if (!closed) throw new Error("it owns arcs");
    bench.territory.close(ArcSet.of([closed]));
    await bench.run(() => Promise.resolve());
    const open = own(bench).subtract(ArcSet.of([closed]));
    expect(bench.crawled.every((arcs) => arcs.equals(open))).toBe(true);
    expect(bench.crawled).not.toHaveLength(0);
  });
});

describe("copies of what a peer holds", () => {
  it("are made at a few members at a time, and at each once", async () => {
    const bench = holder(b, c, d, e);
    await bench.run(async () => {
      await bench.look();
      expect(bench.syncs).toHaveLength(2);
      bench.synced.set(bench.syncs[0]?.member ?? a, own(bench));
      bench.syncs[0]?.end(ArcSet.empty);
      await bench.clock.sleep(100);
      const members = bench.syncs.map(({ member }) => member);
      expect([members.length, new Set(members).size]).toEqual([3, 3]);
    });
  });

  it("are made in turn where some members do not answer", async () => {
    const bench = holder(b, c, d, e);
    await bench.run(async () => {
      await bench.look();
      for (const { end } of bench.syncs.slice()) end(ArcSet.empty);
      await bench.clock.sleep(100);
      const [first, second, third] = bench.syncs.map(({ member }) => member);
      expect(new Set([first, second, third, undefined]).size).toBe(4);
    });
  });

  it("are needed by those that the ring names, and that it will name when all have joined", async () => {
    const bench = holder(b);
    bench.view.futureRing = ringOf(a, c);
    bench.putOff.add(b);
    await bench.run(() => Promise.resolve());
    // Whoever is put off takes none.
    expect(bench.syncs).toEqual([]);
    const [needs] = bench.needs;
    expect([needs?.get(b), needs?.get(c)].map((arcs) => arcs?.equals(own(bench)))).toEqual([
      true,
      true,
    ]);
  });

  it("are set anew where members come or go, and where stand-ins are needed no more", async () => {
    const bench = holder(b);
    await bench.run(async () => {
      await bench.look();
      expect(bench.needs).toHaveLength(1);
      bench.others(b);
      await bench.look();
      expect(bench.needs).toHaveLength(2);
      bench.hasStandIns = true;
      await bench.look();
      expect(bench.needs).toHaveLength(2);
      bench.copied(own(bench));
      await bench.look();
      expect(bench.needs).toHaveLength(3);
    });
  });

  it("are set anew where others are to join, and where this peer comes to hold something", async () => {
    const bench = holder(b);
    const needsOf = (member: MemberId): number => bench.needs.at(-1)?.get(member)?.share ?? 0;
    await bench.run(async () => {
      const before = needsOf(b);
      bench.view.futureRing = ringOf(a, b, c);
      await bench.look();
      expect([needsOf(b), needsOf(c) > 0]).toEqual([before, true]);
      bench.territory.take(ArcSet.whole);
      await bench.look();
      expect([before < 1, needsOf(b)]).toEqual([true, 1]);
    });
  });

  it("that go on no more are told of when there are all that are needed, by an active member", async () => {
    const bench = holder(b, c);
    bench.dropped = new Map([[c, own(bench)]]);
    bench.view.role = "leaving";
    const told = (): MemberId[] => bench.released.map(([member]) => member);
    await bench.run(async () => {
      bench.view.role = "active";
      bench.view.ring = bench.view.futureRing = ringOf(a, b);
      bench.synced.delete(c);
      await bench.look();
      expect(told()).toEqual([]);
      bench.view.role = "leaving";
      bench.copied(ArcSet.whole, [b]);
      await bench.look();
      expect(told()).toEqual([]);
      bench.view.role = "active";
      await bench.look();
      expect(told()).toEqual([c]);
    });
  });

  it("that came to be complete and went on no more are told of", async () => {
    const bench = holder(b, c);
    await bench.run(async () => {
      bench.view.ring = bench.view.futureRing = ringOf(a, c);
      bench.copied(ArcSet.whole);
      bench.syncs.find(({ member }) => member === b)?.end(ArcSet.whole);
      await bench.look();
      expect(bench.released.map(([member]) => member)).toEqual([b]);
    });
  });

  it("are told of anew where another member has passed the same arcs on, which has a copy no more", async () => {
    const bench = holder(b, c);
    bench.copied(ArcSet.whole);
    bench.synced.delete(c);
    await bench.run(async () => {
      bench.view.ring = bench.view.futureRing = ringOf(a, b);
      bench.ownership.taken(c, own(bench));
      await bench.look();
      expect(bench.copiedAnew).toHaveLength(1);
      expect(bench.released.map(([member]) => member)).toEqual([c]);
    });
  });
});

describe("complete copies", () => {
  it("are compared one at a time, each so long after the start and after the time before", async () => {
    const bench = holder(b, c);
    bench.copied(ArcSet.whole);
    await bench.run(async () => {
      await bench.clock.sleep(everyMs - 2_000);
      expect(bench.syncs).toEqual([]);
      await bench.clock.sleep(4_000);
      expect(bench.syncs.map(({ member }) => member)).toHaveLength(1);
      bench.syncs[0]?.end(ArcSet.empty);
      await bench.clock.sleep(4_000);
      expect(new Set(bench.syncs.map(({ member }) => member)).size).toBe(2);
      bench.syncs[1]?.end(ArcSet.empty);
      await bench.clock.sleep(4_000);
      expect(bench.syncs).toHaveLength(2);
      await bench.clock.sleep(everyMs);
      expect(bench.syncs).toHaveLength(3);
    });
  });

  it("are each compared in its turn, also where one comparison takes longer than the time between two", async () => {
    const bench = holder(b, c, d);
    bench.copied(ArcSet.whole);
    await bench.run(async () => {
      for (const turn of [0, 1, 2]) {
        await bench.clock.sleep(everyMs + 2_000);
        bench.syncs[turn]?.end(ArcSet.empty);
        await bench.clock.sleep(2_000);
      }
      expect(new Set(bench.syncs.slice(0, 3).map(({ member }) => member)).size).toBe(3);
    });
  });

  it("of a member that comes later are compared so long after they were seen to be complete", async () => {
    const bench = holder(b);
    await bench.run(async () => {
      await bench.clock.sleep(2 * everyMs);
      bench.syncs[0]?.end(ArcSet.empty);
      bench.copied(ArcSet.whole);
      await bench.clock.sleep(everyMs - 2_000);
      expect(bench.syncs).toHaveLength(1);
      await bench.clock.sleep(4_000);
      expect(bench.syncs).toHaveLength(2);
    });
  });

  it("that are being completed are not compared meanwhile", async () => {
    const bench = holder(b);
    bench.copied(own(bench).intersect(ringOf(a, c).arcsOf(a)));
    await bench.run(async () => {
      await bench.clock.sleep(everyMs + 2_000);
      expect(bench.syncs).toHaveLength(1);
    });
  });

  it("that were found never to have been kept up to date are told of", async () => {
    const bench = holder(b, c);
    bench.copied(ArcSet.whole);
    await bench.run(async () => {
      await bench.clock.sleep(everyMs + 2_000);
      const [sync] = bench.syncs;
      bench.view.ring = bench.view.futureRing = ringOf(a, sync?.member === b ? c : b);
      sync?.end(ArcSet.whole);
      await bench.look();
      expect(bench.released.map(([member]) => member)).toEqual([sync?.member]);
    });
  });
});

describe("arcs that the ring names another member for", () => {
  /** A peer that holds everything, of which others have so much. */
  function stranger(copied: ArcSet): OwnershipBench {
    const bench = new OwnershipBench([a, b, c]);
    bench.territory.take(ArcSet.whole);
    bench.copied(copied);
    return bench;
  }

  it("are crawled no more, and are passed on as far as that has a copy", async () => {
    const half = ringOf(d, e).arcsOf(d);
    const bench = stranger(half);
    await bench.run(() => Promise.resolve());
    expect(bench.crawled[0]?.equals(own(bench))).toBe(true);
    const { ring } = bench.view;
    for (const { member, arcs } of bench.transfers)
      expect(arcs.equals(ring.arcsOf(member).intersect(half))).toBe(true);
    expect(bench.transfers.map(({ member }) => member).toSorted()).toEqual([b, c]);
  });

  it("stay, as what is its own is not crawled, until it is known what others have of them", async () => {
    const bench = stranger(ArcSet.whole);
    bench.blind = ArcSet.whole;
    await bench.run(() => Promise.resolve());
    expect(bench.transfers).toHaveLength(0);
    expect(bench.crawled.every((arcs) => arcs.isEmpty)).toBe(true);
  });

  it("stay while their queues are weeded, which begins when all is where it belongs", async () => {
    const bench = holder(b);
    bench.weeds = own(bench);
    await bench.run(async () => {
      expect(bench.weedings).toHaveLength(0);
      bench.copied(own(bench));
      bench.syncs[0]?.end(ArcSet.empty);
      await bench.look();
      expect(bench.weedings.map(({ sites }) => sites)).toEqual([bench.weeds]);
      expect(bench.ownership.isSettled).toBe(false);
      bench.weeds = ArcSet.empty;
      bench.view.ring = ringOf(b);
      bench.copied(ArcSet.whole);
      await bench.look();
      expect(bench.transfers).toHaveLength(0);
      bench.weedings[0]?.end();
      await bench.look();
      expect(bench.transfers.map(({ member }) => member)).toEqual([b]);
    });
  });

  it("are offered to no other one while they are on their way", async () => {
    const bench = stranger(ArcSet.whole);
    await bench.run(async () => {
      bench.view.ring = bench.view.futureRing = ringOf(a, d);
      bench.synced.set(d, ArcSet.whole);
      await bench.look();
      const under = ArcSet.unionOf(bench.transfers.slice(0, 2).map(({ arcs }) => arcs));
      for (const { arcs } of bench.transfers.slice(2))
        expect(arcs.intersect(under).isEmpty).toBe(true);
      expect(bench.ownership.isSettled).toBe(false);
    });
  });

  it("are passed on to a member in one transfer at a time, the next one as soon as that has ended", async () => {
    const bench = stranger(ringOf(d, e).arcsOf(d));
    await bench.run(async () => {
      const [first, ...rest] = bench.transfers;
      bench.copied(ArcSet.whole);
      await bench.look();
      expect(rest).toHaveLength(1);
      expect(bench.transfers).toHaveLength(2);
      first?.end();
      await bench.clock.sleep(100);
      expect(bench.transfers.slice(2).map(({ member }) => member)).toEqual([first?.member]);
    });
  });
});

describe("arcs of which no holder is known", () => {
  it("are claimed after a while, also where more of them come to light, and at once by who is alone", async () => {
    const bench = new OwnershipBench([a, b]);
    bench.territory.note(ArcSet.whole, { member: b, generation: 1, synced: false });
    await bench.run(async () => {
      const all = own(bench);
      const half = all.intersect(ringOf(a, c).arcsOf(a));
      bench.territory.note(half, { member: b, generation: 7, synced: false });
      await bench.look();
      await bench.clock.sleep(600);
      bench.territory.note(ArcSet.whole, { member: b, generation: 7, synced: false });
      await bench.look();
      await bench.clock.sleep(600);
      await bench.look();
      expect(bench.claims).toEqual([]);
      await bench.clock.sleep(1_000);
      expect(bench.claims[0]?.orphans.equals(all)).toBe(true);
    });
    const alone = new OwnershipBench([a]);
    await alone.run(() => Promise.resolve());
    expect(alone.claims).toHaveLength(1);
  });

  it("are claimed a while after they have come to be such ones again", async () => {
    const bench = new OwnershipBench([a, b]);
    const heldBy = (generation: number): void => {
      bench.territory.note(ArcSet.whole, { member: b, generation, synced: false });
    };
    await bench.run(async () => {
      await bench.clock.sleep(600);
      heldBy(1);
      await bench.look();
      heldBy(7);
      await bench.look();
      await bench.clock.sleep(600);
      await bench.look();
      expect(bench.claims).toEqual([]);
      await bench.clock.sleep(1_000);
      expect(bench.claims).toHaveLength(1);
    });
  });

  it("are claimed as lost where there is a copy, also by who leaves, and not by who joins", async () => {
    const claimed: boolean[] = [];
    for (const role of ["active", "leaving", "joining"] as const) {
      const bench = new OwnershipBench([a, b]);
      bench.view.role = role;
      bench.territory.note(ArcSet.whole, { member: b, generation: 7, synced: true });
      await bench.run(() => bench.clock.sleep(2_000));
      claimed.push(bench.claims.length > 0);
      for (const { orphans } of bench.claims) expect(orphans.isEmpty).toBe(true);
    }
    expect(claimed).toEqual([true, true, false]);
  });
});

describe("a peer that joins", () => {
  /** It has a copy of everything from this run of another member. */
  function joining(copyOf?: number): OwnershipBench {
    const bench = new OwnershipBench([a, b]);
    bench.view.role = "joining";
    bench.view.ring = ringOf(b);
    if (copyOf !== undefined) {
      bench.territory.note(ArcSet.whole, { member: b, generation: copyOf, synced: true });
    }
    return bench;
  }

  it("is a member when it has a copy of what will be its own, of a holder that runs", async () => {
    const roles: string[] = [];
    for (const copyOf of [undefined, 7, 1]) {
      const bench = joining(copyOf);
      await bench.run(() => Promise.resolve());
      roles.push(bench.view.role);
    }
    expect(roles).toEqual(["joining", "joining", "active"]);
  });

  it("is none yet while what it has is not complete", async () => {
    const bench = joining();
    bench.territory.note(ArcSet.whole, { member: b, generation: 1, synced: false });
    await bench.run(() => Promise.resolve());
    expect(bench.view.role).toBe("joining");
  });

  it("is none yet where the ring has no room for it", async () => {
    const bench = joining();
    bench.view.futureRing = bench.view.ring;
    await bench.run(() => Promise.resolve());
    expect(bench.view.role).toBe("joining");
  });

  it("inquires into copies that have not come", async () => {
    const bench = joining();
    await bench.run(() => bench.clock.sleep(5_000));
    expect(bench.asked).toEqual([b]);
  });
});
