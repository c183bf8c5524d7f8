import { idOf } from "../../core/record/id-of.ts";

/**
 * URLs of which another member's row came in while admission was looking URLs up in the store: for these, what the look-up
 * said is no longer true.
 */
export class MergedUrls {
  readonly #ids = new Set<string>();
  #isWatching = false;

  /** Remembers from now on, and nothing of before. */
  watch(): void {
    this.#ids.clear();
    this.#isWatching = true;
  }

  /** Remembers nothing any more. */
  unwatch(): void {
    this.#ids.clear();
    this.#isWatching = false;
  }

  /** @param id that of the key of the URL's record, or of its exclusion's */
  add(id: string): void {
    if (this.#isWatching) this.#ids.add(id);
  }

  get isEmpty(): boolean {
    return this.#ids.size === 0;
  }

  has(rowKey: Uint8Array): boolean {
    return this.#ids.has(idOf(rowKey));
  }
}
