import { hash64 } from "../hash/hash64.ts";
import { invariant } from "../errors.ts";
import { getUint32, putUint32 } from "../record/key-bytes.ts";
import type { Brand, SiteName } from "../units.ts";

/**
 * A point of the ring: the high 52 bits of a 64-bit hash, an integer in [0, 2^52).
 *
 * Database keys hold all 8 bytes of the hash; the ring leaves out the lowest 12 bits so that a point is exact in a double
 * and the ring's arithmetic needs no BigInt. The end of an arc, which is not part of it, may also be {@link circle}.
 */
export type RingPosition = Brand<number, "RingPosition">;

/** Length of the ring: the end of the arc that reaches the highest position. */
export const circle = (2 ** 52) as RingPosition;

/**
 * The positions `from <= position < to`, where 0 <= from < to <= 2^52. What passes 0 is two arcs, so that an arc is always
 * one range of keys within each tag: from `keyPrefixOf(from)` to `keyPrefixOf(to)`, or to the tag's end.
 */
export interface Arc {
  readonly from: RingPosition;
  readonly to: RingPosition;
}

/** The bits of a hash's low half that are part of a position: 20 of 32. */
const lowBits = 20;
const lowSpan = 2 ** lowBits;

/** A 64-bit number and, on the little-endian machines that Node.js runs on, its low and high half. */
const wide = new BigUint64Array(1);
const wideHalves = new Uint32Array(wide.buffer);

function positionFrom(high: number, low: number): RingPosition {
  return (high * lowSpan + (low >>> (32 - lowBits))) as RingPosition;
}

export function positionOfHash(hash: bigint): RingPosition {
  wide[0] = hash;
  return positionFrom(wideHalves[1] ?? 0, wideHalves[0] ?? 0);
}

/** Where a site stands: what its database keys begin with behind their tag. */
export function positionOf(site: SiteName): RingPosition {
  return positionOfHash(hash64(site));
}

/** The position in a database key: its 8 bytes behind the tag. */
export function positionOfKey(key: Uint8Array): RingPosition {
  invariant(key.length >= 9, "a site's key holds 8 bytes of position");
  return positionFrom(getUint32(key, 1), getUint32(key, 5));
}

/** The lowest 8 bytes that a key of this position can hold. {@link circle} has none: no key is that high. */
export function keyPrefixOf(position: RingPosition): Uint8Array<ArrayBuffer> {
  invariant(position >= 0 && position < circle, "only a position below the circle's end has a key");
  const prefix = new Uint8Array(8);
  putUint32(prefix, 0, Math.floor(position / lowSpan));
  putUint32(prefix, 4, (position % lowSpan) << (32 - lowBits));
  return prefix;
}
