/**
 * Runs at most `runningMax` tasks at a time, and lets at most `waitingMax` wait.
 *
 * Each task is one of a group. A slot that becomes free goes to the groups in turn, and within one in the order in which its
 * tasks were given: however many slow ones a group has, those of another wait for one slot each.
 */
export class TaskSlots {
  readonly #runningMax: number;
  readonly #waitingMax: number;
  /** The group whose turn is next comes first; none is empty. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #waitingCount = 0;
  #running = 0;

  constructor(runningMax: number, waitingMax: number) {
    this.#runningMax = runningMax;
    this.#waitingMax = waitingMax;
  }

  /** Whether another task would have to be turned away. */
  get full(): boolean {
    return this.#running >= this.#runningMax && this.#waitingCount >= this.#waitingMax;
  }

  async run<Result>(group: string, task: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.#runningMax) this.#running += 1;
    // A slot that becomes free is handed over, so that nobody can come in between.
    else await new Promise<void>((resolve) => this.#wait(group, resolve));
    try {
      return await task();
    } finally {
      const next = this.#takeNext();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  #wait(group: string, begin: () => void): void {
    const waiting = this.#waiting.get(group);
    if (waiting === undefined) this.#waiting.set(group, [begin]);
    else waiting.push(begin);
    this.#waitingCount += 1;
  }

  #takeNext(): (() => void) | undefined {
    const [first] = this.#waiting;
    if (first === undefined) return undefined;
    const [group, waiting] = first;
    const next = waiting.shift();
    this.#waiting.delete(group);
    // Behind the others.
    if (waiting.length > 0) this.#waiting.set(group, waiting);
    this.#waitingCount -= 1;
    return next;
  }
}
