import type { Millis } from "../units.ts";

/** When the share of failures closes a host for a while. */
export interface BreakerOptions {
  /** Length of the sliding window. Longer is steadier, shorter notices sooner. @default 60_000 */
  readonly windowMs: Millis;
  /** The host is paused when more than this share of the window's outcomes are failures. @default 0.1 */
  readonly errorShare: number;
  /** Outcomes needed in the window before a share says anything. @default 10 */
  readonly samplesMin: number;
  /** How long the host is paused. @default 60_000 */
  readonly pauseMs: Millis;
}

export interface PolitenessOptions {
  /**
   * Longest Crawl-delay that is obeyed: a host that asks for an hour would hold its queue for years. @default
   * 30_000
   */
  readonly crawlDelayMaxMs: Millis;
  /**
   * A host rests for at least `adaptiveFactor` times as long as its last answer took, so that a host that
   * slows down is asked less: 1 keeps it busy at most half of the time. Off where the host's delay is 0.
   * @default 1
   */
  readonly adaptiveFactor: number;
  /**
   * Shortest time between two requests to one address, whatever the number of its hosts. An address never
   * waits longer than the delay of the host that was asked last, so that a delay of 0 switches both off.
   * @default 250
   */
  readonly addressDelayMs: Millis;
  /**
   * Rest after the first failure; after the n-th in a row it is `backoffBaseMs * 2 ** (n - 1)`. @default
   * 1_000
   */
  readonly backoffBaseMs: Millis;
  /** Longest backoff, jitter apart. @default 600_000 */
  readonly backoffMaxMs: Millis;
  /**
   * A backoff is lengthened by at most this share of it, so that hosts that failed together come back apart.
   * @default 0.5
   */
  readonly backoffJitterShare: number;
  /** Longest Retry-After that is obeyed. @default 86_400_000 */
  readonly retryAfterMaxMs: Millis;
  readonly breaker: BreakerOptions;
  /**
   * Failures in a row after which a host is halted: no more requests until an operator or `haltMs` lets it
   * back. @default 50
   */
  readonly haltFailuresInRow: number;
  /** How long a halted host rests unless an operator lets it back sooner. @default 86_400_000 */
  readonly haltMs: Millis;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

export const defaultPolitenessOptions: PolitenessOptions = Object.freeze({
  crawlDelayMaxMs: 30 * SECOND_MS,
  adaptiveFactor: 1,
  addressDelayMs: 250,
  backoffBaseMs: SECOND_MS,
  backoffMaxMs: 10 * MINUTE_MS,
  backoffJitterShare: 0.5,
  retryAfterMaxMs: DAY_MS,
  breaker: Object.freeze({
    windowMs: MINUTE_MS,
    errorShare: 0.1,
    samplesMin: 10,
    pauseMs: MINUTE_MS,
  }),
  haltFailuresInRow: 50,
  haltMs: DAY_MS,
});
