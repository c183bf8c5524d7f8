import type { Millis } from "../../src/core/units.ts";

/** Within this time an answer is parsed, durable and replicated, or else something is wrong. */
export const inFlightMs = 2_500;

/** A request that was sent before its sender was killed reaches the log of a busy server within this time. */
export const onTheWayMs = 500;

/** What the crawl promised; the log is held against it. */
export interface AuditRules {
  /** Shortest time between two requests to a host; a longer Crawl-delay of the host wins. @default 1_000 */
  readonly hostDelayMs: Millis;
  /** Shortest time between two requests to an address; 0: only that they do not overlap. @default 0 */
  readonly addressDelayMs: Millis;
  /** Longest Crawl-delay that the crawler obeys. @default 60_000 */
  readonly crawlDelayMaxMs: Millis;
  /** Requests open at once to a host; 0 leaves it unchecked. @default 1 */
  readonly openPerHostMax: number;
  /** Requests open at once to an address; 0 leaves it unchecked. @default 1 */
  readonly openPerAddressMax: number;
  /** Requests for one URL, failed ones included. @default 10 */
  readonly attemptsMax: number;
  /** Fetches again that are explained otherwise, for instance by the crawler's own count of requests in flight at crashes. @default 0 */
  readonly refetchesAllowed: number;
  /**
   * When a peer was killed or began to stand still, by the server's clock: what it asked for until then, and had an
   * answer to not longer than {@link AuditRules.inFlightMs} before, may be asked for again, once for each of them. @default []
   */
  readonly interruptedAtMs: readonly Millis[];
  /** How long an answer may be known to one peer alone; more where the machine is overloaded. @default 2_500 */
  readonly inFlightMs: Millis;
  /** Requests for the robots.txt of one host after one was answered below 500; a restarted peer may ask again. @default 0 */
  readonly robotsRefetchesAllowed: number;
  /** Pages of traps fetched from one host: what the crawler's guards let through. @default 15_000 */
  readonly trapPagesPerHostMax: number;
  /** What a User-Agent must look like: a product with a version, and how to reach whoever runs it. */
  readonly userAgentPattern: RegExp;
  /**
   * By how much a gap may be short. Times come from the server's clock alone; this covers a crawler that counts in
   * whole milliseconds. At most 1. @default 1
   */
  readonly toleranceMs: Millis;
  /** Requests a host must have had for its share of the allowed rate to count. @default 10 */
  readonly rateHitsMin: number;
  /** Violations shown of each check. @default 10 */
  readonly examplesMax: number;
}

export const defaultAuditRules: AuditRules = Object.freeze({
  hostDelayMs: 1_000,
  addressDelayMs: 0,
  crawlDelayMaxMs: 60_000,
  openPerHostMax: 1,
  openPerAddressMax: 1,
  attemptsMax: 10,
  refetchesAllowed: 0,
  interruptedAtMs: [],
  inFlightMs,
  robotsRefetchesAllowed: 0,
  trapPagesPerHostMax: 15_000,
  userAgentPattern: /^\S+\/\d\S* .*(?:https?:\/\/|mailto:|\S@)\S+/,
  toleranceMs: 1,
  rateHitsMin: 10,
  examplesMax: 10,
});

/** Every check, with what it proves, in 42 characters at most; in the order in which a report shows them. */
export const auditChecks = {
  lost: "every reachable page was fetched",
  duplicate: "no page was fetched again after an answer",
  attempts: "no URL was tried more often than agreed",
  disallowed: "nothing robots.txt disallows was fetched",
  "robots-not-read": "each robots.txt was read before its pages",
  "robots-refetch": "each robots.txt was read once",
  nofollow: "no link was followed that says nofollow",
  "out-of-scope": "nothing was fetched outside the scope",
  unreachable: "nothing was fetched that nothing leads to",
  "unknown-url": "nothing was fetched that the web lacks",
  trap: "endless parts of sites were left in time",
  "host-gap": "no gap at a host was below its delay",
  "address-gap": "no gap at an address was below its delay",
  "host-overlap": "no host had more open than agreed",
  "address-overlap": "no address had more open than agreed",
  "retry-after": "no request came within a Retry-After",
  "wrong-address": "each host was asked at its own address",
  method: "only GET was used",
  "user-agent": "every request said who sends it",
} as const;

export type AuditCheckName = keyof typeof auditChecks;

export interface AuditExample {
  readonly url: string;
  readonly detail: string;
}

/** Result of one check. */
export interface AuditCheck {
  readonly name: AuditCheckName;
  /** Pages, requests or gaps looked at. */
  readonly checked: number;
  readonly violations: number;
  /** Violations that are explained, so that the check still passes. */
  readonly allowed: number;
  readonly passed: boolean;
  readonly examples: readonly AuditExample[];
}

/** Gathers the findings of one check. */
export class Finding {
  readonly name: AuditCheckName;
  readonly #examplesMax: number;
  readonly #examples: AuditExample[] = [];
  #checked = 0;
  #violations = 0;

  constructor(name: AuditCheckName, rules: AuditRules) {
    this.name = name;
    this.#examplesMax = rules.examplesMax;
  }

  /** Counts one thing looked at. */
  look(count = 1): void {
    this.#checked += count;
  }

  /** Counts a violation; `detail` is only asked for where it is shown. */
  violate(url: string, detail: () => string): void {
    this.#violations += 1;
    if (this.#examples.length < this.#examplesMax) {
      this.#examples.push({ url, detail: detail() });
    }
  }

  result(allowed = 0): AuditCheck {
    return {
      name: this.name,
      checked: this.#checked,
      violations: this.#violations,
      allowed,
      passed: this.#violations <= allowed,
      examples: this.#examples,
    };
  }
}

/** Time of day of a hit, for people. */
export function timeText(atMs: Millis): string {
  const hundredths = Math.floor((atMs % 1) * 100);
  const text = new Date(Math.floor(atMs)).toISOString().slice(11, 23);
  return text + String(hundredths).padStart(2, "0");
}
