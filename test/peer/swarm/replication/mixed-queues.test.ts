import { describe, expect, it } from "vitest";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import type { RingPosition } from "../../../../src/core/ring/ring-position.ts";
import { MixedQueues } from "../../../../src/peer/swarm/replication/mixed-queues.ts";

const [low, middle, high] = [10, 50, 90] as RingPosition[] as [
  RingPosition,
  RingPosition,
  RingPosition,
];
const arcs = ArcSet.of([{ from: low, to: high }]);

describe("MixedQueues", () => {
  it("has the arcs that were taken with entries, until they are passed on", () => {
    const queues = new MixedQueues();
    expect(queues.has(middle)).toBe(false);
    queues.taken(arcs);
    expect([low, middle, high].map((position) => queues.has(position))).toEqual([
      true,
      true,
      false,
    ]);
    queues.drop(ArcSet.of([{ from: low, to: middle }]));
    expect([low, middle].map((position) => queues.has(position))).toEqual([false, true]);
  });

  it("has the sites of which rows came in, until their arcs are passed on", () => {
    const queues = new MixedQueues();
    queues.merged(middle);
    queues.merged(high);
    expect([low, middle, high].map((position) => queues.has(position))).toEqual([
      false,
      true,
      true,
    ]);
    queues.drop(arcs);
    expect([middle, high].map((position) => queues.has(position))).toEqual([false, true]);
  });
});
