import type { LinkPlace } from "./link-markup.ts";
import { basePath, escapePath, hrefOf, markupOf } from "./link-markup.ts";
import type { PageCharset } from "./page-body.ts";
import { BodyWriter, foreignWord, pageCharsets } from "./page-body.ts";
import type { PageKind, SampleWebOptions } from "./sample-web-options.ts";
import { sampleWebProblems } from "./sample-web-options.ts";
import type { LinkVia } from "./site-layout.ts";
import { draw, fraction, SiteLayout } from "./site-layout.ts";
import type { SampleHost } from "./site-names.ts";
import { SiteNames } from "./site-names.ts";
import type { TrapName } from "./site-traps.ts";
import { trapEntries, trapLinks, trapOf } from "./site-traps.ts";

/** What a request's host, path and query name. */
export type SampleTarget =
  | {
      readonly kind: "page";
      readonly site: number;
      readonly index: number;
      /** Number of the page in the whole web. */
      readonly id: number;
    }
  | { readonly kind: "robots"; readonly host: SampleHost }
  | { readonly kind: "trap"; readonly trap: TrapName; readonly host: SampleHost }
  /** Not in the web, and linked from nowhere in it. */
  | { readonly kind: "nothing" };

export type ContentCoding = "gzip" | "br" | "zstd";

/** What the server answers for a URL, before content and transfer coding. */
export interface SamplePage {
  readonly status: number;
  /** Names in lower case; without content-length, content-encoding and transfer-encoding. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array<ArrayBuffer>;
  /** Coding in which the body is sent to a client that accepts it. */
  readonly coding?: ContentCoding;
  readonly chunked: boolean;
  readonly delayMs: number;
  /** The connection is reset instead of an answer. */
  readonly resets: boolean;
  /** The first `hits` requests get this status and Retry-After instead. */
  readonly throttle?: {
    readonly status: 429 | 503;
    readonly hits: number;
    readonly retryAfterSeconds: number;
  };
}

/** A link as the web means it, whatever its spelling in the page. */
export interface SampleLink {
  readonly id: number;
  readonly via: LinkVia;
}

/** What the robots.txt of a host says. */
export interface SampleRobots {
  readonly kind: "rules" | "missing" | "failing";
  readonly crawlDelaySeconds?: number;
}

const codings: readonly ContentCoding[] = ["gzip", "br", "zstd"];
const redirectStatuses = [301, 302, 303, 307, 308] as const;
const httpPort = 80;
const lastModified = "Thu, 01 Jan 2026 00:00:00 GMT";
const notFound = Buffer.from("<!DOCTYPE html><title>Not found</title><p>No such page.\n");
const failed = Buffer.from("<!DOCTYPE html><title>Failed</title><p>Broken for ever.\n");
const moved = Buffer.from("<!DOCTYPE html><title>Moved</title><p>Elsewhere.\n");
/** `/private/open/` is the first of the three places of ruled pages that may be fetched. */
const robotsRules = "Disallow: /private/\nAllow: /private/open/\nDisallow: /*.tmp$\n";

/**
 * A synthetic web: every page a pure function of its URL, the options and the port.
 *
 * The model is BUbiNG's RandomNamedGraphServer (Boldi et al. 2018): a page's links and bytes follow from the hash of
 * its site and its number in the URL, so a million pages cost no memory, and the true graph can be computed without
 * fetching anything. {@link SiteLayout} decides what links to what, {@link SiteNames} what it is called, this class
 * what is sent.
 *
 * Invariant: two instances with equal options and port give equal bytes for every URL.
 */
export class SampleWeb {
  readonly options: SampleWebOptions;
  readonly port: number;
  readonly layout: SiteLayout;
  readonly names: SiteNames;
  readonly #bodies: BodyWriter;

  constructor(options: SampleWebOptions, port: number) {
    const problems = sampleWebProblems(options);
    if (problems.length > 0) throw new RangeError(`sample web: ${problems.join("; ")}`);
    this.options = options;
    this.port = port;
    this.layout = new SiteLayout(options);
    this.names = new SiteNames(options, this.layout);
    this.#bodies = new BodyWriter(options);
  }

  /** URL of the root of a site: from there its whole tree is reachable. */
  rootUrl(site: number): string {
    return this.urlOf(this.layout.idOf(site, 0));
  }

  /** Roots of all sites. */
  rootUrls(): string[] {
    return Array.from({ length: this.options.sites }, (_, site) => this.rootUrl(site));
  }

  /** Canonical URL of a page. */
  urlOf(id: number): string {
    const { site, index } = this.layout.placeOf(id);
    const origin = this.originOf(this.names.hostOf(site, index));
    return origin + escapePath(this.names.pathOf(site, index));
  }

