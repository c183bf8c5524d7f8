import { describe, expect, it } from "vitest";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import { circle } from "../../../../src/core/ring/ring-position.ts";
import type { RingPosition } from "../../../../src/core/ring/ring-position.ts";
import { UnsureSites } from "../../../../src/peer/swarm/replication/unsure-sites.ts";

const middle = (circle / 2) as RingPosition;
const lowerHalf = ArcSet.of([{ from: 0 as RingPosition, to: middle }]);

describe("unsure sites", () => {
  it("are those that were added, until all around them is sure", () => {
    const unsure = new UnsureSites();
    expect(unsure.isEmpty).toBe(true);
    unsure.add(5 as RingPosition);
    expect(unsure.isEmpty).toBe(false);
    unsure.add(middle);
    expect(unsure.has(5 as RingPosition)).toBe(true);
    expect(unsure.has(6 as RingPosition)).toBe(false);
    unsure.keepOnly(lowerHalf);
    expect(unsure.has(5 as RingPosition)).toBe(true);
    expect(unsure.has(middle)).toBe(false);
    unsure.keepOnly(ArcSet.empty);
    expect(unsure.isEmpty).toBe(true);
  });

  it("are all sites where too many were added to keep them one by one", () => {
    const unsure = new UnsureSites();
    for (let at = 0; at < 10_000; at += 1) unsure.add(at as RingPosition);
    expect(unsure.has(middle)).toBe(false);
    unsure.add(10_000 as RingPosition);
    expect(unsure.has(middle)).toBe(true);
    unsure.keepOnly(lowerHalf);
    expect(unsure.has(0 as RingPosition)).toBe(true);
    expect(unsure.has(middle)).toBe(false);
    expect(unsure.isEmpty).toBe(false);
  });
});
