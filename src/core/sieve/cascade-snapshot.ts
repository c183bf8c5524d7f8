/**
 * Bytes of a Bloom cascade: a header chunk, then each filter's bits in pieces, oldest filter first. Little-endian.
 *
 * Every chunk begins with a checksum of 8 bytes (XXH64 of the rest). The header's is seeded with the version, a piece's
 * with the header's checksum plus the piece's number: a piece that is missing, torn, out of order or of another
 * snapshot does not fit. A filter with missing bits would call known keys new, so anything amiss refuses the whole.
 *
 * The header: capacity and false-positive rate, then the number of keys in each filter, all as doubles.
 */
import { hash64Bytes } from "../hash/hash64.ts";
import type { BloomCascadeOptions } from "./bloom-cascade.ts";

/** One filter's part of a snapshot. */
export interface FilterState {
  readonly items: number;
  /** The filter's bits, to be put one after the other. */
  readonly pieces: readonly Uint8Array[];
}

/** Seeds the header's checksum. Another layout, or another way from a key to its bits, takes another number. */
const formatVersion = 1n;
const checksumBytes = 8;
const doubleBytes = 8;
/** Doubles before the keys of each filter. */
const fixedDoubles = 2;
/** Of a chunk with its checksum: large enough to be few, small enough for a database value. */
const chunkBytesMax = 256 * 1024;
const pieceBytesMax = chunkBytesMax - checksumBytes;
/** A first filter for one key, doubled as often as this, is larger than any memory. */
const filtersMax = 48;

function pieceSeed(headerChecksum: bigint, piece: number): bigint {
  return BigInt.asUintN(64, headerChecksum + BigInt(piece));
}

function viewOf(chunk: Uint8Array): DataView {
  return new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

/** A chunk with `body` after its checksum. */
function seal(body: Uint8Array, seed: bigint): Uint8Array {
  const chunk = new Uint8Array(checksumBytes + body.byteLength);
  chunk.set(body, checksumBytes);
  viewOf(chunk).setBigUint64(0, hash64Bytes(body, seed), true);
  return chunk;
}

function checksumOf(chunk: Uint8Array): bigint {
  return viewOf(chunk).getBigUint64(0, true);
}

/** What {@link seal} put into `chunk`; undefined when it is none or damaged. */
function unseal(chunk: Uint8Array | undefined, seed: bigint): Uint8Array | undefined {
  if (!chunk || chunk.byteLength < checksumBytes || chunk.byteLength > chunkBytesMax) {
    return undefined;
  }
  const body = chunk.subarray(checksumBytes);
  return hash64Bytes(body, seed) === checksumOf(chunk) ? body : undefined;
}

/** The chunks, made one by one as they are taken; `filters` are oldest first. */
export function* encodeSnapshot(
  options: BloomCascadeOptions,
  filters: readonly { readonly items: number; readonly bits: Uint8Array }[],
): Generator<Uint8Array, void, undefined> {
  const counts = filters.map(({ items }) => items);
  const doubles = [options.capacity, options.falsePositiveRate, ...counts];
  const body = new Uint8Array(doubles.length * doubleBytes);
  const view = viewOf(body);
  doubles.forEach((value, index) => {
    view.setFloat64(index * doubleBytes, value, true);
  });
  const header = seal(body, formatVersion);
  const headerChecksum = checksumOf(header);
  yield header;
  let piece = 0;
  for (const { bits } of filters) {
    for (let at = 0; at < bits.byteLength; at += pieceBytesMax) {
      yield seal(bits.subarray(at, at + pieceBytesMax), pieceSeed(headerChecksum, piece));
      piece++;
    }
  }
}

/** Keys in each filter, as a header tells them that was made with equal options. */
function decodeHeader(options: BloomCascadeOptions, body: Uint8Array): number[] | undefined {
  const doubles = body.byteLength / doubleBytes;
  const filters = doubles - fixedDoubles;
  if (!Number.isInteger(filters) || filters < 1 || filters > filtersMax) return undefined;
  const view = viewOf(body);
  if (view.getFloat64(0, true) !== options.capacity) return undefined;
  if (view.getFloat64(doubleBytes, true) !== options.falsePositiveRate) return undefined;
  const counts = Array.from({ length: filters }, (_, filter) =>
    view.getFloat64((fixedDoubles + filter) * doubleBytes, true),
  );
  return counts.every((count) => Number.isSafeInteger(count) && count >= 0) ? counts : undefined;
}

/**
 * The filters' states, oldest first; undefined unless `chunks` are one whole snapshot of a cascade with equal options.
 * `bitBytesOf` tells how many bytes the bits of a filter take. Nothing is allocated but views of `chunks`.
 */
export function decodeSnapshot(
  options: BloomCascadeOptions,
  bitBytesOf: (filter: number) => number,
  chunks: readonly Uint8Array[],
): FilterState[] | undefined {
  const [header, ...rest] = chunks;
  const body = unseal(header, formatVersion);
  const counts = body && decodeHeader(options, body);
  if (!header || !counts) return undefined;
  const headerChecksum = checksumOf(header);
  const states: FilterState[] = [];
  let piece = 0;
  for (const [filter, items] of counts.entries()) {
    const pieces: Uint8Array[] = [];
    for (let left = bitBytesOf(filter); left > 0; left -= pieceBytesMax) {
      const bits = unseal(rest[piece], pieceSeed(headerChecksum, piece));
      if (bits?.byteLength !== Math.min(left, pieceBytesMax)) return undefined;
      pieces.push(bits);
      piece++;
    }
    states.push({ items, pieces });
  }
  return piece === rest.length ? states : undefined;
}
