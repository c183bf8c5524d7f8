import { hash64 } from "../../src/core/hash/hash64.ts";
import type { PageKind, SampleWebOptions } from "./sample-web-options.ts";
import { pageKinds } from "./sample-web-options.ts";

/** How a page refers to another one. */
/** A site, and the number of a page within it; 0 is its root. */
export interface PagePlace {
  readonly site: number;
  readonly index: number;
}

export type LinkVia = "a" | "area" | "iframe" | "refresh" | "nofollow" | "redirect";

/** Receives the links of a page, in the order in which the page shows them. */
export type LinkSink = (site: number, index: number, via: LinkVia) => void;

/** Independent draws for one page or site; each has its own number, so that knobs do not move one another. */
export const draw = {
  quota: 1_000,
  trap: 2_000,
  host: 1,
  section: 2,
  original: 3,
  target: 4,
  linkCount: 5,
  refresh: 6,
  charset: 7,
  encoding: 8,
  chunked: 9,
  base: 10,
  size: 11,
  filler: 12,
  contentType: 13,
  status: 14,
  robots: 15,
  crawlDelay: 16,
  /** The draws of link k are `link + 4 * k` and the three that follow. */
  link: 10_000,
  /** The spelling of link k is drawn with `spelling + k`. */
  spelling: 5_000_000,
} as const;

/** 32 pseudo-random bits from three words: MurmurHash3 (Appleby, x86_32) of the last two, seeded with the first. */
export function mix(seed: number, first: number, second: number): number {
  let hash = seed | 0;
  hash = murmurRound(hash, first);
  hash = murmurRound(hash, second);
  hash ^= 8;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function murmurRound(hash: number, word: number): number {
  let mixed = Math.imul(word, 0xcc9e2d51);
  mixed = Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593);
  mixed ^= hash;
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0;
}

/** A number in [0, 1) from 32 bits. */
export function fraction(bits: number): number {
  return bits / 2 ** 32;
}

const loopLength = 3;
/** Sites that the root of a site links to, when sites are linked at all: the tree that joins all sites. */
const siteBranching = 10;
const areaShare = 0.05;
const iframeShare = 0.05;
/** Cross-site links that lead to a root; the others lead to any page. */
const rootShare = 0.5;

const kindNumber = Object.fromEntries(pageKinds.map((kind, number) => [kind, number])) as Record<
  PageKind,
  number
>;

/**
 * The pages of all sites as numbers: which kinds they are and how they link. Names, paths and bodies are made from it
 * elsewhere.
 *
 * A site of n pages has the indices 0 to n-1, ordered by kind. The ordinary ones are a tree (the parent of i is
 * `floor((i - 1) / branching)`), each special one that is to be found is linked from one ordinary page, and random
 * links are added to both. So every URL that is not hidden on purpose is reachable from the site's root, whatever
 * faults there are.
 *
 * Invariant: a pure function of the options; only the page counts and the kinds' bounds of each site are kept.
 */
export class SiteLayout {
  readonly #options: SampleWebOptions;
  /** First page number of each site, and the total at the end. */
  readonly #offsets: Uint32Array;
  readonly #hashes: Int32Array;
  /** For each site and kind the first index of that kind; a site's row ends with its page count. */
  readonly #starts: Uint32Array;

  constructor(options: SampleWebOptions) {
    this.#options = options;
    const sites = options.sites;
    const counts = pagesPerSite(options);
    this.#offsets = new Uint32Array(sites + 1);
    this.#hashes = new Int32Array(sites);
    this.#starts = new Uint32Array(sites * (pageKinds.length + 1));
    for (let site = 0; site < sites; site += 1) {
      const count = counts[site] ?? 1;
      this.#offsets[site + 1] = (this.#offsets[site] ?? 0) + count;
      this.#hashes[site] = Number(BigInt.asIntN(32, hash64(`site-${site}`, BigInt(options.seed))));
      this.#placeKinds(site, count);
    }
  }

  get pageCount(): number {
    return this.#offsets[this.#options.sites] ?? 0;
  }

