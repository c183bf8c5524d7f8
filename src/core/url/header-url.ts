import type { CanonicalUrl } from "../units.ts";
import { canonicalizeUrl } from "./canonicalize-url.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * The canonical form of a URL that stands in a header field, where each character is a byte of the wire.
 *
 * Many servers send a path unescaped, and then mostly as UTF-8, which is how browsers read it. Bytes that are not UTF-8 are
 * read as ISO-8859-1, what they are in a header by its history (RFC 9110, section 5.5).
 */
export function canonicalizeHeaderUrl(value: string, base: string): CanonicalUrl | undefined {
  return canonicalizeUrl(textOf(value), base);
}

function textOf(value: string): string {
  if (!/[\x80-\xff]/.test(value)) return value;
  try {
    return utf8.decode(Uint8Array.from(value, (character) => character.charCodeAt(0)));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return value;
  }
}
