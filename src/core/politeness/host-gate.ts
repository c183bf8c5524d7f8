import type { Millis } from "../units.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";
import type { BreakerBucket } from "./circuit-breaker.ts";
import type { PolitenessOptions } from "./politeness-options.ts";
import type { VerdictKind } from "./retry-table.ts";

/** How a request to the host went. */
export interface FetchVerdict {
  readonly kind: VerdictKind;
  readonly startedAtMs: Millis;
  /** When the response's head arrived; absent where none came. */
  readonly headAtMs?: Millis;
  readonly finishedAtMs: Millis;
  /** What Retry-After asked for, from `finishedAtMs` on; heeded when the host is `overloaded` or `failed`. */
  readonly retryAfterMs?: Millis;
}

/** Why a host may not be asked now. */
export type GateHold = "politeness" | "backoff" | "breaker" | "halted";

/** What an operator wants to hear of. */
export type GateEvent =
  | { readonly kind: "halted"; readonly untilMs: Millis; readonly failuresInRow: number }
  | { readonly kind: "breaker-opened"; readonly untilMs: Millis; readonly errorShare: number };

/** A gate as plain data, with the names of `HostRecord`. */
export interface HostGateState {
  /** The latest of all the gate's clocks. */
  readonly nextFetchAtMs: Millis;
  readonly failuresInRow: number;
  readonly haltedUntilMs?: Millis;
  readonly politeUntilMs?: Millis;
  readonly backoffUntilMs?: Millis;
  readonly breakerUntilMs?: Millis;
  readonly breakerBuckets: BreakerBucket[];
}

/**
 * Decides when a host may be asked again.
 *
 * Four clocks run independently and the latest wins: the politeness delay, armed by every request; the
 * backoff, armed by failures, by Retry-After and by a robots.txt that cannot be read; the breaker's pause; the halt. Kept apart, each can say that
 * it is the reason, and none can be mistaken for another.
 *
 * Invariant: `nextFetchAtMs` never moves backwards, except through {@link HostGate.release}.
 */
export class HostGate {
  readonly #options: PolitenessOptions;
  readonly #breaker: CircuitBreaker;
  #politeUntilMs: Millis;
  #backoffUntilMs: Millis;
  #haltedUntilMs: Millis;
  #failuresInRow: number;