  pagesOf(site: number): number {
    return this.#start(site, pageKinds.length);
  }

  /** Number of a page among all pages of the web. */
  idOf(site: number, index: number): number {
    return (this.#offsets[site] ?? 0) + index;
  }

  /** The place of a page number. */
  placeOf(id: number): PagePlace {
    let low = 0;
    let high = this.#options.sites - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#offsets[middle] ?? 0) <= id) low = middle;
      else high = middle - 1;
    }
    return { site: low, index: id - (this.#offsets[low] ?? 0) };
  }

  kindOf(site: number, index: number): PageKind {
    for (let kind = pageKinds.length - 1; kind > 0; kind -= 1) {
      if (index >= this.#start(site, kind)) return pageKinds[kind] ?? "ordinary";
    }
    return "ordinary";
  }

  /** 32 random bits that belong to one page and one purpose. */
  draw(site: number, index: number, purpose: number): number {
    return mix(this.#hashes[site] ?? 0, index, purpose);
  }

  /** The ordinary page whose body a page has: itself, unless it is a duplicate. */
  originalOf(site: number, index: number): number {
    if (this.kindOf(site, index) !== "duplicate") return index;
    return this.draw(site, index, draw.original) % this.#start(site, 1);
  }

  hasTraps(site: number): boolean {
    return fraction(this.draw(site, 0, draw.trap)) < this.#options.trapShare;
  }

  /** Gives all links of a page to `sink`; a redirect's only link is its target. */
  links(site: number, index: number, sink: LinkSink): void {
    const kind = this.kindOf(site, index);
    switch (kind) {
      case "missing":
      case "failing":
      case "reset":
      case "other":
        return;
      case "redirect": {
        sink(site, this.#redirectTarget(site, index), "redirect");
        return;
      }
      case "loop": {
        sink(site, this.#loopTarget(site, index), "redirect");
        return;
      }
      case "ordinary": {
        this.#randomLinks(site, index, sink, this.#treeLinks(site, index, sink), false);
        return;
      }
      case "duplicate": {
        this.links(site, this.originalOf(site, index), sink);
        return;
      }
      case "unindexed": {
        this.#randomLinks(site, index, sink, 0, true);
        return;
      }
      case "slow":
      case "throttled":
      case "unavailable":
      case "ruled":
      case "nofollowed":
      case "orphan": {
        this.#randomLinks(site, index, sink, 0, false);
        return;
      }
    }
  }

  /** Links that make every findable page reachable; returns how many. */
  #treeLinks(site: number, index: number, sink: LinkSink): number {
    const { branching, crossSiteShare, sites } = this.#options;
    const ordinary = this.#start(site, 1);
    let count = 0;
    const link = (toSite: number, to: number, via: LinkVia): void => {
      sink(toSite, to, via);
      count += 1;
    };
    const firstChild = branching * index + 1;
    for (let child = firstChild; child < Math.min(firstChild + branching, ordinary); child += 1) {
      link(site, child, this.#via(site, index, count));
    }
    const orphans = this.#start(site, kindNumber.orphan);
    for (let special = ordinary + index; special < orphans; special += ordinary) {
      const kind = this.kindOf(site, special);
      if (kind === "nofollowed") link(site, special, "nofollow");
      else if (this.#isHead(site, special, kind)) {
        link(site, special, this.#via(site, index, count));
      }
    }
    if (index === 0 && crossSiteShare > 0) {
      const first = siteBranching * site + 1;
      for (let next = first; next < Math.min(first + siteBranching, sites); next += 1) {
        link(next, 0, "a");
      }
    }
    return count;
  }

  #randomLinks(
    site: number,
    index: number,
    sink: LinkSink,
    linked: number,
    nofollow: boolean,
  ): void {
    const { linksPerPage, crossSiteShare, sites } = this.#options;
    // Half to one and a half times the mean.
    const wanted = Math.round(
      linksPerPage * (0.5 + fraction(this.draw(site, index, draw.linkCount))),
    );
    for (let number = linked; number < wanted; number += 1) {
      const base = draw.link + 4 * number;
      const crosses =
        sites > 1 && fraction(this.draw(site, index, base + 1)) < crossSiteShare ? 1 : 0;
      const toSite = crosses ? this.draw(site, index, base + 2) % sites : site;
      const pick = this.draw(site, index, base + 3);
      const toRoot = crosses === 1 && fraction(pick) < rootShare;
      const to = toRoot ? 0 : pick % this.#start(toSite, kindNumber.redirect);
      sink(toSite, to, nofollow ? "nofollow" : this.#via(site, index, number));
    }
  }

  /** The first link of some pages is a meta refresh, tree link or not: who ignores it loses what is below. */
  #via(site: number, index: number, number: number): LinkVia {
    const refreshDraw = number === 0 ? fraction(this.draw(site, index, draw.refresh)) : 1;
    if (refreshDraw < this.#options.refreshShare) return "refresh";
    const drawn = fraction(this.draw(site, index, draw.link + 4 * number));
    if (drawn < areaShare) return "area";
    return drawn < areaShare + iframeShare ? "iframe" : "a";
  }

  #isHead(site: number, index: number, kind: PageKind): boolean {
    const place = index - this.#start(site, kindNumber[kind]);
    if (kind === "redirect") return place % this.#options.redirectChainMax === 0;
    return kind !== "loop" || place % loopLength === 0;
  }

  #redirectTarget(site: number, index: number): number {
    const start = this.#start(site, kindNumber.redirect);
    const end = this.#start(site, kindNumber.redirect + 1);
    const next = index + 1;
    if (next < end && (next - start) % this.#options.redirectChainMax !== 0) return next;
    return this.draw(site, index, draw.target) % this.#start(site, 1);
  }

  #loopTarget(site: number, index: number): number {
    const start = this.#start(site, kindNumber.loop);
    const end = this.#start(site, kindNumber.loop + 1);
    const next = index + 1;
    if (next < end && (next - start) % loopLength !== 0) return next;
    return index - ((index - start) % loopLength);
  }

  #start(site: number, kind: number): number {
    return this.#starts[site * (pageKinds.length + 1) + kind] ?? 0;
  }

  /** Rounds each kind's share by a draw, so that many small sites together keep the share too. */
  #placeKinds(site: number, count: number): void {
    const row = site * (pageKinds.length + 1);
    const quotas = pageKinds.map((kind, number) => {
      if (kind === "ordinary") return 0;
      const dither = fraction(mix(this.#hashes[site] ?? 0, number, draw.quota));
      return Math.floor(this.#options.shares[kind] * count + dither);
    });
    let specials = quotas.reduce((sum, quota) => sum + quota, 0);
    for (let number = quotas.length - 1; specials > count - 1; number -= 1) {
      const cut = Math.min(quotas[number] ?? 0, specials - (count - 1));
      quotas[number] = (quotas[number] ?? 0) - cut;
      specials -= cut;
    }
    quotas[0] = count - specials;
    let start = 0;
    for (const [number, quota] of quotas.entries()) {
      this.#starts[row + number] = start;
      start += quota;
    }
    this.#starts[row + pageKinds.length] = start;
  }
}

/** Zipf's law over the ranks of the sites, one page each at least, with `totalPages` as exact sum. */
function pagesPerSite(options: SampleWebOptions): Uint32Array {
  const { sites, totalPages, pagesExponent } = options;
  const weights = Float64Array.from({ length: sites }, (_, rank) => (rank + 1) ** -pagesExponent);
  const weightSum = weights.reduce((sum, weight) => sum + weight, 0);
  const counts = new Uint32Array(sites);
  const spare = totalPages - sites;
  let given = 0;
  let exact = 0;
  for (let site = 0; site < sites; site += 1) {
    exact += ((weights[site] ?? 0) / weightSum) * spare;
    const upTo = site === sites - 1 ? spare : Math.floor(exact);
    counts[site] = 1 + upTo - given;
    given = upTo;
  }
  return counts;
}
