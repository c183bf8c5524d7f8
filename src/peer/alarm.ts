import type { Millis } from "../core/units.ts";
import type { Clock } from "../ports/clock.ts";

/**
 * A sleep that can be cut short, as often as needed.
 *
 * Invariant: a ring while nobody sleeps is not lost: the next sleep ends at once.
 */
export class Alarm {
  readonly #clock: Clock;
  /** Ends the sleep under way. */
  #end: (() => void) | undefined;
  #hasRung = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves after `ms`, or when the alarm rings. One sleeper at a time. */
  async sleep(ms: Millis): Promise<void> {
    if (!this.#hasRung && ms > 0) {
      await new Promise<void>((resolve) => {
        const cancel = this.#clock.call(ms, resolve);
        this.#end = () => {
          cancel();
          resolve();
        };
      });
      this.#end = undefined;
    }
    this.#hasRung = false;
  }

  /** Ends the sleep under way; without one nothing happens. */
  rouse(): void {
    this.#end?.();
  }

  ring(): void {
    this.#hasRung = true;
    this.#end?.();
  }
}
