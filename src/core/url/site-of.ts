import { getDomain } from "tldts";
import { invariant } from "../errors.ts";
import { ownText } from "../text/own-text.ts";
import type { CanonicalUrl, HostName, OriginName, SiteName } from "../units.ts";
import { canonicalizeUrl } from "./canonicalize-url.ts";

/** Hosts come from canonical URLs, so nothing of them is to be extracted or validated again. */
const suffixOptions = {
  allowPrivateDomains: true,
  extractHostname: false,
  validateHostname: false,
} as const;

/**
 * The site of a host: its registrable domain by the Public Suffix List, private section included; the host itself where
 * there is none (an IP literal, a public suffix, a name without a dot).
 *
 * The private section counts, because pages of two customers of one hosting firm are no more related than those of two
 * customers of one registry, and one peer could not own all of them.
 */
export function siteOfHost(host: HostName): SiteName {
  const domain: string = getDomain(host, suffixOptions) ?? host;
  return domain as SiteName;
}

/** The site of any http(s) URL, canonical or not; anything else is a bug of the caller. */
export function siteOf(url: string): SiteName {
  const canonical = canonicalizeUrl(url);
  invariant(canonical !== undefined, "siteOf: not an http(s) URL");
  return siteOfHost(hostOf(canonical));
}

/** The host of a canonical URL, by its form alone: nothing is parsed. */
export function hostOf(url: CanonicalUrl): HostName {
  const start = authorityStart(url);
  const end = url.indexOf("/", start);
  const portStart = url.indexOf(":", hostSearchStart(url, start));
  return url.slice(start, portStart !== -1 && portStart < end ? portStart : end) as HostName;
}

/** The origin of a canonical URL, by its form alone; what is remembered of it keeps none of the URL alive. */
export function originOf(url: CanonicalUrl): OriginName {
  return ownText(url.slice(0, url.indexOf("/", authorityStart(url)))) as OriginName;
}

/** Where the path of a canonical URL starts. */
export function pathStartOf(url: CanonicalUrl): number {
  return url.indexOf("/", authorityStart(url));
}

function authorityStart(url: CanonicalUrl): number {
  return url.charCodeAt(4) === 0x73 ? 8 : 7;
}

/** Past the brackets of an IPv6 literal, whose colons are no port's. */
function hostSearchStart(url: CanonicalUrl, start: number): number {
  return url.charCodeAt(start) === 0x5b ? url.indexOf("]", start) : start;
}
