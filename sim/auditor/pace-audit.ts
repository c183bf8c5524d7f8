import type { Millis } from "../../src/core/units.ts";
import type { Hit } from "../sample-web/hit-log.ts";
import { Finding, timeText, type AuditCheck, type AuditRules } from "./audit-rules.ts";
import { urlOf } from "./page-audit.ts";

/** What is remembered of a host or an address. */
interface PaceState {
  readonly delayMs: Millis;
  hits: number;
  readonly firstAtMs: Millis;
  lastAtMs: Millis;
  /** When the requests finish that were open at the last arrival. */
  openUntilMs: Millis[];
}

/** How close a crawl came to what it was allowed. */
export interface PaceTotals {
  /** Shortest gap between two requests; undefined where no host had two. */
  readonly shortestGapMs?: Millis;
  /** By how much the tightest gap was longer than its delay (below 0: shorter). */
  readonly tightestSlackMs?: Millis;
  /** Requests made in the time they took, of those that the delays allow; all busy hosts together. */
  readonly rateUsed?: number;
  /** The same for the slowest of them. */
  readonly rateUsedLowest?: number;
  /** Hosts with enough requests to count. */
  readonly rateHosts: number;
}

/**
 * Checks when requests came, for one unit of politeness: the host, or the address.
 *
 * The gap is between the arrivals of two successive requests, so that neither the network's nor the server's delays
 * can hide one. Hits must be given in order of arrival.
 */
export class PaceAudit {
  readonly #rules: AuditRules;
  readonly #openMax: number;
  readonly #delayOf: (key: string) => Millis;
  readonly #states = new Map<string, PaceState>();
  readonly #gap: Finding;
  readonly #overlap: Finding;
  #shortestGapMs = Number.POSITIVE_INFINITY;
  #tightestSlackMs = Number.POSITIVE_INFINITY;

  constructor(unit: "host" | "address", rules: AuditRules, delayOf: (key: string) => Millis) {
    this.#rules = rules;
    this.#openMax = unit === "host" ? rules.openPerHostMax : rules.openPerAddressMax;
    this.#delayOf = delayOf;
    this.#gap = new Finding(`${unit}-gap`, rules);
    this.#overlap = new Finding(`${unit}-overlap`, rules);
  }

  see(key: string, hit: Hit): void {
    const state = this.#states.get(key);
    if (state === undefined) {
      const open = hit.complete ? [hit.finishedAtMs] : [];
      const { arrivedAtMs } = hit;
      this.#states.set(key, {
        delayMs: this.#delayOf(key),
        hits: 1,
        firstAtMs: arrivedAtMs,
        lastAtMs: arrivedAtMs,
        openUntilMs: open,
      });
      return;
    }
    this.#checkOverlap(state, key, hit);
    this.#checkGap(state, hit);
  }

  checks(): AuditCheck[] {
    return [this.#gap.result(), this.#overlap.result()];
  }

  totals(): PaceTotals {
    let allowedMs = 0;
    let takenMs = 0;
    let rateHosts = 0;
    let lowest = Number.POSITIVE_INFINITY;
    for (const { hits, firstAtMs, lastAtMs, delayMs } of this.#states.values()) {
      if (hits < Math.max(2, this.#rules.rateHitsMin) || delayMs === 0) continue;
      rateHosts += 1;
      allowedMs += (hits - 1) * delayMs;
      takenMs += lastAtMs - firstAtMs;
      lowest = Math.min(lowest, ((hits - 1) * delayMs) / (lastAtMs - firstAtMs));
    }
    const hasGaps = Number.isFinite(this.#shortestGapMs);
    return {
      rateHosts,
      ...(hasGaps && {
        shortestGapMs: this.#shortestGapMs,
        tightestSlackMs: this.#tightestSlackMs,
      }),
      ...(rateHosts > 0 && { rateUsed: allowedMs / takenMs, rateUsedLowest: lowest }),
    };
  }

  #checkGap(state: PaceState, hit: Hit): void {
    const { lastAtMs, delayMs } = state;
    const gapMs = hit.arrivedAtMs - lastAtMs;
    state.hits += 1;
    state.lastAtMs = hit.arrivedAtMs;
    this.#shortestGapMs = Math.min(this.#shortestGapMs, gapMs);
    this.#tightestSlackMs = Math.min(this.#tightestSlackMs, gapMs - delayMs);
    // Without a delay none is too short.
    if (delayMs === 0) return;
    this.#gap.look();
    if (gapMs < delayMs - this.#rules.toleranceMs) {
      this.#gap.violate(
        urlOf(hit),
        () =>
          `${gapMs.toFixed(2)} ms after the one before, at ${timeText(hit.arrivedAtMs)}, delay ${delayMs} ms`,
      );
    }
  }

  /** An answer that the client did not wait for says nothing of when it gave up, so it counts as over. */
  #checkOverlap(state: PaceState, key: string, hit: Hit): void {
    const { arrivedAtMs } = hit;
    const nowOpen = state.openUntilMs.filter((untilMs) => untilMs > arrivedAtMs);
    if (this.#openMax > 0) {
      this.#overlap.look();
      if (nowOpen.length >= this.#openMax) {
        this.#overlap.violate(
          urlOf(hit),
          () => `${nowOpen.length} open to ${key} at ${timeText(arrivedAtMs)} already`,
        );
      }
    }
    if (hit.complete) nowOpen.push(hit.finishedAtMs);
    state.openUntilMs = nowOpen;
  }
}
