import type { RingMember } from "../../../src/core/ring/member-tokens.ts";
import { defaultRingOptions } from "../../../src/core/ring/ring-options.ts";
import { circle, type RingPosition } from "../../../src/core/ring/ring-position.ts";
import { Ring } from "../../../src/core/ring/ring.ts";
import type { MemberId } from "../../../src/core/units.ts";

/** Copies of each arc, as swarms have by default. */
export const replicas = 2;

/** Member `n` of a set of names. */
export function memberOf(set: number, n: number): RingMember {
  return { id: `peer-${set}-${n}` as MemberId, weight: 1 };
}

export function ringOf(set: number, members: number): Ring {
  const all = Array.from({ length: members }, (_, n) => memberOf(set, n));
  return Ring.of(all, defaultRingOptions);
}

/** Positions spread over the circle by Knuth's multiplicative hash, so that neighbours in time are none in memory. */
export function spreadPositions(count: number): RingPosition[] {
  return Array.from(
    { length: count },
    (_, i) => (((i * 2_654_435_761) % 2 ** 32) * (circle / 2 ** 32)) as RingPosition,
  );
}
