import type { Millis } from "../core/units.ts";

/** Seconds over which a rate is smoothed: long enough to read, short enough to see a change. */
const windowSeconds = 10;

/** A rate as people want to see it: smoothed, exponentially. */
export class Pace {
  #perSecond = 0;
  #lastTotal: number;
  #lastAtMs: Millis;

  constructor(total: number, nowMs: Millis) {
    this.#lastTotal = total;
    this.#lastAtMs = nowMs;
  }

  get perSecond(): number {
    return this.#perSecond;
  }

  /** Takes in the total at this moment. */
  observe(total: number, nowMs: Millis): void {
    const seconds = (nowMs - this.#lastAtMs) / 1_000;
    if (seconds <= 0) return;
    const current = (total - this.#lastTotal) / seconds;
    const weight = 1 - Math.exp(-seconds / windowSeconds);
    this.#perSecond += (current - this.#perSecond) * weight;
    this.#lastTotal = total;
    this.#lastAtMs = nowMs;
  }
}
