import { getUint32, putUint32 } from "../../src/core/record/key-bytes.ts";
import type { CanonicalUrl } from "../../src/core/units.ts";
import { canonicalizeUrl } from "../../src/core/url/canonicalize-url.ts";
import { hostOf, pathStartOf } from "../../src/core/url/site-of.ts";
import { escapePath } from "../sample-web/link-markup.ts";
import type { SampleTarget, SampleWeb } from "../sample-web/sample-web.ts";
import { draw } from "../sample-web/site-layout.ts";
import { trapEntries, trapLinks, trapOf } from "../sample-web/site-traps.ts";

/** What the virtual server says of a page, before chance and rules have a word in it. */
export interface VirtualPage {
  readonly status: number;
  /** Name, value, name, value. */
  readonly headers: readonly string[];
  readonly body: Uint8Array<ArrayBuffer>;
  readonly delayMs: number;
  readonly resets: boolean;
  /** The first `hits` requests get this status and Retry-After instead. */
  readonly throttle?: { readonly status: 429 | 503; readonly hits: number };
}

/** A link of a page. */
export interface VirtualLink {
  readonly url: CanonicalUrl;
  readonly nofollow: boolean;
}

/** What a body leads to. */
export interface VirtualContent {
  readonly links: readonly VirtualLink[];
  readonly noindex: boolean;
  readonly nofollow: boolean;
}

/** First byte of a body: what the rest of it is. */
const bodyTag = { page: 1, trap: 2, text: 3 } as const;
const pageBodyBytes = 9;
/** Origins whose names are kept, since a name costs more to make than the rest of a URL. */
const originsMax = 65_536;
const redirectStatuses = [301, 302, 303, 307, 308];
const html: readonly string[] = ["content-type", "text/html"];
const noContent: VirtualContent = { links: [], noindex: false, nofollow: false };

/**
 * The sample web without its HTML: bodies of a few bytes that say which page they are, and links straight from the true
 * graph. So a page costs microseconds, and a million of them no memory.
 *
 * Spellings and session ids, which are matters of markup, are left out; what links to what, and what a server answers,
 * is the sample web's.
 */
export class VirtualPages {
  readonly web: SampleWeb;
  readonly #origins = new Map<number, string>();

  constructor(web: SampleWeb) {
    this.web = web;
  }

  urlAt(site: number, index: number): CanonicalUrl {
    const { names, options } = this.web;
    const host = names.hostOf(site, index);
    const number = host.site * options.hostsPerSite + host.label;
    let origin = this.#origins.get(number);
    if (origin === undefined) {
      if (this.#origins.size >= originsMax) this.#origins.clear();
      origin = this.web.originOf(host);
      this.#origins.set(number, origin);
    }
    return (origin + escapePath(names.pathOf(site, index))) as CanonicalUrl;
  }

  locate(url: CanonicalUrl): SampleTarget {
    return this.web.locate(hostOf(url), url.slice(pathStartOf(url)));
  }

  page(target: SampleTarget, url: CanonicalUrl): VirtualPage {
    switch (target.kind) {
      case "page":
        return this.#sitePage(target.site, target.index);
      case "robots": {
        const { status, headers, body } = this.web.pageAt(target, "/robots.txt");
        return answer(status, headers.flat(), new Uint8Array(body));
      }
      case "trap":
        return answer(200, html, textBody(bodyTag.trap, url.slice(pathStartOf(url))));
      case "nothing":
        return answer(404, html, textBody(bodyTag.text, "none"));
    }
  }

  /** What a body says that was found at `url`. */
  content(body: Uint8Array, url: CanonicalUrl): VirtualContent {
    if (body[0] === bodyTag.trap) return this.#trapContent(body, url);
    if (body[0] !== bodyTag.page || body.length !== pageBodyBytes) return noContent;
    const [site, index] = [getUint32(body, 1), getUint32(body, 5)];
    const { layout } = this.web;
    const links: VirtualLink[] = [];
    layout.links(site, index, (toSite, to, via) => {
      links.push({ url: this.urlAt(toSite, to), nofollow: via === "nofollow" });
    });
    if (index === 0 && layout.hasTraps(site)) {
      for (const entry of trapEntries) links.push(...followed(entry, url));
    }
    const isUnindexed = layout.kindOf(site, index) === "unindexed";
    return { links, noindex: isUnindexed, nofollow: isUnindexed };
  }

  #sitePage(site: number, index: number): VirtualPage {
    const { layout, options } = this.web;
    const kind = layout.kindOf(site, index);
    switch (kind) {
      case "missing":
        return answer(404, html, textBody(bodyTag.text, "missing"));
      case "failing":
        return answer(500, html, textBody(bodyTag.text, "failing"));
      case "reset":
        return { ...answer(500, html, textBody(bodyTag.text, "reset")), resets: true };
      case "redirect":
      case "loop":
        return this.#redirect(site, index);
      case "other": {
        const [, contentType] = this.web.names.otherType(site, index);
        const text = textBody(bodyTag.text, `${site} ${index}`);
        return answer(200, ["content-type", contentType], text);
      }
      case "slow":
        return { ...this.#htmlPage(site, index), delayMs: options.slowMs };
      case "throttled":
      case "unavailable": {
        const status = kind === "throttled" ? 429 : 503;
        const throttle = { status, hits: options.throttleHits } as const;
        return { ...this.#htmlPage(site, index), throttle };
      }
      case "ordinary":
      case "duplicate":
      case "ruled":
      case "unindexed":
      case "nofollowed":
      case "orphan":
        return this.#htmlPage(site, index);
    }
  }

  #htmlPage(site: number, index: number): VirtualPage {
    const { layout, options } = this.web;
    const etag = `"${options.seed}-${layout.idOf(site, index)}"`;
    const body = pageBody(site, layout.originalOf(site, index));
    return answer(200, ["content-type", "text/html", "etag", etag], body);
  }

  #redirect(site: number, index: number): VirtualPage {
    const { layout } = this.web;
    let location = "/";
    layout.links(site, index, (toSite, to) => {
      location = this.urlAt(toSite, to);
    });
    const pick = layout.draw(site, index, draw.status) % redirectStatuses.length;
    const headers = ["content-type", "text/html", "location", location];
    return answer(redirectStatuses[pick] ?? 302, headers, textBody(bodyTag.text, "moved"));
  }

  #trapContent(body: Uint8Array, url: CanonicalUrl): VirtualContent {
    const path = new TextDecoder().decode(body.subarray(1));
    const trap = trapOf(path);
    if (trap === undefined) return noContent;
    const links = trapLinks(trap, path).flatMap((reference) => followed(reference, url));
    return { links, noindex: false, nofollow: false };
  }
}

function followed(reference: string, base: string): VirtualLink[] {
  const url = canonicalizeUrl(reference, base);
  return url === undefined ? [] : [{ url, nofollow: false }];
}

function answer(
  status: number,
  headers: readonly string[],
  body: Uint8Array<ArrayBuffer>,
): VirtualPage {
  return { status, headers, body, delayMs: 0, resets: false };
}

function pageBody(site: number, index: number): Uint8Array<ArrayBuffer> {
  const body = new Uint8Array(pageBodyBytes);
  body[0] = bodyTag.page;
  putUint32(body, 1, site);
  putUint32(body, 5, index);
  return body;
}

function textBody(tag: number, text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([tag, ...new TextEncoder().encode(text)]);
}
