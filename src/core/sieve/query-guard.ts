import { hash64 } from "../hash/hash64.ts";

/** Paths remembered in each of two generations: about 1 MB in all. */
const generationMax = 8_192;

/**
 * Counts the distinct query strings admitted for each path of a host, to stop a query explosion (a calendar, a
 * faceted search, a session id that nobody knows).
 *
 * Memory is bounded by two generations: a path that has not been seen for `generationMax` others is forgotten and counts
 * from zero. So the guard is late on a very broad crawl, never early, and `pagesPerHostMax` stands behind it.
 */
export class QueryGuard {
  #young = new Map<bigint, number>();
  #old = new Map<bigint, number>();

  /** Counts one more query string of the URL's path, unless `max` are reached: then false. */
  admit(url: string, space: number, max: number): boolean {
    const query = url.indexOf("?");
    if (query === -1) return true;
    const path = hash64(url.slice(0, query), BigInt(space));
    const count = this.#young.get(path) ?? this.#old.get(path) ?? 0;
    const isAdmitted = count < max;
    // A path at its limit is seen all the same: else it would be forgotten, and count from zero.
    this.#young.set(path, isAdmitted ? count + 1 : count);
    if (this.#young.size >= generationMax) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    return isAdmitted;
  }
}
