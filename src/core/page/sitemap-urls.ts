import { canonicalizeUrl, parseUrl } from "../url/canonicalize-url.ts";

/** What is longer is no URL that would be admitted; the protocol allows 2,048. */
export const locationUnitsMax = 16_384;

/** Length of all bases together that references are resolved against: a long base makes every short reference long. */
const baseUnitsMax = 16 * 1_024 * 1_024;

/** The URLs of one sitemap: canonical, in their order, each once, and counted where there is no more room. */
export class SitemapUrls {
  readonly #max: number;
  readonly #urls = new Set<string>();
  #leftOut = 0;
  #baseUnits = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Takes in what stands where a URL should; what is none, not even against `base`, is passed over. */
  add(location: string, base?: string): void {
    if (location.length > locationUnitsMax) return;
    const text = location.trim();
    const url = canonicalizeUrl(text) ?? this.#resolved(text, base);
    if (url === undefined || this.#urls.has(url)) return;
    if (this.#urls.size < this.#max) this.#urls.add(url);
    else this.#leftOut += 1;
  }

  /** The base that `reference` means within another one; nothing for none, and when all room for bases is used up. */
  baseOf(reference: string, outer: string | undefined): string | undefined {
    return this.#hasRoomFor(outer ?? "") ? parseUrl(reference, outer)?.href : undefined;
  }

  #resolved(reference: string, base: string | undefined): string | undefined {
    if (base === undefined || reference === "") return undefined;
    if (this.#hasRoomFor(base)) return canonicalizeUrl(reference, base);
    this.#leftOut += 1;
    return undefined;
  }

  #hasRoomFor(base: string): boolean {
    this.#baseUnits += base.length;
    return this.#baseUnits <= baseUnitsMax;
  }

  found(): { readonly urls: readonly string[]; readonly leftOut?: number } {
    return { urls: [...this.#urls], ...(this.#leftOut > 0 && { leftOut: this.#leftOut }) };
  }
}
