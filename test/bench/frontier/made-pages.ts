import { between, nothingSpent, plus, spentSoFar, type Spent } from "./spending.ts";
import type { SyntheticPage, SyntheticPages } from "./synthetic-pages.ts";

/** Made in one go, so that taking the time costs little; few, so that they do not outlive a young object. */
const pagesPerChunk = 64;

/** Pages made a few at a time, and what the main thread spent on them. */
export class MadePages {
  readonly #pages: SyntheticPages;
  #made: SyntheticPage[] = [];
  #spent = nothingSpent;
  /** Pages given out. */
  given = 0;

  constructor(pages: SyntheticPages) {
    this.#pages = pages;
  }

  next(): SyntheticPage {
    const page = this.#made.pop();
    if (page) {
      this.given += 1;
      return page;
    }
    const start = spentSoFar();
    this.#made = Array.from({ length: pagesPerChunk }, () => this.#pages.next()).toReversed();
    const { wallMs, threadMs } = between(start, spentSoFar());
    // The other threads did the store's work meanwhile.
    this.#spent = plus(this.#spent, { wallMs, threadMs, processMs: threadMs });
    return this.next();
  }

  /** What was spent since the last call. */
  takeSpent(): Spent {
    const spent = this.#spent;
    this.#spent = nothingSpent;
    return spent;
  }
}
