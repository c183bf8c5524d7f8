import type { Millis } from "../core/units.ts";

/** Takes a call back that has not been made yet; idempotent, and without effect afterwards. */
export type Cancel = () => void;

/** The only source of time. */
export interface Clock {
  /** Milliseconds since the Unix epoch, never decreasing within a process; fractions are allowed. */
  nowMs(): Millis;

  /**
   * What the machine's clock on the wall shows. It may be set forward or back, and unlike `nowMs` it counts the time that
   * the machine was asleep: for nothing but to notice that, and for dates that are told or kept.
   */
  wallMs(): Millis;

  /** Resolves after `ms`, or at once when `signal` aborts; never rejects. Callers look at the signal afterwards. */
  sleep(ms: Millis, signal?: AbortSignal): Promise<void>;

  /** Calls `action` once, after `ms`, unless the call is taken back before. Cheaper than a sleep with a signal of its own. */
  call(ms: Millis, action: () => void): Cancel;
}

/**
 * The later of the two times, to see whether a run of another peer can have begun yet: a process that began before the
 * machine's clock was set right would go on believing in nobody.
 */
export function latestOf(clock: Pick<Clock, "nowMs" | "wallMs">): Millis {
  return Math.max(clock.nowMs(), clock.wallMs());
}

/** A moment of `nowMs` as a date: what the clock on the wall showed then, as it is set now. */
export function dateOf(clock: Pick<Clock, "nowMs" | "wallMs">, atMs: Millis): Millis {
  return atMs + (clock.wallMs() - clock.nowMs());
}
