import type { Millis } from "../../core/units.ts";
import type { Clock } from "../../ports/clock.ts";

/** By less than this two clocks differ that are set right now and then. */
const missedMsMin: Millis = 60_000;

/** How many are told apart; of more, the oldest count as one. */
const timesMax = 64;

interface Missed {
  readonly atMs: Millis;
  readonly byMs: Millis;
}

/**
 * Time that passes while the process does not see it, since the machine is asleep, or its clock was behind: `nowMs` goes on
 * without it, and what is good for a day only would be good for days.
 */
export class MissedTime {
  readonly #clock: Pick<Clock, "nowMs" | "wallMs">;
  readonly #missed: Missed[] = [];
  /** By how much the clock on the wall was ahead. */
  #aheadMs: Millis;

  constructor(clock: Pick<Clock, "nowMs" | "wallMs">) {
    this.#clock = clock;
    this.#aheadMs = clock.wallMs() - clock.nowMs();
  }

  /** How much was missed after a moment of `nowMs`. */
  since(momentMs: Millis): Millis {
    this.look();
    return this.#missed.reduce((sum, { atMs, byMs }) => (atMs > momentMs ? sum + byMs : sum), 0);
  }

  /**
   * Finds out whether time was missed since the last look. To be called before something new is remembered: what comes in
   * between the gap and the look that finds it counts as older than it is.
   */
  look(): void {
    const atMs = this.#clock.nowMs();
    const aheadMs = this.#clock.wallMs() - atMs;
    const byMs = aheadMs - this.#aheadMs;
    if (Math.abs(byMs) < missedMsMin) return;
    this.#aheadMs = aheadMs;
    if (byMs < 0) return;
    this.#missed.push({ atMs, byMs });
    if (this.#missed.length <= timesMax) return;
    const [first, second] = this.#missed;
    if (first && second) this.#missed.splice(0, 2, { ...second, byMs: first.byMs + second.byMs });
  }
}
