import type { EncodingName } from "./encoding-label.ts";

/** The encoding that a document's first bytes name, beyond doubt where they do. */
export function byteOrderMark(bytes: Uint8Array): EncodingName | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  return undefined;
}
