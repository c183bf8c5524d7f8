import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareClaims, isGone, stateOf } from "../../../src/core/membership/member.ts";
import type { Member } from "../../../src/core/membership/member.ts";
import { sampleMember } from "./sample-member.ts";

const claim: fc.Arbitrary<Member> = fc
  .record({
    generation: fc.nat(2),
    incarnation: fc.nat(2),
    role: fc.constantFrom(
      "joining" as const,
      "active" as const,
      "leaving" as const,
      "left" as const,
    ),
    health: fc.constantFrom("alive" as const, "suspect" as const, "dead" as const),
    weight: fc.constantFrom(1, 2),
    addresses: fc.array(fc.constantFrom("a", "b"), { maxLength: 2 }),
  })
  .map(sampleMember);

/** What a table keeps of two claims. */
const merge = (a: Member, b: Member): Member => (compareClaims(a, b) >= 0 ? a : b);

describe("the later of two claims", () => {
  it("does not mind the order of two claims", () => {
    fc.assert(
      fc.property(claim, claim, (a, b) => {
        expect(merge(a, b)).toEqual(merge(b, a));
      }),
    );
  });

  it("does not mind how three claims are grouped", () => {
    fc.assert(
      fc.property(claim, claim, claim, (a, b, c) => {
        expect(merge(merge(a, b), c)).toEqual(merge(a, merge(b, c)));
      }),
    );
  });

  it("does not mind a claim that comes again", () => {
    fc.assert(
      fc.property(claim, claim, (a, b) => {
        expect(merge(a, structuredClone(a))).toEqual(a);
        expect(merge(merge(a, b), b)).toEqual(merge(a, b));
      }),
    );
  });

  it.each<[string, Partial<Member>, Partial<Member>]>([
    ["a later run supersedes a death", { generation: 2 }, { incarnation: 9, health: "dead" }],
    ["a higher incarnation refutes a death", { incarnation: 2 }, { health: "dead" }],
    ["a suspicion stands against its own incarnation", { health: "suspect" }, {}],
    ["a death stands against a suspicion", { health: "dead" }, { health: "suspect" }],
    ["a later role supersedes an earlier one", { role: "leaving" }, { role: "active" }],
    ["health counts before role", { health: "suspect" }, { role: "left" }],
  ])("%s", (_, stronger, weaker) => {
    const strong = sampleMember({ generation: 1, incarnation: 1, ...stronger });
    const weak = sampleMember({ generation: 1, incarnation: 1, ...weaker });
    expect(merge(weak, strong)).toBe(strong);
    expect(merge(strong, weak)).toBe(strong);
  });

  it("refuses claims about two members", () => {
    const other = sampleMember({ id: "peer-2" as Member["id"] });
    expect(() => merge(sampleMember(), other)).toThrow("have no order");
  });
});

describe("stateOf", () => {
  it.each<[string, Partial<Member>, boolean]>([
    ["joining", { role: "joining" }, false],
    ["leaving", { role: "leaving" }, false],
    ["suspect", { role: "leaving", health: "suspect" }, false],
    ["dead", { role: "joining", health: "dead" }, true],
    ["left", { role: "left", health: "dead" }, true],
    ["left", { role: "left" }, true],
  ])("is %s for %o", (state, change, gone) => {
    expect(stateOf(sampleMember(change))).toBe(state);
    expect(isGone(sampleMember(change))).toBe(gone);
  });
});

it.each([
  { weight: 2 },
  { version: "1.0.1" },
  { addresses: [] },
  { addresses: ["a"] },
  { addresses: ["a", "c"] },
])("one of two claims that differ in %j alone is the later one", (change) => {
  const one = sampleMember({ addresses: ["a", "b"] });
  const other: Member = { ...one, ...change };
  const order = compareClaims(one, other);
  expect([Math.abs(order), compareClaims(other, one)]).toEqual([1, -order]);
});
