import { ringPosition } from "../../src/core/record/host-keys.ts";
import { urlKey } from "../../src/core/record/url-keys.ts";
import type { CanonicalUrl } from "../../src/core/units.ts";
import { dedupeKey } from "../../src/core/url/dedupe-key.ts";
import { fingerprintOf } from "../../src/core/url/fingerprint.ts";
import { hostOf, siteOfHost } from "../../src/core/url/site-of.ts";

/** Key of what a disk says of a URL: of its record, or of why it is kept out. */
export function urlRowKey(
  tag: "url" | "exclusion",
  url: CanonicalUrl,
  space: number,
): Uint8Array<ArrayBuffer> {
  const words = fingerprintOf(dedupeKey(url, { normalizeQuery: true }));
  return urlKey(tag, ringPosition(siteOfHost(hostOf(url))), words, 0, space);
}
