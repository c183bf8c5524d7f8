import { canonicalizeUrl } from "../url/canonicalize-url.ts";

/** What is longer is no URL that would be admitted; the protocol allows 2,048. */
export const locationUnitsMax = 16_384;

/** The URLs of one sitemap: canonical, in their order, each once, and counted where there is no more room. */
export class SitemapUrls {
  readonly #max: number;
  readonly #urls = new Set<string>();
  #leftOut = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Takes in what stands where a URL should; what is none is passed over. */
  add(location: string): void {
    if (location.length > locationUnitsMax) return;
    const url = canonicalizeUrl(location.trim());
    if (url === undefined || this.#urls.has(url)) return;
    if (this.#urls.size < this.#max) this.#urls.add(url);
    else this.#leftOut += 1;
  }

  found(): { readonly urls: readonly string[]; readonly leftOut?: number } {
    return { urls: [...this.#urls], ...(this.#leftOut > 0 && { leftOut: this.#leftOut }) };
  }
}
