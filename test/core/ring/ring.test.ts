import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InvariantError } from "../../../src/core/errors.ts";
import { ArcSet } from "../../../src/core/ring/arc-set.ts";
import { isRingWeight, tokensOf, type RingMember } from "../../../src/core/ring/member-tokens.ts";
import { circle, type RingPosition } from "../../../src/core/ring/ring-position.ts";
import { Ring } from "../../../src/core/ring/ring.ts";
import type { MemberId } from "../../../src/core/units.ts";

const options = { virtualNodes: 16, hashSeed: 7 };
const names = "abcdefghij".split("");

const anyMember = fc.record({
  id: fc.constantFrom(...(names as MemberId[])),
  weight: fc.constantFrom(0.25, 1, 2),
});
const anyMembers = fc.uniqueArray(anyMember, {
  selector: ({ id }) => id,
  maxLength: 7,
});
const someMembers = fc.uniqueArray(anyMember, {
  selector: ({ id }) => id,
  minLength: 2,
  maxLength: 7,
});

interface PlacedToken {
  readonly at: number;
  readonly id: MemberId;
}

/** The naive ring: all tokens, sorted by position and id. */
function placed(members: readonly RingMember[], given = options): PlacedToken[] {
  return members
    .flatMap((member) =>
      [...tokensOf(member, given)].map((token) => ({
        at: token * 2 ** 20,
        id: member.id,
      })),
    )
    .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
}

function preferenceIn(tokens: readonly PlacedToken[], position: number): MemberId[] {
  const first = tokens.findIndex(({ at }) => at > position);
  const turned = first === -1 ? tokens : [...tokens.slice(first), ...tokens.slice(0, first)];
  return [...new Set(turned.map(({ id }) => id))];
}

/** Both ends of the circle, and every token with its two neighbours. */
function probesOf(...rings: readonly (readonly PlacedToken[])[]): RingPosition[] {
  const tokens = rings.flat().flatMap(({ at }) => [at - 1, at, at + 1]);
  return [0, circle - 1, ...tokens].filter((at) => at >= 0 && at < circle) as RingPosition[];
}

const arc = (from: number, to: number): ArcSet =>
  ArcSet.of([{ from: from as RingPosition, to: to as RingPosition }]);

