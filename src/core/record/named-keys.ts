import { getCount, putCount } from "./key-bytes.ts";
import { newKey, type Key } from "./key-tags.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Key of a row that is named by a text. */
export function namedKey(
  tag: "meta" | "job" | "counts" | "pagesHeard" | "pastTotals" | "digest",
  name: string,
): Key {
  const text = encoder.encode(name);
  const bytes = newKey(tag, 1 + text.length);
  bytes.set(text, 1);
  return bytes;
}

/** Name inside a {@link namedKey}. */
export function nameOfKey(row: Uint8Array): string {
  return decoder.decode(row.subarray(1));
}

/** Key of a row that is named by a number, in the order of the numbers. Length 9. */
export function numberedKey(tag: "sieveLog" | "sieveSnapshot", sequence: number): Key {
  const bytes = newKey(tag, 9);
  putCount(bytes, 1, sequence);
  return bytes;
}

/** Number inside a {@link numberedKey}. */
export function numberOfKey(row: Uint8Array): number {
  return getCount(row, 1);
}
