import type { Millis } from "../../core/units.ts";
import type { Clock } from "../../ports/clock.ts";

/** Longest delay that one timer can carry: above it the platform fires at once. */
const timerMsMax: Millis = 2 ** 31 - 1;

/**
 * The machine's clock. It starts at the wall clock's time and then only follows the monotonic clock, so that setting
 * the machine's time neither opens nor closes a gate.
 *
 * Invariant: a sleep never ends before its time, because a delay that ends early is impolite.
 */
export class SystemClock implements Clock {
  nowMs(): Millis {
    return performance.timeOrigin + performance.now();
  }

  wallMs(): Millis {
    return Date.now();
  }

  async sleep(ms: Millis, signal?: AbortSignal): Promise<void> {
    const endAtMs = this.nowMs() + ms;
    for (let leftMs = ms; leftMs > 0 && signal?.aborted !== true; leftMs = endAtMs - this.nowMs()) {
      await oneTimer(Math.min(Math.ceil(leftMs), timerMsMax), signal);
    }
  }
}

function oneTimer(ms: Millis, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end, { once: true });
  });
}
