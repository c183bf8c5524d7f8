/*
 * Numbers inside keys, big-endian. They are written byte by byte, not through a DataView: asking a small array for its
 * buffer moves its bytes off the heap, some 300 bytes more for each key, and the frontier holds many.
 */

/** A 64-bit number and, on the little-endian machines that Node.js runs on, its low and high half. */
const wide = new BigUint64Array(1);
const wideHalves = new Uint32Array(wide.buffer);

export function putUint32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}

export function putUint64(bytes: Uint8Array, at: number, value: bigint): void {
  wide[0] = value;
  putUint32(bytes, at, wideHalves[1] ?? 0);
  putUint32(bytes, at + 4, wideHalves[0] ?? 0);
}

/** A count of up to 2^53. */
export function putCount(bytes: Uint8Array, at: number, value: number): void {
  putUint32(bytes, at, Math.floor(value / 2 ** 32));
  putUint32(bytes, at + 4, value % 2 ** 32);
}

/** A loop, since a view of so few bytes costs more than they do. */
export function copy(
  from: Uint8Array,
  start: number,
  end: number,
  to: Uint8Array,
  at: number,
): void {
  for (let index = start; index < end; index += 1) to[at + index - start] = from[index] ?? 0;
}

export function getUint32(bytes: Uint8Array, at: number): number {
  const [a = 0, b = 0, c = 0, d = 0] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
  return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
}

export function getCount(bytes: Uint8Array, at: number): number {
  return getUint32(bytes, at) * 2 ** 32 + getUint32(bytes, at + 4);
}
