import { describe, expect, it } from "vitest";
import type { RingMember } from "../../../../src/core/ring/member-tokens.ts";
import { Ring } from "../../../../src/core/ring/ring.ts";
import type { RingPosition } from "../../../../src/core/ring/ring-position.ts";
import type { MemberId } from "../../../../src/core/units.ts";
import { RingBook } from "../../../../src/peer/swarm/members/ring-book.ts";

const options = { virtualNodes: 16, hashSeed: 0 };

const swarm = (count: number): RingMember[] =>
  Array.from({ length: count }, (_, at) => ({ id: `peer-${at}` as MemberId, weight: 1 }));

function ownersIn(ring: Ring): (MemberId | undefined)[] {
  return Array.from({ length: 500 }, (_, at) => ring.ownerOf((at * 2 ** 43) as RingPosition));
}

describe("RingBook", () => {
  it("gives the same ring for the same members, in whatever order", () => {
    const book = new RingBook(options);
    const ring = book.ringOf(swarm(20));
    expect(book.ringOf(swarm(20).toReversed())).toBe(ring);
    expect(ring.members).toHaveLength(20);
  });

  it("gives another ring for another weight, or another member", () => {
    const book = new RingBook(options);
    const ring = book.ringOf(swarm(3));
    const heavier = book.ringOf(swarm(3).map((member) => ({ ...member, weight: 2 })));
    expect(heavier).not.toBe(ring);
    expect(heavier.weightOf("peer-1" as MemberId)).toBe(2);
    expect(book.ringOf(swarm(4)).members).toHaveLength(4);
  });

  it.each([1, 5, 30])("makes one that differs in %i members as if from nothing", (differing) => {
    const book = new RingBook(options);
    const base = book.ringOf(swarm(40));
    const members = swarm(40).slice(differing);
    expect(ownersIn(book.ringOf(members, base))).toEqual(ownersIn(Ring.of(members, options)));
  });

  it("remembers the rings of large swarms no longer than their memory allows, but two", () => {
    const book = new RingBook({ virtualNodes: 2 ** 16, hashSeed: 0 });
    const first = book.ringOf(swarm(15));
    const later = [16, 17, 18].map((count) => book.ringOf(swarm(count), first));
    for (const [at, ring] of later.entries()) expect(book.ringOf(swarm(16 + at))).toBe(ring);
    expect(book.ringOf(swarm(15), later[0])).not.toBe(first);
    const large = new RingBook({ virtualNodes: 2 ** 16, hashSeed: 0 });
    const one = large.ringOf(swarm(40));
    const other = large.ringOf(swarm(41), one);
    expect(large.ringOf(swarm(40))).toBe(one);
    expect(large.ringOf(swarm(41))).toBe(other);
  });

  it("leaves out the heaviest where a ring has no room for all, whoever tells of them first", () => {
    const wide = { virtualNodes: 2 ** 20, hashSeed: 0 };
    const ghosts = [1, 2, 3].map((at) => ({ id: `ghost-${at}` as MemberId, weight: 8 }));
    const members = [...ghosts, ...swarm(2)];
    const ring = new RingBook(wide).ringOf(members);
    expect(ring.members).toEqual(swarm(2).map(({ id }) => id));
    expect(new RingBook(wide).ringOf(members.toReversed()).members).toEqual(ring.members);
    expect(ring.weight).toBe(2);
  });
});
