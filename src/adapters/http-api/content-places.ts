/**
 * Bounds the archived bodies that are held for those who ask for them.
 *
 * A body is made faster than many an asker reads it, and stays in memory until the last of it is sent. So a place is kept
 * for as long as that takes, and whoever finds none free waits, in the order of the questions.
 *
 * Invariant: no more than `max` places are taken, and each is given back exactly once.
 */
export class ContentPlaces {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(max: number) {
    this.#free = max;
  }

  /** Resolves with a place, which is kept until `over` aborts. Errors: its reason, where it aborts before there is one. */
  async take(over: AbortSignal): Promise<void> {
    over.throwIfAborted();
    if (this.#free === 0) {
      await this.#turn(over);
      // The answers on a connection that breaks end one after the other, and each makes room for the next.
      over.throwIfAborted();
      return;
    }
    this.#free -= 1;
    this.#keep(over);
  }

  /** From the moment that there is a place: who waits for it hears of that later, and may be gone by then. */
  #keep(over: AbortSignal): void {
    over.addEventListener("abort", () => this.#giveBack(), { once: true });
  }

  #turn(over: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(enter);
        reject(over.reason as Error);
      };
      const enter = (): void => {
        over.removeEventListener("abort", leave);
        this.#keep(over);
        resolve();
      };
      this.#waiting.add(enter);
      over.addEventListener("abort", leave, { once: true });
    });
  }

  #giveBack(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