  constructor(options: PolitenessOptions, state?: HostGateState) {
    this.#options = options;
    this.#breaker = new CircuitBreaker(
      options.breaker,
      state?.breakerBuckets,
      state?.breakerUntilMs,
    );
    this.#backoffUntilMs = state?.backoffUntilMs ?? 0;
    this.#haltedUntilMs = state?.haltedUntilMs ?? 0;
    this.#failuresInRow = state?.failuresInRow ?? 0;
    this.#politeUntilMs = state?.politeUntilMs ?? state?.nextFetchAtMs ?? 0;
  }

  /** No request may start before. */
  get nextFetchAtMs(): Millis {
    return Math.max(this.#politeUntilMs, this.#failureUntilMs());
  }

  /** Whether it remembers failures: in a row, or within the breaker's window. */
  get hasFailures(): boolean {
    return this.#failuresInRow > 0 || this.#breaker.hasFailures;
  }

  /**
   * A request starts. It arms the delay at once, for hosts that allow several requests at a time; there the
   * gap is counted from start to start.
   */
  opened(nowMs: Millis, delayMs: Millis): void {
    this.#politeUntilMs = Math.max(this.#politeUntilMs, nowMs + delayMs);
  }

  /**
   * A request ended. Returns what an operator should hear of.
   *
   * The delay is counted from the moment at which the server has surely seen the request, so that no two
   * entries of its own log are closer than `delayMs`. `jitter` in [0, 1) spreads the ends of backoffs.
   */
  record(verdict: FetchVerdict, delayMs: Millis, jitter = 0): GateEvent | undefined {
    this.#armPoliteness(verdict, delayMs);
    switch (verdict.kind) {
      case "neutral":
        return undefined;
      case "ok":
        return this.#recordSuccess(verdict.finishedAtMs);
      case "overloaded":
      case "failed":
        return this.#recordFailure(verdict, jitter);
    }
  }

  /** The host is left alone for that long, whatever its requests say of it. */
  restUntil(atMs: Millis): void {
    this.#backoffUntilMs = Math.max(this.#backoffUntilMs, atMs);
  }

  /** Ends a rest sooner that {@link restUntil} has called for, unless the host is to rest for longer than that anyway. */
  shortenRest(fromMs: Millis, toMs: Millis): void {
    if (this.#backoffUntilMs === fromMs) this.#backoffUntilMs = Math.min(fromMs, toMs);
  }

  /**
   * Which clock keeps the gate closed: the halt while it lasts, since only an operator ends it sooner, else the one that ends
   * last. A server that asks for a day by its Retry-After moves the backoff beyond the halt, with requests that were open when
   * it came. A request that failed after long is paid for by a rest as long, which may outlast the backoff: while failures
   * are in a row, that is a rest after a failure too.
   */
  hold(nowMs: Millis): GateHold | undefined {
    const untilMs = this.nextFetchAtMs;
    if (nowMs >= untilMs) return undefined;
    if (nowMs < this.#haltedUntilMs) return "halted";
    if (untilMs === this.#breaker.openUntilMs) return "breaker";
    if (untilMs === this.#backoffUntilMs || this.#failuresInRow > 0) return "backoff";
    return "politeness";
  }

  /** Lets the host back: its failures are forgotten, its politeness delay is kept. */
  release(): void {
    this.#breaker.reset();
    this.#backoffUntilMs = 0;
    this.#haltedUntilMs = 0;
    this.#failuresInRow = 0;
  }

  /** The gate as plain data; a gate made from it behaves the same. */
  snapshot(): HostGateState {
    const breakerUntilMs = this.#breaker.openUntilMs;
    return {
      nextFetchAtMs: this.nextFetchAtMs,
      failuresInRow: this.#failuresInRow,
      politeUntilMs: this.#politeUntilMs,
      breakerBuckets: [...this.#breaker.buckets],
      ...(this.#haltedUntilMs > 0 && { haltedUntilMs: this.#haltedUntilMs }),
      ...(this.#backoffUntilMs > 0 && { backoffUntilMs: this.#backoffUntilMs }),
      ...(breakerUntilMs > 0 && { breakerUntilMs }),
    };
  }

  #failureUntilMs(): Millis {
    return Math.max(this.#backoffUntilMs, this.#breaker.openUntilMs, this.#haltedUntilMs);
  }

  #armPoliteness(verdict: FetchVerdict, delayMs: Millis): void {
    const { startedAtMs, finishedAtMs } = verdict;
    const seenAtMs = verdict.headAtMs ?? finishedAtMs;
    const restMs = delayMs > 0 ? this.#options.adaptiveFactor * (finishedAtMs - startedAtMs) : 0;
    this.#politeUntilMs = Math.max(
      this.#politeUntilMs,
      seenAtMs + delayMs,
      restMs > 0 ? finishedAtMs + restMs : 0,
    );
  }

  #recordSuccess(nowMs: Millis): GateEvent | undefined {
    this.#failuresInRow = 0;
    return this.#breakerEvent(false, nowMs);
  }

  #recordFailure(verdict: FetchVerdict, jitter: number): GateEvent | undefined {
    const nowMs = verdict.finishedAtMs;
    this.#failuresInRow += 1;
    this.#armBackoff(verdict, jitter);
    const event = this.#breakerEvent(true, nowMs);
    // The count is kept through the halt: a host let back by the timer is halted again by its first failure.
    if (this.#failuresInRow < this.#options.haltFailuresInRow || nowMs < this.#haltedUntilMs) {
      return event;
    }
    this.#haltedUntilMs = nowMs + this.#options.haltMs;
    return {
      kind: "halted",
      untilMs: this.#haltedUntilMs,
      failuresInRow: this.#failuresInRow,
    };
  }

  #armBackoff(verdict: FetchVerdict, jitter: number): void {
    const { backoffBaseMs, backoffMaxMs, backoffJitterShare, retryAfterMaxMs } = this.#options;
    const doubledMs = Math.min(backoffBaseMs * 2 ** (this.#failuresInRow - 1), backoffMaxMs);
    const backoffMs = doubledMs * (1 + jitter * backoffJitterShare);
    const retryAfterMs = Math.min(verdict.retryAfterMs ?? 0, retryAfterMaxMs);
    this.#backoffUntilMs = Math.max(
      this.#backoffUntilMs,
      verdict.finishedAtMs + Math.max(backoffMs, retryAfterMs),
    );
  }

  #breakerEvent(failed: boolean, nowMs: Millis): GateEvent | undefined {
    const errorShare = this.#breaker.record(failed, nowMs);
    if (errorShare === undefined) return undefined;
    return { kind: "breaker-opened", untilMs: this.#breaker.openUntilMs, errorShare };
  }
}
