import type { Millis } from "../units.ts";

/**
 * How the rows of one tag merge.
 *
 * Invariant: `join` is commutative, associative and idempotent over what `read` returns, and equal rows are written as
 * equal bytes.
 */
export interface RowLattice<T> {
  /** The row in its normal form; nothing when the bytes are no row of this tag, or break its bounds. */
  read(value: Uint8Array): T | undefined;
  join(one: T, other: T): T;
  /** The row as a clock that is `byMs` ahead would have had it written; for one that is timed by its writer's clock. */
  readonly shift?: (row: T, byMs: Millis) => T;
  write(row: T): Uint8Array<ArrayBuffer>;
}

/** What `decode` makes of bytes from outside, at most `bytesMax` of them; nothing when it throws. */
export function decodeWithin<T>(
  value: Uint8Array,
  bytesMax: number,
  decode: (value: Uint8Array) => T,
): T | undefined {
  if (value.length > bytesMax) return undefined;
  try {
    return decode(value);
  } catch {
    // Whatever a decoder throws at bytes that a stranger chose says one thing: they are not what they should be.
    return undefined;
  }
}

/** Bytes of a row, at most, unless its tag says otherwise: a record with the longest URLs, title and header fields. */
export const rowBytesMax = 512 * 1_024;
