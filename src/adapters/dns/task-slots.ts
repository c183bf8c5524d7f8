/**
 * Runs at most `runningMax` tasks at a time, in the order in which they were given, and lets at most `waitingMax` wait.
 */
export class TaskSlots {
  readonly #runningMax: number;
  readonly #waitingMax: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(runningMax: number, waitingMax: number) {
    this.#runningMax = runningMax;
    this.#waitingMax = waitingMax;
  }

  /** Whether another task would have to be turned away. */
  get full(): boolean {
    return this.#running >= this.#runningMax && this.#waiting.length >= this.#waitingMax;
  }

  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.#runningMax) this.#running += 1;
    // A slot that becomes free is handed over, so that nobody can come in between.
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
