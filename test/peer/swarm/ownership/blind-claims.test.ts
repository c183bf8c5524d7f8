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

interface Bench {
  readonly clock: VirtualClock;
  readonly claims: BlindClaims;
  /** Others, and whether they say that they are home. */
  readonly view: { role: "active" | "leaving"; others: readonly MemberId[] };
  areHome: boolean;
  looks: number;
}

function newClaims(uncopied: ArcSet, role: "active" | "leaving" = "active"): Bench {
  const clock = new VirtualClock();
  const view: Bench["view"] = { role, others: [] };
  const claims = new BlindClaims(clock, {
    replicator: { uncopied },
    termination: { areOthersHome: () => Promise.resolve(bench.areHome) },
    view,
    look: () => (bench.looks += 1),
  });
  const bench: Bench = { clock, claims, view, areHome: false, looks: 0 };
  return bench;
}

function newOldClaims(...given: Parameters<typeof newClaims>): ReturnType<typeof newClaims> {
  const made = newClaims(...given);
  made.claims.hasPast();
  return made;
}

describe("arcs that were claimed without a copy", () => {
  it("are known where nobody is to have a copy", () => {
    const { claims } = newOldClaims(ArcSet.empty);
    claims.add(ArcSet.whole);
    expect(claims.known(ArcSet.whole).equals(ArcSet.whole)).toBe(true);
  });

  it("are left alone as far as copies of them are not complete", () => {
    const { claims } = newOldClaims(some);
    claims.add(ArcSet.whole);
    expect(claims.known(ArcSet.whole).equals(rest)).toBe(true);
  });

  it("are left alone while others have not brought home what they have, who are asked now and then", async () => {
    const bench = newOldClaims(some);
    const { claims, clock, view } = bench;
    claims.add(ArcSet.whole);
    view.others = ["b" as MemberId];
    expect(claims.known(ArcSet.whole).isEmpty).toBe(true);
    await clock.run(clock.sleep(500));
    bench.areHome = true;
    expect(claims.known(ArcSet.whole).isEmpty).toBe(true);
    await clock.run(clock.sleep(1));
    expect(bench.looks).toBe(1);
    expect(claims.known(ArcSet.whole).equals(rest)).toBe(true);
    view.others = ["b" as MemberId, "c" as MemberId];
    expect(claims.known(ArcSet.whole).isEmpty).toBe(true);
  });

  it("are the only ones that wait for copies", () => {
    const { claims } = newOldClaims(ArcSet.whole);
    claims.add(some);
    expect(claims.known(ArcSet.whole).equals(rest)).toBe(true);
  });

  it("do not wait where this peer leaves, which is given up after a while", () => {
    const { claims } = newOldClaims(ArcSet.whole, "leaving");
    claims.add(ArcSet.whole);
    expect(claims.known(ArcSet.whole).equals(ArcSet.whole)).toBe(true);
  });

  it("do not wait longer than a minute", async () => {
    const { claims, clock } = newOldClaims(ArcSet.whole);
    claims.add(ArcSet.whole);
    await clock.run(clock.sleep(60_000));
    expect(claims.known(ArcSet.whole).equals(ArcSet.whole)).toBe(true);
  });

  it("do not wait longer for what is claimed later", async () => {
    const { claims, clock } = newOldClaims(ArcSet.whole);
    claims.add(some);
    await clock.run(clock.sleep(30_000));
    claims.add(rest);
    await clock.run(clock.sleep(30_000));
    expect(claims.known(ArcSet.whole).equals(some)).toBe(true);
    await clock.run(clock.sleep(30_000));
    expect(claims.known(ArcSet.whole).equals(ArcSet.whole)).toBe(true);
  });
});

describe("arcs that were claimed without a copy by a new peer", () => {
  it("are known as long as it has not heard of a job of others", () => {
    const { claims } = newClaims(ArcSet.whole);
    claims.add(ArcSet.whole);
    expect(claims.known(ArcSet.whole).equals(ArcSet.whole)).toBe(true);
  });

  it("are left alone for a minute from then on", async () => {
    const { claims, clock } = newClaims(some);
    claims.add(ArcSet.whole);
    await clock.run(clock.sleep(50_000));
    claims.hasPast();
    await clock.run(clock.sleep(50_000));
    claims.hasPast();
    expect(claims.known(ArcSet.whole).equals(rest)).toBe(true);
    await clock.run(clock.sleep(10_000));
    expect(claims.known(ArcSet.whole).equals(ArcSet.whole)).toBe(true);
  });

  it("are known where it hears of one much later", async () => {
    const { claims, clock } = newClaims(some);
    claims.add(ArcSet.whole);
    await clock.run(clock.sleep(60_000));
    claims.hasPast();
    expect(claims.known(ArcSet.whole).equals(ArcSet.whole)).toBe(true);
  });
});
