import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import type { Ring } from "../../../../src/core/ring/ring.ts";
import type { MemberId } from "../../../../src/core/units.ts";
import { RingBook } from "../../../../src/peer/swarm/members/ring-book.ts";
import { BlindClaims } from "../../../../src/peer/swarm/ownership/blind-claims.ts";

const [self, other, third] = ["a", "b", "c"] as MemberId[] as [MemberId, MemberId, MemberId];
const book = new RingBook({ virtualNodes: 8, hashSeed: 0 });
const alone = book.ringOf([{ id: self, weight: 1 }]);
const both = book.ringOf([
  { id: self, weight: 1 },
  { id: other, weight: 1 },
]);
const all = book.ringOf([self, other, third].map((id) => ({ id, weight: 1 })));

/** All was claimed without a copy. */
function newClaims(futureRing: Ring): { clock: VirtualClock; claims: BlindClaims } {
  const clock = new VirtualClock();
  const claims = new BlindClaims(clock, { ring: alone, futureRing, role: "active" });
  claims.add(ArcSet.whole);
  return { clock, claims };
}

/** What passes to a member that has joined, while another one joins. */
function passedOn(role: "active" | "leaving"): ArcSet {
  const claims = new BlindClaims(new VirtualClock(), { ring: both, futureRing: all, role });
  claims.add(ArcSet.whole);
  return claims.known(both.arcsOf(other), other);
}

describe("arcs that were claimed without a copy", () => {
  it("are crawled where nobody joins", () => {
    const { claims } = newClaims(alone);
    expect(claims.known(ArcSet.whole, self).equals(ArcSet.whole)).toBe(true);
  });

  it("are left alone as far as they will be another's, who joins", () => {
    const { claims } = newClaims(both);
    expect(claims.known(ArcSet.whole, self).equals(both.arcsOf(self))).toBe(true);
  });

  it("do not pass to a member that has joined before, but for what stays its own", () => {
    expect(passedOn("active").equals(all.arcsOf(other))).toBe(true);
  });

  it("pass to whoever takes them where this peer leaves, which is given up after a while", () => {
    expect(passedOn("leaving").equals(both.arcsOf(other))).toBe(true);
  });

  it("do not wait longer than a minute for whoever joins", async () => {
    const { claims, clock } = newClaims(both);
    await clock.run(clock.sleep(60_000));
    expect(claims.known(ArcSet.whole, self).equals(ArcSet.whole)).toBe(true);
  });
});
