import { admittedUrlBytesMax } from "../url/canonicalize-url.ts";
import { ArcSet } from "../ring/arc-set.ts";
import type { Millis } from "../units.ts";

/** Bytes of a request or a reply, at most. */
export const payloadBytesMax = 4 * 1_024 * 1_024;

/** Characters of a sentence for people, at most. */
const sentenceCharactersMax = 1_000;

/** Bytes of one bound: 53 bits, since an arc may end at 2^52. */
const boundBytes = 7;

/**
 * What `decode` makes of a payload; nothing when it is too long or no message of its kind.
 *
 * A decoder throws only at malformed bytes, in whichever way the protobuf runtime does (a range, a length, a nesting
 * too deep for the stack), so whatever it throws is that.
 */
export function decodePayload<T>(
  payload: Uint8Array,
  decode: (payload: Uint8Array) => T,
  bytesMax = payloadBytesMax,
): T | undefined {
  if (payload.length > bytesMax) return undefined;
  try {
    return decode(payload);
  } catch {
    return undefined;
  }
}

/** All of `items` as `read` reads them; nothing when one of them is none. */
export function readAll<T, U>(
  items: readonly T[],
  read: (item: T, index: number) => U | undefined,
): U[] | undefined {
  const results: U[] = [];
  for (const [index, item] of items.entries()) {
    const result = read(item, index);
    if (result === undefined) return undefined;
    results.push(result);
  }
  return results;
}

/** A set of positions, as its bounds. */
export function encodeArcs(arcs: ArcSet): Uint8Array<ArrayBuffer> {
  const bounds = arcs.toBounds();
  const bytes = new Uint8Array(bounds.length * boundBytes);
  const view = new DataView(bytes.buffer);
  bounds.forEach((bound, index) => {
    const at = index * boundBytes;
    const high = Math.floor(bound / 2 ** 32);
    view.setUint8(at, high >>> 16);
    view.setUint16(at + 1, high & 0xffff);
    view.setUint32(at + 3, bound >>> 0);
  });
  return bytes;
}

export function decodeArcs(bytes: Uint8Array): ArcSet | undefined {
  if (bytes.length % boundBytes !== 0) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const bounds = new Float64Array(bytes.length / boundBytes);
  for (let index = 0; index < bounds.length; index += 1) {
    const at = index * boundBytes;
    const high = view.getUint8(at) * 2 ** 16 + view.getUint16(at + 1);
    bounds[index] = high * 2 ** 32 + view.getUint32(at + 3);
  }
  return ArcSet.fromBounds(bounds);
}

/** A number of things, or a run of a member. */
export function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/** A moment on another peer's clock. */
export function isMoment(value: Millis): boolean {
  return Number.isFinite(value) && value >= 0;
}

/** Canonical URLs are ASCII; one byte a character, and nothing that could disturb a log or a terminal. */
const visible = /^[\x21-\x7e]+$/;
const visibleOrSpace = /^[\x20-\x7e]*$/;

/** Visible, and no longer than a job may let in; whether it is canonical is for its receiver to see. */
export function isUrlText(value: unknown): value is string {
  return typeof value === "string" && value.length <= admittedUrlBytesMax && visible.test(value);
}

export function isSentence(text: string): boolean {
  return text.length <= sentenceCharactersMax && visibleOrSpace.test(text);
}
