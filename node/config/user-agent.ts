import type { SettingValues } from "./settings.ts";

/** Longest User-Agent value: long enough for a product, a version and a page about the crawler. */
export const userAgentCharactersMax = 256;

/** RFC 9110, section 10.1.5: a product token, perhaps a version, perhaps comments and more products. */
const product = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+(\/[A-Za-z0-9!#$%&'*+.^_`|~-]+)?( [\x20-\x7e]+)?$/;

/**
 * Whether a User-Agent value is honest and well-formed. What begins as a browser's does is refused: a site's operator
 * must be able to tell who asks, and to write robots.txt rules for it.
 */
export function isSoundUserAgent(value: string): boolean {
  return (
    value.length <= userAgentCharactersMax &&
    product.test(value) &&
    !/^(?:mozilla|opera)(?:\/|$)/i.test(value)
  );
}

/** A page about the crawler or an address to write to. */
export function isSoundContact(value: string): boolean {
  if (value.length > 128 || /[()\s]|[^\x21-\x7e]/.test(value)) return false;
  return /^https?:\/\/[^/]+\.?[^/]*/.test(value) || /^(mailto:)?[^@:/]+@[^@:/]+$/.test(value);
}

/** The complete value: the product, and in brackets whom to turn to. */
export function userAgentOf(
  version: string,
  { userAgent, contact }: { readonly userAgent?: string; readonly contact?: string },
): string {
  const name = userAgent ?? `orbweaver/${version}`;
  return contact === undefined || name.includes(contact) ? name : `${name} (+${contact})`;
}

/** A line for who crawls the web without saying who it is; nothing where that is said, or where only one's own hosts may be meant. */
export function contactNote(values: SettingValues): string | undefined {
  const isNamed = values.contact !== undefined || /@|https?:\/\//.test(values["user-agent"] ?? "");
  if (isNamed || values["allow-private"] === true) return undefined;
  return "note: no --contact is set; with a page or mail address, operators can write to you before they block the crawler\n";
}
