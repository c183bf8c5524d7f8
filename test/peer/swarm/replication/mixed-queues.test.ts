import { describe, expect, it } from "vitest";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import type { RingPosition } from "../../../../src/core/ring/ring-position.ts";
import { MixedQueues } from "../../../../src/peer/swarm/replication/mixed-queues.ts";

const [low, middle, high] = [10, 50, 90] as RingPosition[] as [
  RingPosition,
  RingPosition,
  RingPosition,
];
/** Numbers of entries around that of the last entry that was taken. */
const [earlier, until, later] = [6, 7, 8] as const;
const arcs = ArcSet.of([{ from: low, to: high }]);

describe("MixedQueues", () => {
  it("has the arcs that were taken with entries, until they are passed on", () => {
    const queues = new MixedQueues();
    expect(queues.has(middle, earlier)).toBe(false);
    queues.taken(arcs, until);
    expect([low, middle, high].map((position) => queues.has(position, earlier))).toEqual([
      true,
      true,
      false,
    ]);
    queues.drop(ArcSet.of([{ from: low, to: middle }]));
    expect([low, middle].map((position) => queues.has(position, earlier))).toEqual([false, true]);
  });

  it("does not have what was queued after the latest arcs were taken", () => {
    const queues = new MixedQueues();
    queues.taken(ArcSet.of([{ from: low, to: middle }]), earlier);
    queues.taken(ArcSet.of([{ from: middle, to: high }]), until);
    for (const position of [low, middle]) {
      expect(queues.has(position, until)).toBe(true);
      expect(queues.has(position, later)).toBe(false);
    }
  });

  it("has the sites of which rows came in, until their arcs are passed on", () => {
    const queues = new MixedQueues();
    queues.merged(middle);
    queues.merged(high);
    expect([low, middle, high].map((position) => queues.has(position, later))).toEqual([
      false,
      true,
      true,
    ]);
    queues.drop(arcs);
    expect([middle, high].map((position) => queues.has(position, later))).toEqual([false, true]);
  });

  it("tells of sites that may have a URL twice, until that was looked at or they are passed on", () => {
    const queues = new MixedQueues();
    const at = (position: RingPosition): { from: RingPosition; to: RingPosition } => ({
      from: position,
      to: (position + 1) as RingPosition,
    });
    expect(queues.hasDoubts).toBe(false);
    for (const position of [low, middle, high]) queues.doubt(position);
    expect([...queues.takeDoubtful().arcs()]).toEqual([low, middle, high].map(at));
    expect([queues.hasDoubts, queues.takeDoubtful().isEmpty]).toEqual([false, true]);
    for (const position of [low, middle, high]) queues.doubt(position);
    queues.drop(arcs);
    expect([...queues.takeDoubtful().arcs()]).toEqual([at(high)]);
  });

  it("tells of no more such sites at once than are looked at together", () => {
    const queues = new MixedQueues();
    for (let n = 0; n < 2_500; n += 1) queues.doubt((n * 2) as RingPosition);
    const sizes = Array.from({ length: 4 }, () => queues.takeDoubtful().size);
    expect([sizes, queues.hasDoubts]).toEqual([[1_000, 1_000, 500, 0], false]);
  });

  it("has all sites, where rows came in of more than are remembered one by one", () => {
    const queues = new MixedQueues();
    for (let site = 0; site <= 2 ** 18; site += 1) queues.merged((2 * site) as RingPosition);
    const between = 5 as RingPosition;
    expect(queues.has(between, later)).toBe(true);
    queues.drop(arcs);
    expect([low, high].map((position) => queues.has(position, later))).toEqual([false, true]);
    queues.merged(low);
    expect([low, middle].map((position) => queues.has(position, later))).toEqual([true, false]);
  });

  it("remembers no more doubtful sites than there is room for", () => {
    const queues = new MixedQueues();
    const sitesMax = 2 ** 18;
    for (let site = 0; site < sitesMax + 1_000; site += 1) queues.doubt((2 * site) as RingPosition);
    let found = 0;
    while (queues.hasDoubts) found += queues.takeDoubtful().size;
    expect(found).toBe(sitesMax);
  });
});
