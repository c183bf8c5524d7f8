import type { Millis } from "../core/units.ts";
import type { Clock } from "../ports/clock.ts";

/** A constant: an abort without a reason makes an error with a stack trace, each time. */
const rung = "rung";

/**
 * A sleep that can be cut short, as often as needed.
 *
 * Invariant: a ring while nobody sleeps is not lost: the next sleep ends at once.
 */
export class Alarm {
  readonly #clock: Clock;
  #sleeping: AbortController | undefined;
  #hasRung = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves after `ms`, or when the alarm rings. One sleeper at a time. */
  async sleep(ms: Millis): Promise<void> {
    if (!this.#hasRung && ms > 0) {
      const sleeping = new AbortController();
      this.#sleeping = sleeping;
      await this.#clock.sleep(ms, sleeping.signal);
      this.#sleeping = undefined;
    }
    this.#hasRung = false;
  }

  /** Ends the sleep under way; without one nothing happens. */
  rouse(): void {
    this.#sleeping?.abort(rung);
  }

  ring(): void {
    this.#hasRung = true;
    this.#sleeping?.abort(rung);
  }
}
