import { tagOf } from "../record/key-tags.ts";
import { tagRange } from "../record/key-ranges.ts";

/**
 * The kinds of rows that name a URL, in the order in which a URL moves from one to the other: a list that goes through them
 * in this order meets each URL at least once, whatever becomes of it meanwhile.
 */
export const listedTags = Object.freeze(["exclusion", "queue", "url"] as const);

export type ListedTag = (typeof listedTags)[number];

/** A URL as a list meets it. */
export interface ListedUrl {
  readonly url: string;
  /** Of the row that names it; of a row that names several, with its place there behind. */
  readonly key: Uint8Array;
}

/** Bytes of the longest key, and of the one that follows it. */
const keyBytesMax = 40;

/** Where a list begins. */
export const firstListKey: Uint8Array = tagRange(listedTags[0]).gte;

/** The kind of row at which a list stands; nothing for a key of another kind. */
export function listedTagOf(key: Uint8Array): ListedTag | undefined {
  const tag = tagOf(key);
  return listedTags.find((one) => one === tag);
}

/** Where a list goes on behind all rows of the kind; nothing behind the last. */
export function keyBehind(tag: ListedTag): Uint8Array | undefined {
  const next = listedTags[listedTags.indexOf(tag) + 1];
  return next && tagRange(next).gte;
}

/** A key as a text, of characters that a URL's query may have as they are. */
export function encodeListKey(key: Uint8Array): string {
  return Array.from(key, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The key in an {@link encodeListKey}; nothing in any other text. */
export function decodeListKey(text: string): Uint8Array | undefined {
  if (text.length > 2 * keyBytesMax || !/^(?:[\da-f]{2})+$/.test(text)) return undefined;
  const bytes = text.match(/../g) ?? [];
  const key = Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16));
  return listedTagOf(key) === undefined ? undefined : key;
}
