import type { Millis } from "../src/core/units.ts";
import type { Clock } from "../src/ports/clock.ts";

interface Sleeper {
  readonly wakeAtMs: Millis;
  readonly order: number;
  readonly wake: () => void;
}

/**
 * A clock that stands still while anything can go on, and then jumps to the next moment at which somebody wants to wake
 * up. So an hour of politeness takes the time of its computations, and takes the same course each time.
 */
export class VirtualClock implements Clock {
  #nowMs: Millis;
  #order = 0;
  readonly #sleepers = new Set<Sleeper>();

  /** @param startMs the moment at which it starts, as milliseconds since the Unix epoch */
  constructor(startMs: Millis = Date.UTC(2030, 0, 1)) {
    this.#nowMs = startMs;
  }

  nowMs(): Millis {
    return this.#nowMs;
  }

  sleep(ms: Millis, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const sleeper: Sleeper = {
        wakeAtMs: this.#nowMs + Math.max(ms, 0),
        order: this.#order++,
        wake: () => {
          this.#sleepers.delete(sleeper);
          signal?.removeEventListener("abort", sleeper.wake);
          resolve();
        },
      };
      this.#sleepers.add(sleeper);
      signal?.addEventListener("abort", sleeper.wake);
    });
  }

  /** Runs until `work` settles, moving time on whenever nothing else is left to do. Errors: what `work` rejects with. */
  async run<T>(work: Promise<T>): Promise<T> {
    const state = { settled: false };
    const watched = work.finally(() => {
      state.settled = true;
    });
    watched.catch(() => undefined);
    for (;;) {
      await turnOfTheEventLoop();
      if (state.settled) return watched;
      this.#advance();
    }
  }

  #advance(): void {
    let next: Sleeper | undefined;
    for (const sleeper of this.#sleepers) {
      if (!next || isBefore(sleeper, next)) next = sleeper;
    }
    if (!next) return;
    this.#nowMs = Math.max(this.#nowMs, next.wakeAtMs);
    next.wake();
  }
}

function isBefore(a: Sleeper, b: Sleeper): boolean {
  return a.wakeAtMs < b.wakeAtMs || (a.wakeAtMs === b.wakeAtMs && a.order < b.order);
}

/** Lets every promise that can settle do so. */
function turnOfTheEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