  originOf(host: SampleHost): string {
    const name = this.names.hostName(host);
    return this.port === httpPort ? `http://${name}` : `http://${name}:${this.port}`;
  }

  /** What `path` (with its query, as sent) is on the host of that name. */
  locate(hostName: string, path: string): SampleTarget {
    const host = this.names.findHost(hostName);
    if (host === undefined) return { kind: "nothing" };
    if (path === "/robots.txt") return { kind: "robots", host };
    const index = this.names.findPage(host, path);
    if (index !== undefined) {
      return { kind: "page", site: host.site, index, id: this.layout.idOf(host.site, index) };
    }
    const trap = this.layout.hasTraps(host.site) ? trapOf(path) : undefined;
    return trap === undefined ? { kind: "nothing" } : { kind: "trap", trap, host };
  }

  /** The answer to a URL of this web; 404 for any other. */
  page(url: string): SamplePage {
    const { hostname, pathname, search } = new URL(url);
    return this.pageAt(this.locate(hostname, pathname + search), pathname + search);
  }

  /** The answer for what {@link locate} found at `path`. */
  pageAt(target: SampleTarget, path: string): SamplePage {
    switch (target.kind) {
      case "page":
        return this.#sitePage(target.site, target.index);
      case "robots":
        return this.#robotsPage(target.host);
      case "trap":
        return this.#trapPage(target.trap, path);
      case "nothing":
        return answer(404, "text/html", notFound);
    }
  }

  /** Links of a page, as the web means them. */
  links(id: number): SampleLink[] {
    const { site, index } = this.layout.placeOf(id);
    const links: SampleLink[] = [];
    this.layout.links(site, index, (toSite, to, via) => {
      links.push({ id: this.layout.idOf(toSite, to), via });
    });
    return links;
  }

  kindOf(id: number): PageKind {
    const { site, index } = this.layout.placeOf(id);
    return this.layout.kindOf(site, index);
  }

  robotsOf(host: SampleHost): SampleRobots {
    const { robotsMissingShare, robotsFailingShare, crawlDelayShare, crawlDelaySeconds } =
      this.options;
    const drawn = fraction(this.layout.draw(host.site, host.label, draw.robots));
    if (drawn < robotsFailingShare) return { kind: "failing" };
    if (drawn < robotsFailingShare + robotsMissingShare) return { kind: "missing" };
    const delayDraw = fraction(this.layout.draw(host.site, host.label, draw.crawlDelay));
    return delayDraw < crawlDelayShare ? { kind: "rules", crawlDelaySeconds } : { kind: "rules" };
  }

  /** Whether the robots.txt of the page's host keeps crawlers away from it. */
  isDisallowed(site: number, index: number): boolean {
    const robots = this.robotsOf(this.names.hostOf(site, index)).kind;
    if (robots !== "rules") return robots === "failing";
    if (this.layout.kindOf(site, index) !== "ruled") return false;
    return !this.names.pathOf(site, index).startsWith("/private/open/");
  }

