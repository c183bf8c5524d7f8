import type { Millis } from "../../core/units.ts";
import type { Cancel, Clock } from "../../ports/clock.ts";

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

  sleep(ms: Millis, signal?: AbortSignal): Promise<void> {
    if (!(ms > 0) || signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const end = (): void => {
        cancel();
        resolve();
      };
      const cancel = this.call(ms, wake);
      signal?.addEventListener("abort", end, { once: true });
    });
  }

  call(ms: Millis, action: () => void): Cancel {
    const dueAtMs = this.nowMs() + ms;
    // A timer may fire a fraction of a millisecond early, and carries no more than its maximum.
    const look = (): void => {
      const leftMs = dueAtMs - this.nowMs();
      if (leftMs > 0) timer = wait(leftMs);
      else action();
    };
    // What is due already is due in a moment: the platform warns of a time that is negative.
    const wait = (leftMs: Millis): NodeJS.Timeout =>
      setTimeout(look, Math.min(Math.max(1, Math.ceil(leftMs)), timerMsMax));
    let timer = wait(ms);
    return () => clearTimeout(timer);
  }
}
