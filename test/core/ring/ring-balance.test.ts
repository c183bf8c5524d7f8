import { describe, expect, it } from "vitest";
import type { RingMember } from "../../../src/core/ring/member-tokens.ts";
import { defaultRingOptions } from "../../../src/core/ring/ring-options.ts";
import { positionOf } from "../../../src/core/ring/ring-position.ts";
import { Ring } from "../../../src/core/ring/ring.ts";
import type { MemberId, SiteName } from "../../../src/core/units.ts";

const siteCount = 100_000;
const positions = Array.from({ length: siteCount }, (_, i) =>
  positionOf(`site-${i}.example` as SiteName),
);

function membersOf(set: string, count: number): RingMember[] {
  return Array.from({ length: count }, (_, i) => ({
    id: `${set}-${i}` as MemberId,
    weight: 1,
  }));
}

function sitesByOwner(ring: Ring): Map<MemberId | undefined, number> {
  const counts = new Map<MemberId | undefined, number>();
  for (const position of positions) {
    const owner = ring.ownerOf(position);
    counts.set(owner, (counts.get(owner) ?? 0) + 1);
  }
  return counts;
}

describe("Ring with the default options", () => {
  it.each(["peer", "12D3KooW", "node.example", "x", "y", "z"])(
    "gives none of 8 members called %s more than 1.06 times the mean of sites",
    (set) => {
      const counts = sitesByOwner(Ring.of(membersOf(set, 8), defaultRingOptions));
      expect((Math.max(...counts.values()) * 8) / siteCount).toBeLessThan(1.06);
      expect(counts.size).toBe(8);
    },
  );

  it.each(["peer", "12D3KooW", "node.example"])(
    "moves at most 1.06 ninths of the sites to a ninth member called %s, and none between others",
    (set) => {
      const members = membersOf(set, 9);
      const before = Ring.of(members.slice(0, 8), defaultRingOptions);
      const [, , , , , , , , ninth = { id: "" as MemberId, weight: 1 }] = members;
      const after = before.with(ninth);
      const moved = positions.filter((at) => before.ownerOf(at) !== after.ownerOf(at));
      expect(moved.every((at) => after.ownerOf(at) === ninth.id)).toBe(true);
      expect((moved.length * 9) / siteCount).toBeLessThan(1.06);
      expect((moved.length * 9) / siteCount).toBeGreaterThan(0.94);
    },
  );

  it("gives none of 1,000 members more than 1.15 times the mean of the circle", () => {
    const shares = Ring.of(membersOf("peer", 1000), defaultRingOptions).sharesOf();
    expect(Math.max(...shares.values()) * 1000).toBeLessThan(1.15);
    expect([...shares.values()].reduce((sum, share) => sum + share)).toBeCloseTo(1, 9);
  });

  it.each(["peer", "12D3KooW", "node.example"])(
    "honours the weights of members called %s within 5%%",
    (set) => {
      const weights = [1, 2, 3, 4, 1, 2, 3, 4];
      const members = membersOf(set, 8).map(({ id }, i) => ({
        id,
        weight: weights[i] ?? 1,
      }));
      const shares = Ring.of(members, defaultRingOptions).sharesOf();
      for (const { id, weight } of members) {
        expect(Math.abs(((shares.get(id) ?? 0) * 20) / weight - 1)).toBeLessThan(0.05);
      }
    },
  );
});
