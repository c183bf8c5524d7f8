import type { Millis } from "../../core/units.ts";

/** Something that ends by itself when its time is over. */
export interface Expiring {
  /** Looks at the clock; called about once every sweep. */
  expire(nowMs: Millis): void;
}

/**
 * One timer for the deadlines of all exchanges: a timer for each phase of each exchange costs more than a look at all
 * of them a few times a second. So a deadline is kept within one sweep interval.
 *
 * The look is taken after pending input has been handled (setImmediate runs after the poll phase), so that a stall of
 * this process is not mistaken for silence of the servers.
 */
export class DeadlineSweeper {
  readonly #intervalMs: Millis;
  readonly #nowMs: () => Millis;
  readonly #watched = new Set<Expiring>();
  #timer: NodeJS.Timeout | undefined;

  constructor(intervalMs: Millis, nowMs: () => Millis) {
    this.#intervalMs = intervalMs;
    this.#nowMs = nowMs;
  }

  watch(expiring: Expiring): void {
    this.#watched.add(expiring);
    this.#timer ??= setInterval(() => setImmediate(() => this.#sweep()), this.#intervalMs);
  }

  unwatch(expiring: Expiring): void {
    this.#watched.delete(expiring);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#watched.clear();
  }

  #sweep(): void {
    if (this.#watched.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const nowMs = this.#nowMs();
    for (const expiring of this.#watched) expiring.expire(nowMs);
  }
}
