import { ringPosition } from "../core/record/host-keys.ts";
import { positionOfHash } from "../core/ring/ring-position.ts";
import type { RingPosition } from "../core/ring/ring-position.ts";
import { ownText } from "../core/text/own-text.ts";
import type { CanonicalUrl, HostName, SiteName } from "../core/units.ts";
import { hostOf, pathStartOf, siteOfHost } from "../core/url/site-of.ts";

/** A host's site, and where that stands. */
export interface HostPlace {
  readonly host: HostName;
  readonly site: SiteName;
  readonly position: RingPosition;
  /** The same with all of its bits, as the site's keys have it. */
  readonly keyPosition: bigint;
}

/** Hosts remembered: the links of a crawl name few hosts again and again. */
const hostsMax = 32_768;

/** The places of URLs' hosts, remembered: to find a site in the Public Suffix List takes longer than all else of it. */
export class HostPlaces {
  readonly #places = new Map<HostName, HostPlace>();
  /** The last URL's origin, with what ends it, and its place: most links of a page lead to one host. */
  #last: { readonly origin: string; readonly place: HostPlace } | undefined;

  of(url: CanonicalUrl): HostPlace {
    if (this.#last && url.startsWith(this.#last.origin)) return this.#last.place;
    const place = this.#ofHost(hostOf(url));
    this.#last = { origin: url.slice(0, pathStartOf(url) + 1), place };
    return place;
  }

  #ofHost(name: HostName): HostPlace {
    const known = this.#places.get(name);
    if (known !== undefined) return known;
    if (this.#places.size >= hostsMax) this.#places.clear();
    // It is cut out of all links of a page, and outlives them: here, and in the frontier.
    const host = ownText(name) as HostName;
    const site = siteOfHost(host);
    const keyPosition = ringPosition(site);
    const place = { host, site, position: positionOfHash(keyPosition), keyPosition };
    this.#places.set(host, place);
    return place;
  }
}
