import { hash64 } from "../hash/hash64.ts";
import { invariant } from "../errors.ts";
import type { MemberId } from "../units.ts";
import type { RingOptions } from "./ring-options.ts";

/** A member as the ring sees it: its part of the load is its weight's part of all weights. */
export interface RingMember {
  readonly id: MemberId;
  readonly weight: number;
}

/** Lowest weight of a member: 256 tokens with the default options, so within about 6% of its due. */
export const ringWeightMin = 1 / 16;

/** Highest weight of a member: bounds the memory that one member's claim can cost every other. */
export const ringWeightMax = 16;

/** Whether a weight that another member claims may go on the ring. */
export function isRingWeight(weight: number): boolean {
  return weight >= ringWeightMin && weight <= ringWeightMax;
}

/**
 * The tokens of a member, sorted: 32-bit numbers, in proportion to its weight.
 *
 * Consistent hashing with virtual nodes (Karger et al. 1997, section 4; DeCandia et al. 2007, section 4.2). A 64-bit hash
 * of the id and a number gives two tokens. The tokens of a lower weight are among those of a higher one, so that a
 * change of weight moves no more than it must.
 */
export function tokensOf({ id, weight }: RingMember, options: RingOptions): Uint32Array {
  invariant(isRingWeight(weight), "a member's weight is checked before it goes on the ring");
  const count = Math.max(1, Math.round(options.virtualNodes * weight));
  const seed = BigInt(options.hashSeed);
  const hashes = new BigUint64Array(Math.ceil(count / 2));
  for (let i = 0; i < hashes.length; i += 1) hashes[i] = hash64(`${id}#${i}`, seed);
  return new Uint32Array(hashes.buffer).subarray(0, count).sort();
}