  #sitePage(site: number, index: number): SamplePage {
    const kind = this.layout.kindOf(site, index);
    const { slowMs, throttleHits: hits, retryAfterSeconds } = this.options;
    switch (kind) {
      case "missing":
        return answer(404, "text/html", notFound);
      case "failing":
        return answer(500, "text/html", failed);
      case "reset":
        return { ...answer(500, "text/html", failed), resets: true };
      case "redirect":
      case "loop":
        return this.#redirect(site, index);
      case "other":
        return this.#otherPage(site, index);
      case "slow":
        return { ...this.#htmlPage(site, index), delayMs: slowMs };
      case "throttled":
      case "unavailable": {
        const status = kind === "throttled" ? 429 : 503;
        return { ...this.#htmlPage(site, index), throttle: { status, hits, retryAfterSeconds } };
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

  #htmlPage(site: number, shown: number): SamplePage {
    const index = this.layout.originalOf(site, shown);
    const bits = (purpose: number): number => this.layout.draw(site, index, purpose);
    const has = (purpose: number, share: number): boolean => fraction(bits(purpose)) < share;
    const pick = bits(draw.encoding);
    const charset: PageCharset = has(draw.charset, this.options.charsetShare)
      ? (pageCharsets[1 + (pick % 3)] ?? "utf-8")
      : "utf-8";
    const inHeader = charset !== "utf-16le" && (pick >>> 4) % 2 === 0;
    const head = this.#markup(site, index, charset, inHeader);
    const size = this.#bodies.sizeOf(bits(draw.size));
    const page = answer(
      200,
      inHeader ? `text/html; charset=${charset}` : "text/html",
      this.#bodies.write(charset, head, size, bits(draw.filler)),
      [
        ["etag", `"${this.options.seed}-${this.layout.idOf(site, shown)}"`],
        ["last-modified", lastModified],
      ],
    );
    const coding = has(draw.encoding, this.options.compressedShare) ? codings[pick % 3] : undefined;
    const chunked = has(draw.chunked, this.options.chunkedShare);
    return coding === undefined ? { ...page, chunked } : { ...page, chunked, coding };
  }

  /** The document up to the last link. */
  #markup(site: number, index: number, charset: PageCharset, inHeader: boolean): string {
    const { layout, names, options } = this;
    const origin = this.originOf(names.hostOf(site, index));
    const path = names.pathOf(site, index);
    const hasBase = fraction(layout.draw(site, index, draw.base)) < options.baseShare;
    const depth = path.split("?", 1)[0]?.match(/\//g)?.length ?? 1;
    const { variantShare, sessionShare } = options;
    const place: LinkPlace = {
      origin,
      depth: depth - 1,
      charset,
      hasBase,
      variantShare,
      sessionShare,
    };
    let head = charset === "utf-16le" ? "\ufeff<!DOCTYPE html>\n" : "<!DOCTYPE html>\n";
    head += `<html lang="en"><head>\n`;
    if (!inHeader && charset !== "utf-16le") head += `<meta charset="${charset}">\n`;
    if (hasBase) head += `<base href="${origin}${basePath}">\n`;
    const unindexed = layout.kindOf(site, index) === "unindexed";
    if (unindexed) head += `<meta name="robots" content="noindex, nofollow">\n`;
    head += `<title>Page ${index} of site ${site} ${foreignWord(charset)}</title>\n`;
    let links = "";
    let number = 0;
    layout.links(site, index, (toSite, to, via) => {
      const target = {
        origin: this.originOf(names.hostOf(toSite, to)),
        path: names.pathOf(toSite, to),
        via,
        mayCarrySession: layout.kindOf(toSite, to) !== "ruled",
      };
      const href = hrefOf(target, place, layout.draw(site, index, draw.spelling + number));
      const shown = via === "nofollow" && unindexed ? "a" : via;
      if (via === "refresh") head += markupOf(href.trim(), via, number);
      else links += markupOf(href, shown, number);
      number += 1;
    });
    if (index === 0 && layout.hasTraps(site)) {
      for (const entry of trapEntries) links += markupOf(origin + entry, "a", number++);
    }
    return `${head}</head><body>\n${links}`;
  }

  #redirect(site: number, index: number): SamplePage {
    let location = "/";
    const origin = this.originOf(this.names.hostOf(site, index));
    this.layout.links(site, index, (toSite, to) => {
      const target = this.originOf(this.names.hostOf(toSite, to));
      const path = escapePath(this.names.pathOf(toSite, to));
      location = target === origin && to % 2 === 0 ? path : target + path;
    });
    const pick = this.layout.draw(site, index, draw.status) % redirectStatuses.length;
    return answer(redirectStatuses[pick] ?? 302, "text/html", moved, [["location", location]]);
  }

  #otherPage(site: number, index: number): SamplePage {
    const [, contentType] = this.names.otherType(site, index);
    const size = this.#bodies.sizeOf(this.layout.draw(site, index, draw.size));
    const filler = this.layout.draw(site, index, draw.filler);
    return answer(200, contentType, this.#bodies.write("utf-8", "", size, filler));
  }

  #robotsPage(host: SampleHost): SamplePage {
    const robots = this.robotsOf(host);
    if (robots.kind === "missing") return answer(404, "text/html", notFound);
    if (robots.kind === "failing") return answer(503, "text/html", failed);
    const delay =
      robots.crawlDelaySeconds === undefined ? "" : `Crawl-delay: ${robots.crawlDelaySeconds}\n`;
    const text = `User-agent: *\n${robotsRules}${delay}`;
    return answer(200, "text/plain; charset=utf-8", Buffer.from(text));
  }

  #trapPage(trap: TrapName, path: string): SamplePage {
    const links = trapLinks(trap, path).map((href, number) => markupOf(href, "a", number));
    const head = `<!DOCTYPE html>\n<title>${trap}</title><body>\n${links.join("")}`;
    const body = this.#bodies.write("utf-8", head, this.options.bytesPerPage, path.length);
    return answer(200, "text/html; charset=utf-8", body);
  }
}

function answer(
  status: number,
  contentType: string,
  body: Uint8Array<ArrayBuffer>,
  headers: readonly (readonly [name: string, value: string])[] = [],
): SamplePage {
  const all = [["content-type", contentType] as const, ...headers];
  return { status, headers: all, body, chunked: false, delayMs: 0, resets: false };
}
