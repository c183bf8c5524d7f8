import type { Millis } from "../../src/core/units.ts";
import type { Cancel, Clock } from "../../src/ports/clock.ts";
import type { VirtualClock } from "../virtual-clock.ts";

/** How a machine's clock differs from true time. */
export interface ClockSkew {
  /** How far it is ahead of true time at the beginning; negative: behind. @default 0 */
  readonly offsetMs: Millis;
  /** By how many millionths it runs too fast; quartz stays within some 100. @default 0 */
  readonly driftPpm: number;
}

export const noSkew: ClockSkew = Object.freeze({ offsetMs: 0, driftPpm: 0 });

/** Added to each sleep, since times of this size are kept to a quarter of a microsecond: nobody wakes too early. */
const roundingMs = 0.001;

/**
 * Time as one machine shows it to one process: a clock that follows the one on the wall as it stood when the process began,
 * and the one on the wall, which may be set.
 *
 * Invariant: the process's own never runs backwards; who sleeps for some time finds at least that much gone on it.
 */
export class SkewedClock implements Clock {
  readonly #trueClock: VirtualClock;
  readonly #bornAtMs: Millis;
  readonly #rate: number;
  readonly #offsetMs: Millis;
  /** How far the clock on the wall is ahead of the process's own. */
  #setByMs: Millis = 0;

  /** @param bornAtMs the true moment from which the drift counts */
  constructor(
    trueClock: VirtualClock,
    { offsetMs, driftPpm }: ClockSkew = noSkew,
    bornAtMs: Millis = trueClock.nowMs(),
  ) {
    if (!(Math.abs(driftPpm) < 1_000_000)) throw new RangeError(`no such drift: ${driftPpm}`);
    this.#trueClock = trueClock;
    this.#bornAtMs = bornAtMs;
    this.#rate = 1 + driftPpm / 1_000_000;
    this.#offsetMs = offsetMs;
  }

  nowMs(): Millis {
    return this.shownAt(this.#trueClock.nowMs());
  }

  wallMs(): Millis {
    return this.nowMs() + this.#setByMs;
  }

  /** Sets the clock on the wall to be so far ahead of true time now. */
  set(offsetMs: Millis): void {
    const trueMs = this.#trueClock.nowMs();
    this.#setByMs = trueMs + offsetMs - this.shownAt(trueMs);
  }

  /** Whether the clock on the wall has been set since this process began. */
  get isSet(): boolean {
    return this.#setByMs !== 0;
  }

  /** The clock of a process that begins now. */
  begunAnew(): SkewedClock {
    const skew = {
      offsetMs: this.#offsetMs + this.#setByMs,
      driftPpm: (this.#rate - 1) * 1_000_000,
    };
    return new SkewedClock(this.#trueClock, skew, this.#bornAtMs);
  }

  /** What the process's own clock shows at a true moment. */
  shownAt(trueMs: Millis): Millis {
    return this.#bornAtMs + (trueMs - this.#bornAtMs) * this.#rate + this.#offsetMs;
  }

  sleep(ms: Millis, signal?: AbortSignal): Promise<void> {
    return this.#trueClock.sleep(this.trueDuration(ms), signal);
  }

  call(ms: Millis, action: () => void): Cancel {
    return this.#trueClock.call(this.trueDuration(ms), action);
  }

  /** How long `ms` of this clock take. */
  trueDuration(ms: Millis): Millis {
    if (ms <= 0 || this.#rate === 1) return ms;
    return ms / this.#rate + roundingMs;
  }
}
