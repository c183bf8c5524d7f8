/** Does a task when its turn comes. */
export type InTurn = <Result>(task: () => Promise<Result>) => Promise<Result>;

interface WaitingLimits {
  /** Tasks of all groups. @default any number */
  readonly waitingMax?: number;
  /** Tasks of one group. @default any number */
  readonly waitingOfGroupMax?: number;
}

/**
 * Runs at most so many tasks at a time.
 *
 * Each task is one of a group. A slot that becomes free goes to the groups in turn, and within one in the order in which its
 * tasks were given: however many slow ones a group has, those of another wait for one slot each. How many wait is bounded by
 * those who look whether there is room.
 */
export class FairSlots {
  readonly #runningMax: number;
  readonly #limits: Required<WaitingLimits>;
  /** The group whose turn is next comes first; none is empty. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #waitingCount = 0;
  #running = 0;

  constructor(runningMax: number, limits: WaitingLimits = {}) {
    this.#runningMax = runningMax;
    this.#limits = { waitingMax: Infinity, waitingOfGroupMax: Infinity, ...limits };
  }

  /** Whether another task of the group would have to be turned away. */
  isFull(group: string): boolean {
    if (this.#running < this.#runningMax) return false;
    const ofGroup = this.#waiting.get(group)?.length ?? 0;
    const { waitingMax, waitingOfGroupMax } = this.#limits;
    return this.#waitingCount >= waitingMax || ofGroup >= waitingOfGroupMax;
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
