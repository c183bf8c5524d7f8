import { jobsMax } from "../../../core/jobs/job-definition.ts";

/**
 * Which jobs have rows of the outbox that are on disk alone, for want of room.
 *
 * Invariant: of those that are unknown here no more are remembered than there may be jobs.
 */
export class LeftRows {
  #hasKnown = false;
  readonly #unheard = new Set<number>();

  get isEmpty(): boolean {
    return !this.#hasKnown && this.#unheard.size === 0;
  }

  /** A row of a job with this number inside keys was left. */
  add(space: number, isUnheard: boolean): void {
    if (!isUnheard) this.#hasKnown = true;
    else if (this.#unheard.size < jobsMax) this.#unheard.add(space);
  }

  /** Whether there may be rows of the job. */
  mayHave(space: number, isUnheard: boolean): boolean {
    return this.#unheard.has(space) || (this.#hasKnown && !isUnheard);
  }

  /** Whether there may be rows of any job that is known by now. */
  mayHaveKnown(isUnheard: (space: number) => boolean): boolean {
    return this.#hasKnown || [...this.#unheard].some((space) => !isUnheard(space));
  }
}
