import type { Millis } from "../../src/core/units.ts";
import type { SeenHit } from "./checker.ts";

/** What the web saw of one page. */
export interface PageRequests {
  readonly count: number;
  readonly first: { readonly atMs: Millis; readonly machine: number };
  readonly last: { readonly atMs: Millis; readonly status: number };
}

/**
 * The requests for each page of the sample web, by its number.
 *
 * Columns instead of objects: 26 bytes for a page instead of some hundreds, since a run may have a million of them.
 */
export class PageLedger {
  readonly #count: Uint32Array;
  readonly #firstAtMs: Float64Array;
  readonly #firstMachine: Uint32Array;
  readonly #lastAtMs: Float64Array;
  readonly #lastStatus: Uint16Array;

  constructor(pages: number) {
    this.#count = new Uint32Array(pages);
    this.#firstAtMs = new Float64Array(pages);
    this.#firstMachine = new Uint32Array(pages);
    this.#lastAtMs = new Float64Array(pages);
    this.#lastStatus = new Uint16Array(pages);
  }

  /** Takes in a request; one for anything but a page has no place in a column, and says nothing. */
  add({ page, atMs, machine, status }: SeenHit): void {
    const count = this.#count[page] ?? 0;
    if (count === 0) {
      this.#firstAtMs[page] = atMs;
      this.#firstMachine[page] = machine;
    }
    this.#count[page] = count + 1;
    this.#lastAtMs[page] = atMs;
    this.#lastStatus[page] = status;
  }

  /** Nothing of a page that nobody has asked for. */
  of(page: number): PageRequests | undefined {
    const count = this.#count[page] ?? 0;
    if (count === 0) return undefined;
    return {
      count,
      first: { atMs: this.#firstAtMs[page] ?? 0, machine: this.#firstMachine[page] ?? 0 },
      last: { atMs: this.#lastAtMs[page] ?? 0, status: this.#lastStatus[page] ?? 0 },
    };
  }
}
