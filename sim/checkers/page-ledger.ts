import type { Millis } from "../../src/core/units.ts";
import type { SeenHit } from "./checker.ts";

/** What the web saw of one page. */
export interface PageRequests {
  /** Requests for it, at most 65,535. */
  readonly count: number;
  readonly first: { readonly atMs: Millis; readonly machine: number };
  readonly last: { readonly atMs: Millis; readonly status: number };
}

const countMax = 65_535;

/**
 * The requests for each page of the sample web, by its number.
 *
 * Columns instead of objects: 24 bytes for a page instead of some hundreds, since a run may have a million of them.
 */
export class PageLedger {
  readonly #count: Uint16Array;
  readonly #firstAtMs: Float64Array;
  readonly #firstMachine: Uint32Array;
  readonly #lastAtMs: Float64Array;
  readonly #lastStatus: Uint16Array;

  constructor(pages: number) {
    this.#count = new Uint16Array(pages);
    this.#firstAtMs = new Float64Array(pages);
    this.#firstMachine = new Uint32Array(pages);
    this.#lastAtMs = new Float64Array(pages);
    this.#lastStatus = new Uint16Array(pages);
  }

  /** Takes in a request; one for anything but a page says nothing. */
  add({ page, atMs, machine, status }: SeenHit): void {
    if (page < 0) return;
    const count = this.#count[page] ?? 0;
    if (count === 0) {
      this.#firstAtMs[page] = atMs;
      this.#firstMachine[page] = machine;
    }
    this.#count[page] = Math.min(count + 1, countMax);
    this.#lastAtMs[page] = atMs;
    this.#lastStatus[page] = status;
  }

  *[Symbol.iterator](): Generator<readonly [page: number, requests: PageRequests]> {
    for (let page = 0; page < this.#count.length; page += 1) {
      const requests = this.of(page);
      if (requests) yield [page, requests];
    }
  }

  /** Nothing of a page that nobody has asked for. */
  of(page: number): PageRequests | undefined {
    const count = this.#count[page] ?? 0;
    if (count === 0) return undefined;
    const [firstAtMs = 0, machine = 0] = [this.#firstAtMs[page], this.#firstMachine[page]];
    const [lastAtMs = 0, status = 0] = [this.#lastAtMs[page], this.#lastStatus[page]];
    return { count, first: { atMs: firstAtMs, machine }, last: { atMs: lastAtMs, status } };
  }
}
