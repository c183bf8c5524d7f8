import type { RingPosition } from "../../../core/ring/ring-position.ts";
import type { Millis } from "../../../core/units.ts";
import type { Clock } from "../../../ports/clock.ts";

/** All that was written for some positions, up to a unit of the journal. */
export interface Written {
  readonly positions: readonly RingPosition[];
  readonly sequence: number;
}

interface Waiter {
  readonly written: Written;
  readonly resolve: (isCopied: boolean) => void;
}

/** Those who wait until what was written is durable at all members that must have a copy. */
export class CopyWaiters {
  readonly #clock: Clock;
  readonly #isCopied: (written: Written) => boolean;
  #waiting: Waiter[] = [];

  constructor(clock: Clock, isCopied: (written: Written) => boolean) {
    this.#clock = clock;
    this.#isCopied = isCopied;
  }

  /** Resolves with true when it is copied; with false when that has not come about within `withinMs`, or never will. */
  wait(written: Written, withinMs: Millis): Promise<boolean> {
    if (this.#isCopied(written)) return Promise.resolve(true);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiter: Waiter = {
      written,
      resolve: (isCopied) => {
        cancel();
        resolve(isCopied);
      },
    };
    this.#waiting.push(waiter);
    const cancel = this.#clock.call(withinMs, () => {
      this.#waiting = this.#waiting.filter((one) => one !== waiter);
      resolve(false);
    });
    return promise;
  }

  /** Something has changed by which one of them may be content. */
  look(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const waiter of waiting) {
      if (this.#isCopied(waiter.written)) waiter.resolve(true);
      else this.#waiting.push(waiter);
    }
  }

  /** Nothing will be copied any more. */
  giveUp(): void {
    for (const { resolve } of this.#waiting.splice(0)) resolve(false);
  }
}
