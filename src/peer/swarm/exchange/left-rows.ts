import { jobsMax } from "../../../core/jobs/job-definition.ts";

/**
 * Which jobs have rows of the outbox that are on disk alone, for want of room, or as nobody takes them.
 *
 * Invariant: of those that are unknown here no more are remembered than there may be jobs. Where there were more, each job
 * that has become known since may have some.
 */
export class LeftRows {
  readonly #known: () => readonly number[];
  #hasKnown = false;
  readonly #unheard = new Set<number>();
  readonly #putOff = new Set<number>();
  /** Jobs that were known when there was a first one too many. */
  #knownThen: ReadonlySet<number> | undefined;

  /** @param known numbers of the jobs that are known here, which stay so */
  constructor(known: () => readonly number[]) {
    this.#known = known;
  }

  get isEmpty(): boolean {
    return !this.#hasKnown && this.#unheard.size === 0 && !this.hasPutOff;
  }

  /** Whether there are rows that nobody took. */
  get hasPutOff(): boolean {
    return this.#putOff.size > 0;
  }

  /** A row of a job with this number inside keys was left. */
  add(space: number, isUnheard: boolean): void {
    if (!isUnheard) this.#hasKnown = true;
    else if (this.#unheard.size < jobsMax) this.#unheard.add(space);
    else if (!this.#unheard.has(space)) this.#knownThen ??= new Set(this.#known());
  }

  /** A row that nobody takes, of a job that is known here, was left. */
  addPutOff(space: number): void {
    this.#putOff.add(space);
  }

  /** Whether there may be rows of the job. */
  mayHave(space: number, isUnheard: boolean): boolean {
    if (this.#putOff.has(space)) return true;
    if (this.#unheard.has(space) || (this.#hasKnown && !isUnheard)) return true;
    return this.#knownThen?.has(space) === false;
  }

  /** Whether there may be rows of any job that is known by now, and that there was no room for. */
  mayHaveKnown(isUnheard: (space: number) => boolean): boolean {
    if (this.#hasKnown || [...this.#unheard].some((space) => !isUnheard(space))) return true;
    return this.#knownThen !== undefined && this.#known().length > this.#knownThen.size;
  }
}
