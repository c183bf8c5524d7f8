import type { Millis } from "../units.ts";
import type { BreakerOptions } from "./politeness-options.ts";

/** Outcomes that were recorded within one stretch of time. */
export interface BreakerBucket {
  readonly startAtMs: Millis;
  readonly total: number;
  readonly failed: number;
}

/** The window moves on in this many steps: 5 s each with the default window. */
export const BUCKETS_PER_WINDOW = 12;

/**
 * Says when too large a share of a host's recent outcomes were failures.
 *
 * Outcomes are counted in buckets, so that a window costs the same for one request a minute and for a
 * thousand a second; the price is that the window is up to one bucket shorter than its name. Opening it
 * forgets the window, and what was open then does not count: what comes after the pause is judged by itself.
 *
 * Invariant: at most `BUCKETS_PER_WINDOW` buckets are kept, in the order of time.
 */
export class CircuitBreaker {
  readonly #options: BreakerOptions;
  readonly #bucketMs: Millis;
  #buckets: BreakerBucket[];
  #openUntilMs: Millis;

  constructor(
    options: BreakerOptions,
    buckets: readonly BreakerBucket[] = [],
    openUntilMs: Millis = 0,
  ) {
    this.#options = options;
    this.#bucketMs = options.windowMs / BUCKETS_PER_WINDOW;
    this.#buckets = buckets
      .toSorted((left, right) => left.startAtMs - right.startAtMs)
      .slice(-BUCKETS_PER_WINDOW);
    this.#openUntilMs = openUntilMs;
  }

  /** The pause ends then; 0 when there was none. */
  get openUntilMs(): Millis {
    return this.#openUntilMs;
  }

  get buckets(): readonly BreakerBucket[] {
    return this.#buckets;
  }

  /** Whether there are failures in the window. */
  get hasFailures(): boolean {
    return this.#buckets.some(({ failed }) => failed > 0);
  }

  /** Counts an outcome; returns the share of failures when it opens the breaker. */
  record(failed: boolean, nowMs: Millis): number | undefined {
    if (nowMs < this.#openUntilMs) return undefined;
    this.#count(failed, nowMs);
    let total = 0;
    let failures = 0;
    for (const bucket of this.#buckets) {
      total += bucket.total;
      failures += bucket.failed;
    }
    const share = failures / total;
    if (total < this.#options.samplesMin || share <= this.#options.errorShare) return undefined;
    this.#openUntilMs = nowMs + this.#options.pauseMs;
    this.#buckets = [];
    return share;
  }

  /** Lets the host back at once and forgets what was counted. */
  reset(): void {
    this.#buckets = [];
    this.#openUntilMs = 0;
  }

  #count(failed: boolean, nowMs: Millis): void {
    // Buckets of the far future come from a clock that was set back since they were stored.
    this.#buckets = this.#buckets.filter(
      ({ startAtMs }) => Math.abs(startAtMs - nowMs) < this.#options.windowMs,
    );
    const startAtMs = Math.floor(nowMs / this.#bucketMs) * this.#bucketMs;
    const last = this.#buckets.at(-1);
    const sameBucket = last !== undefined && last.startAtMs >= startAtMs;
    const counted = sameBucket ? last : { startAtMs, total: 0, failed: 0 };
    if (sameBucket) this.#buckets.pop();
    else if (this.#buckets.length === BUCKETS_PER_WINDOW) this.#buckets.shift();
    this.#buckets.push({
      startAtMs: counted.startAtMs,
      total: counted.total + 1,
      failed: counted.failed + (failed ? 1 : 0),
    });
  }
}
