import type { CanonicalUrl } from "../units.ts";
import { canonicalizeUrl } from "./canonicalize-url.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * The canonical form of the URL in a `Location` field, where each character is a byte of the wire.
 *
 * Many servers send a path unescaped. Clients ask for the very bytes, escaped: UTF-8 or not, the server knows its own paths
 * by them (github.com/whatwg/fetch, issue 883).
 */
export function canonicalizeLocation(value: string, base: string): CanonicalUrl | undefined {
  return canonicalizeUrl(escapedBytes(value), base);
}

/** `text`, of which each character is a byte, in ASCII: what is beyond it is escaped. */
export function escapedBytes(text: string): string {
  return text.replace(
    /[\x80-\xff]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * The canonical form of a URL that stands in a `Refresh` or `Link` field, where each character is a byte of the wire.
 *
 * What is UTF-8 is read as that. Other bytes are read as ISO-8859-1, what they are in a header by its history (RFC 9110,
 * section 5.5), and to browsers in this one.
 */
export function canonicalizeFieldUrl(value: string, base: string): CanonicalUrl | undefined {
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
