import { positionOf } from "../core/ring/ring-position.ts";
import type { RingPosition } from "../core/ring/ring-position.ts";
import type { CanonicalUrl, HostName } from "../core/units.ts";
import { hostOf, pathStartOf, siteOfHost } from "../core/url/site-of.ts";

/** Hosts remembered: the links of a crawl name few hosts again and again. */
const hostsMax = 65_536;

/** Where the sites of URLs stand on the ring, remembered by host. */
export class SitePositions {
  readonly #positions = new Map<HostName, RingPosition>();
  /** The last URL's origin, with what ends it: most links of a page lead to one host. */
  #lastOrigin = "";
  #lastPosition = 0 as RingPosition;

  of(url: CanonicalUrl): RingPosition {
    if (this.#lastOrigin !== "" && url.startsWith(this.#lastOrigin)) return this.#lastPosition;
    this.#lastPosition = this.#ofHost(hostOf(url));
    this.#lastOrigin = url.slice(0, pathStartOf(url) + 1);
    return this.#lastPosition;
  }

  #ofHost(host: HostName): RingPosition {
    const known = this.#positions.get(host);
    if (known !== undefined) return known;
    if (this.#positions.size >= hostsMax) this.#positions.clear();
    const position = positionOf(siteOfHost(host));
    this.#positions.set(host, position);
    return position;
  }
}
