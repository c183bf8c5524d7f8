import { invariant } from "../errors.ts";
import type { CanonicalUrl } from "../units.ts";
import { dedupeKey } from "../url/dedupe-key.ts";
import { fingerprintWords, writeFingerprint } from "../url/fingerprint.ts";
import { noLinks, type PackedLinks } from "./parsed-page.ts";

/** A URL and what it is deduplicated by. */
export interface KeyedLink {
  readonly url: CanonicalUrl;
  readonly key: string;
}

/** Packs links in their order; that no key comes twice is the caller's business. */
export function packKeyedLinks(links: readonly KeyedLink[]): PackedLinks {
  if (links.length === 0) return noLinks;
  const ends = new Uint32Array(links.length);
  const fingerprints = new Uint32Array(links.length * fingerprintWords);
  let text = "";
  links.forEach(({ url, key }, index) => {
    text += url;
    ends[index] = text.length;
    writeFingerprint(key, fingerprints, index * fingerprintWords);
  });
  return { text, ends, fingerprints };
}

/** Packs URLs in their order, the first of those that share a dedupe key. */
export function packLinks(urls: Iterable<CanonicalUrl>, normalizeQuery: boolean): PackedLinks {
  const byKey = new Map<string, KeyedLink>();
  for (const url of urls) {
    const key = dedupeKey(url, { normalizeQuery });
    if (!byKey.has(key)) byKey.set(key, { url, key });
  }
  return packKeyedLinks([...byKey.values()]);
}

/** The URL at `index`. */
export function packedUrl(links: PackedLinks, index: number): CanonicalUrl {
  const end = links.ends[index];
  invariant(end !== undefined, "packedUrl: no such link");
  const start = index === 0 ? 0 : links.ends[index - 1];
  return links.text.slice(start, end) as CanonicalUrl;
}

/** All URLs, in order. */
export function unpackLinks(links: PackedLinks): CanonicalUrl[] {
  return Array.from(links.ends, (_, index) => packedUrl(links, index));
}