describe("Ring", () => {
  it("gives each position to the member of the first token behind it, then to the next members", () => {
    fc.assert(
      fc.property(anyMembers, (members) => {
        const ring = Ring.of(members, options);
        const tokens = placed(members);
        for (const position of probesOf(tokens)) {
          const preference = preferenceIn(tokens, position);
          expect(ring.ownerOf(position)).toBe(preference[0]);
          expect(ring.preferenceOf(position, 3)).toEqual(preference.slice(0, 3));
        }
      }),
      { numRuns: 30 },
    );
  });

  it("knows where a member is among the first, and who is among the first where", () => {
    fc.assert(
      fc.property(someMembers, fc.integer({ min: 1, max: 4 }), (members, count) => {
        const ring = Ring.of(members, options);
        const held = new Map(ring.members.map((id) => [id, ring.arcsOf(id, count)]));
        const listed = new Map(ring.members.map((id) => [id, ArcSet.empty]));
        let end = 0;
        ring.forEachPreference(count, (from, to, preference) => {
          expect(from).toBe(end);
          end = to;
          expect(preference).toEqual(ring.preferenceOf(from, count));
          for (const id of preference)
            listed.set(id, listed.get(id)?.union(arc(from, to)) ?? ArcSet.empty);
        });
        expect(end).toBe(circle);
        for (const id of ring.members) {
          expect(held.get(id)?.toBounds()).toEqual(listed.get(id)?.toBounds());
        }
      }),
      { numRuns: 40 },
    );
  });

  it("walks the arcs of a set alone, cut at its bounds", () => {
    const ring = Ring.of(
      names.map((id) => ({ id: id as MemberId, weight: 1 })),
      options,
    );
    const within = arc(circle / 8, circle / 4).union(arc(circle / 2 + 5, circle));
    let walked = ArcSet.empty;
    ring.forEachArc((from, to, owner) => {
      expect(ring.ownerOf(from)).toBe(owner);
      expect(ring.ownerOf((to - 1) as RingPosition)).toBe(owner);
      walked = walked.union(arc(from, to));
    }, within);
    expect(walked.toBounds()).toEqual(within.toBounds());
    let preferred = ArcSet.empty;
    ring.forEachPreference(
      2,
      (from, to) => {
        preferred = preferred.union(arc(from, to));
      },
      within,
    );
    expect(preferred.toBounds()).toEqual(within.toBounds());
  });

  it("lists who owns a part of a set", () => {
    const ring = Ring.of(
      names.map((id) => ({ id: id as MemberId, weight: 1 })),
      options,
    );
    const [one = "" as MemberId, two = "" as MemberId] = ring.members;
    expect(ring.ownersIn(ArcSet.whole)).toEqual(ring.members);
    expect(ring.ownersIn(ring.arcsOf(two).union(ring.arcsOf(one)))).toEqual([one, two]);
    const own = ring.arcsOf(two);
    expect(ring.ownersIn(ArcSet.whole.subtract(own))).toEqual(
      ring.members.filter((id) => id !== two),
    );
    expect(ring.ownersIn(ArcSet.empty)).toEqual([]);
  });

  it("depends on its members alone, not on the order in which they came and went", () => {
    const anySteps = fc.array(fc.tuple(anyMember, fc.boolean()), {
      maxLength: 15,
    });
    fc.assert(
      fc.property(anyMembers, anySteps, (members, steps) => {
        const present = new Map(members.map((member) => [member.id, member]));
        let ring = Ring.of(members, options);
        for (const [member, comes] of steps) {
          ring = comes ? ring.with(member) : ring.without(member.id);
          if (comes) present.set(member.id, member);
          else present.delete(member.id);
        }
        const direct = Ring.of(present.values(), options);
        expect(Ring.diff(ring, direct)).toEqual([]);
        expect(ring.members).toEqual([...present.keys()].sort());
        for (const position of probesOf(placed([...present.values()]))) {
          expect(ring.preferenceOf(position, 9)).toEqual(direct.preferenceOf(position, 9));
        }
      }),
      { numRuns: 30 },
    );
  });

  it("becomes the ring of any other members, whichever it was of", () => {
    fc.assert(
      fc.property(anyMembers, anyMembers, anyMembers, (one, other, members) => {
        const ring = Ring.of(one, options).to(other).to(members);
        const direct = Ring.of(members, options);
        expect(Ring.diff(ring, direct)).toEqual([]);
        expect(ring.isOf(members)).toBe(true);
        for (const position of probesOf(placed(members))) {
          expect(ring.preferenceOf(position, 9)).toEqual(direct.preferenceOf(position, 9));
        }
      }),
      { numRuns: 30 },
    );
  });

  it("gives equal tokens to the lower id, whatever the order of the members", () => {
    // With this seed, one token of "b" equals one of "c".
    const dense = { virtualNodes: 4_096, hashSeed: 28 };
    const members = ["a", "b", "c", "d"].map((id) => ({ id: id as MemberId, weight: 1 }));
    const tokens = placed(members, dense);
    const ties = tokens.filter(({ at }, i) => tokens[i - 1]?.at === at);
    expect(ties.map(({ id }) => id)).toEqual(["c"]);
    const grow = (list: RingMember[]): Ring =>
      list.reduce((ring, member) => ring.with(member), Ring.of([], dense));
    const turned = Ring.of(members.slice(2), dense).to(members);
    for (const ring of [
      Ring.of(members, dense),
      grow(members),
      grow(members.toReversed()),
      turned,
    ]) {
      for (const { at } of ties) {
        const position = (at - 1) as RingPosition;
        expect(ring.preferenceOf(position, 2)).toEqual(["b", "c"]);
      }
    }
  });

  it("differs from another ring where owners differ and nowhere else", () => {
    fc.assert(
      fc.property(anyMembers, anyMembers, (before, after) => {
        const rings = [Ring.of(before, options), Ring.of(after, options)] as const;
        const changes = Ring.diff(...rings);
        for (const position of probesOf(placed(before), placed(after))) {
          const owners = [rings[0].ownerOf(position), rings[1].ownerOf(position)];
          const change = changes.find(({ from, to }) => from <= position && position < to);
          expect(change === undefined).toBe(owners[0] === owners[1]);
          if (change) expect([change.before, change.after]).toEqual(owners);
        }
        for (const [i, { to, ...change }] of changes.entries()) {
          const next = changes[i + 1];
          expect(to).toBeLessThanOrEqual(next?.from ?? circle);
          if (next?.from === to) expect(next).not.toMatchObject({ ...change, from: to });
        }
      }),
      { numRuns: 40 },
    );
  });

  it("moves only the arcs of a member that goes, each to the next in its preference list", () => {
    fc.assert(
      fc.property(someMembers, (members) => {
        const ring = Ring.of(members, options);
        const gone = ring.members[0] ?? ("" as MemberId);
        const changes = Ring.diff(ring, ring.without(gone));
        expect(ArcSet.of(changes).toBounds()).toEqual(ring.arcsOf(gone).toBounds());
        for (const { from, to, before, after } of changes) {
          expect(before).toBe(gone);
          for (const at of [from, (to - 1) as RingPosition]) {
            expect(ring.preferenceOf(at, 2)).toEqual([gone, after]);
          }
        }
      }),
    );
  });

  it("keeps its answers from version to version", () => {
    const ring = Ring.of(
      names.map((id) => ({ id: id as MemberId, weight: 1 })),
      options,
    );
    const owners = Array.from({ length: 16 }, (_, i) =>
      ring.ownerOf(((i / 16) * circle) as RingPosition),
    );
    expect(owners.join("")).toBe("ccfjheffgaieabbb");
  });

  it("has nobody for anything when it is empty", () => {
    const ring = Ring.of([], options);
    expect(ring.ownerOf(0 as RingPosition)).toBeUndefined();
    expect(ring.preferenceOf(0 as RingPosition, 2)).toEqual([]);
    expect(ring.sharesOf().size).toBe(0);
    expect(ring.without("a" as MemberId)).toBe(ring);
  });

  it("gives the lone member everything", () => {
    const id = "a" as MemberId;
    const ring = Ring.of([{ id, weight: 1 }], options);
    expect(ring.arcsOf(id).equals(ArcSet.whole)).toBe(true);
    expect(ring.arcsOf("b" as MemberId).isEmpty).toBe(true);
    expect(ring.preferenceOf(5 as RingPosition, 3)).toEqual([id]);
    expect([ring.has(id), ring.has("b" as MemberId)]).toEqual([true, false]);
    expect([ring.weightOf(id), ring.weightOf("b" as MemberId)]).toEqual([1, undefined]);
  });

  it("joins arcs of one preference list where they touch, and only there", () => {
    const ring = Ring.of([{ id: "a" as MemberId, weight: 1 }], options);
    const within = arc(0, circle / 4).union(arc(circle / 2, circle));
    const visited: number[] = [];
    ring.forEachPreference(2, (from, to) => visited.push(from, to), within);
    expect(visited).toEqual(within.toBounds());
  });

  it("refuses a member twice, a weight out of range, and a ring of other options", () => {
    const member = { id: "a" as MemberId, weight: 1 };
    expect(() => Ring.of([member, member], options)).toThrow(InvariantError);
    expect(() => Ring.of([{ ...member, weight: 0 }], options)).toThrow(InvariantError);
    expect([Number.NaN, Infinity, -1, 17, 0.01].some(isRingWeight)).toBe(false);
    const other = Ring.of([member], { ...options, hashSeed: 8 });
    expect(() => Ring.diff(Ring.of([member], options), other)).toThrow(InvariantError);
  });
});
