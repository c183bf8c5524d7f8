import type { Millis } from "../units.ts";

/** Seconds over which a rate is smoothed: long enough to read, short enough to see a change. */
const windowSeconds = 10;

/**
 * A rate as people want to see it: the mean of what was observed, the latest weighing most, and what is older fading
 * exponentially.
 *
 * The weights of what was observed add up to less than one as long as little was: the rest would be time before the
 * beginning, at which nothing was done, and make the first rates too low. So the mean is divided by their sum.
 */
export class Pace {
  #weighted = 0;
  #weights = 0;
  #lastTotal: number;
  #lastAtMs: Millis;

  /** Begins to watch a total that may have grown before. */
  constructor(total: number, nowMs: Millis) {
    this.#lastTotal = total;
    this.#lastAtMs = nowMs;
  }

  get perSecond(): number {
    return this.#weights > 0 ? this.#weighted / this.#weights : 0;
  }

  /** Takes in the total at this moment. */
  observe(total: number, nowMs: Millis): void {
    const seconds = (nowMs - this.#lastAtMs) / 1_000;
    if (seconds <= 0) return;
    const current = (total - this.#lastTotal) / seconds;
    const weight = 1 - Math.exp(-seconds / windowSeconds);
    this.#weighted += (current - this.#weighted) * weight;
    this.#weights += (1 - this.#weights) * weight;
    this.#lastTotal = total;
    this.#lastAtMs = nowMs;
  }
}
