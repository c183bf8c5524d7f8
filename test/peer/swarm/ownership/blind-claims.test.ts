import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import type { MemberId } from "../../../../src/core/units.ts";
import { RingBook } from "../../../../src/peer/swarm/members/ring-book.ts";
import { BlindClaims } from "../../../../src/peer/swarm/ownership/blind-claims.ts";

const some = new RingBook({ virtualNodes: 8, hashSeed: 0 })
  .ringOf(["a", "b"].map((id) => ({ id: id as MemberId, weight: 1 })))
  .arcsOf("a" as MemberId);
const rest = ArcSet.whole.subtract(some);

function newClaims(
  uncopied: ArcSet,
  role: "active" | "leaving" = "active",
): { clock: VirtualClock; claims: BlindClaims } {
  const clock = new VirtualClock();
  const claims = new BlindClaims(clock, { replicator: { uncopied }, view: { role } });
  return { clock, claims };
}

describe("arcs that were claimed without a copy", () => {
  it("are known where nobody is to have a copy", () => {
    const { claims } = newClaims(ArcSet.empty);
    claims.add(ArcSet.whole);
    expect(claims.known(ArcSet.whole).equals(ArcSet.whole)).toBe(true);
  });

  it("are left alone as far as copies of them are not complete", () => {
    const { claims } = newClaims(some);
    claims.add(ArcSet.whole);
    expect(claims.known(ArcSet.whole).equals(rest)).toBe(true);
  });

  it("are the only ones that wait for copies", () => {
    const { claims } = newClaims(ArcSet.whole);
    claims.add(some);
    expect(claims.known(ArcSet.whole).equals(rest)).toBe(true);
  });

  it("do not wait where this peer leaves, which is given up after a while", () => {
    const { claims } = newClaims(ArcSet.whole, "leaving");
    claims.add(ArcSet.whole);
    expect(claims.known(ArcSet.whole).equals(ArcSet.whole)).toBe(true);
  });

  it("do not wait longer than a minute", async () => {
    const { claims, clock } = newClaims(ArcSet.whole);
    claims.add(ArcSet.whole);
    await clock.run(clock.sleep(60_000));
    expect(claims.known(ArcSet.whole).equals(ArcSet.whole)).toBe(true);
  });

  it("do not wait longer for what is claimed later", async () => {
    const { claims, clock } = newClaims(ArcSet.whole);
    claims.add(some);
    await clock.run(clock.sleep(30_000));
    claims.add(rest);
    await clock.run(clock.sleep(30_000));
    expect(claims.known(ArcSet.whole).equals(some)).toBe(true);
    await clock.run(clock.sleep(30_000));
    expect(claims.known(ArcSet.whole).equals(ArcSet.whole)).toBe(true);
  });
});
