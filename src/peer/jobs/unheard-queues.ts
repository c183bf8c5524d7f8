/** Jobs whose URLs are counted, at most: more than there may be jobs. Further ones are another member's invention. */
const spacesMax = 65_536;

/**
 * How many URLs are queued here of jobs that are unknown still, by the jobs' numbers.
 *
 * Invariant: bounded, whatever numbers others make up. Where there were too many, something may be queued of each job that is
 * not among those counted, until somebody has counted it on disk.
 */
export class UnheardQueues {
  readonly #counts = new Map<number, number>();
  #hasUncounted = false;

  get isEmpty(): boolean {
    return this.#counts.size === 0 && !this.#hasUncounted;
  }

  has(space: number): boolean {
    return this.#counts.has(space);
  }

  /** Whether {@link countOf} is what is queued of the job, and not a guess. */
  knows(space: number): boolean {
    return this.has(space) || !this.#hasUncounted;
  }

  countOf(space: number): number {
    return this.#counts.get(space) ?? (this.#hasUncounted ? 1 : 0);
  }

  add(space: number, by: number): void {
    const count = (this.#counts.get(space) ?? 0) + by;
    if (count <= 0) this.#counts.delete(space);
    // What has room again may have been queued when there was none.
    else if (this.has(space) || (!this.#hasUncounted && this.#counts.size < spacesMax)) {
      this.#counts.set(space, count);
    } else this.#hasUncounted = true;
  }

  /** So many are queued on disk of a job that is about to be known. */
  set(space: number, count: number): void {
    this.#counts.set(space, count);
  }

  /** What is counted of a job that is known from now on. */
  take(space: number): number {
    const count = this.#counts.get(space) ?? 0;
    this.#counts.delete(space);
    return count;
  }
}
