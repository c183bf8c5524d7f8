import { packKeyedLinks } from "../../../src/core/page/packed-links.ts";
import type { PackedLinks } from "../../../src/core/page/parsed-page.ts";
import type { CanonicalUrl } from "../../../src/core/units.ts";

export interface SyntheticPagesOptions {
  readonly hosts: number;
  /** The first so many hosts have the pages, in turns; the others are only linked to. */
  readonly sources: number;
  /** Links of a page to URLs that nobody linked to before. */
  readonly newPerPage: number;
  /** How many of these lead to any host, not to the page's own. */
  readonly crossPerPage: number;
  /** Links of a page to URLs that were linked before: half of them of the last 100,000, half of any. */
  readonly repeatsPerPage: number;
}

/** A page as the parser's threads hand it over, as far as admission is concerned. */
export interface SyntheticPage {
  readonly via: string;
  readonly links: PackedLinks;
}

const recentUrls = 100_000;

/**
 * Pages of a crawl that never were: each URL a function of its number, distinct ones numbered in the order of their first
 * link, so that nothing is remembered of them. Every run makes the same.
 */
export class SyntheticPages {
  readonly #options: SyntheticPagesOptions;
  #random = 0x9e37_79b9;
  #page = 0;
  #distinct = 0;

  constructor(options: SyntheticPagesOptions) {
    this.#options = options;
  }

  /** URLs linked so far. */
  get distinct(): number {
    return this.#distinct;
  }

  next(): SyntheticPage {
    const { newPerPage, repeatsPerPage } = this.#options;
    const urls: CanonicalUrl[] = [];
    // As on a real page: the navigation, which all pages share, comes first.
    for (let i = 0; i < repeatsPerPage && this.#distinct > 0; i += 1) {
      const isRecent = this.#below(2) === 0;
      const from = isRecent ? Math.max(0, this.#distinct - recentUrls) : 0;
      urls.push(this.#urlOf(from + this.#below(this.#distinct - from)));
    }
    for (let i = 0; i < newPerPage; i += 1) urls.push(this.#urlOf(this.#distinct++));
    const host = hostName(this.#page % this.#options.sources);
    const via = `https://${host}/page-${this.#page}.html`;
    this.#page += 1;
    return { via, links: flat(packKeyedLinks(urls.map((url) => ({ url, key: url })))) };
  }

  #urlOf(number: number): CanonicalUrl {
    const { newPerPage, crossPerPage, sources, hosts } = this.#options;
    const page = Math.floor(number / newPerPage);
    const isCross = number % newPerPage < crossPerPage;
    const host = isCross ? scatter(number) % hosts : page % sources;
    return `https://${hostName(host)}/section-${page % 97}/article-${number}.html` as CanonicalUrl;
  }

  /** Xorshift32 (Marsaglia 2003). */
  #below(limit: number): number {
    this.#random ^= this.#random << 13;
    this.#random ^= this.#random >>> 17;
    this.#random ^= this.#random << 5;
    return Math.floor(((this.#random >>> 0) / 2 ** 32) * limit);
  }
}

function hostName(number: number): string {
  return `www.site-${String(number).padStart(7, "0")}.example`;
}

/** The last step of MurmurHash3 (Appleby 2011): neighbours end up far apart. */
function scatter(number: number): number {
  let bits = Math.imul(number ^ (number >>> 16), 0x85eb_ca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2_ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** A text that has come from another thread is one piece; one that was put together here is a tree of its pieces. */
function flat({ text, ends, fingerprints }: PackedLinks): PackedLinks {
  return { text: Buffer.from(text, "latin1").toString("latin1"), ends, fingerprints };
}
