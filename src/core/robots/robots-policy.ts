import type { Millis } from "../units.ts";

/** How asking an origin for its robots.txt ended, redirects followed. */
export type RobotsFetchOutcome =
  | {
      readonly kind: "response";
      readonly status: number;
      /** Value of the `Cache-Control` field, where there is one. */
      readonly cacheControl?: string;
      /** What a `Retry-After` field asks for, where there is one. */
      readonly retryAfterMs?: Millis;
    }
  /** More than `redirectsMax` redirects, or one back to a URL of the chain. */
  | { readonly kind: "redirect-limit" }
  /** No response: name, connection, TLS, framing or time. */
  | { readonly kind: "unreachable" };

/** What is known of the origin from before. */
export interface RobotsHistory {
  /** Attempts in a row, before this one, that found it unreachable. */
  readonly failuresInRow: number;
  /** The last answer that was one, however old. */
  readonly copy?: { readonly verdict: "rules" | "allow-all"; readonly ageMs: Millis };
}

export interface RobotsDecision {
  /** `rules`: those of the body, or of the copy where `stale`. */
  readonly verdict: "rules" | "allow-all" | "disallow-all";
  /** True: the copy is used on, because the origin cannot be reached. */
  readonly stale: boolean;
  /** How long the decision holds; then the origin is to be asked again. */
  readonly ttlMs: Millis;
}

export interface RobotsPolicyOptions {
  /** Longest time for which an answer is used (RFC 9309, 2.4). @default 86_400_000, a day */
  readonly freshMaxMs: Millis;
  /** Shortest time, whatever `Cache-Control` says: else `no-store` would mean one more request a page. @default 300_000 */
  readonly freshMinMs: Millis;
  /** Time until an unreachable origin is asked again; doubles with each failure. @default 60_000 */
  readonly retryMinMs: Millis;
  /** Longest such time. @default 3_600_000 */
  readonly retryMaxMs: Millis;
  /** Age up to which a copy serves while the origin is unreachable (RFC 9309, 2.3.1.4). @default 2_592_000_000, 30 days */
  readonly staleMaxMs: Millis;
}

export const defaultRobotsPolicyOptions: RobotsPolicyOptions = Object.freeze({
  freshMaxMs: 86_400_000,
  freshMinMs: 300_000,
  retryMinMs: 60_000,
  retryMaxMs: 3_600_000,
  staleMaxMs: 2_592_000_000,
});

/** Redirects that the caller follows from a robots.txt, also to other origins (RFC 9309, 2.3.1.2). */
export const robotsRedirectsMax = 5;

const nothingKnown: RobotsHistory = Object.freeze({ failuresInRow: 0 });

/**
 * What a crawler may do after asking for a robots.txt (RFC 9309, 2.3.1).
 *
 * | outcome | verdict |
 * |---|---|
 * | 2xx | the rules of the body |
 * | 3xx that leads nowhere, too many redirects | unavailable: everything is allowed |
 * | 4xx but 429 | unavailable: everything is allowed |
 * | 429, 5xx, any other status, no response | unreachable: the copy's rules, without one nothing is allowed |
 */
export function robotsVerdict(
  outcome: RobotsFetchOutcome,
  history: RobotsHistory = nothingKnown,
  options: RobotsPolicyOptions = defaultRobotsPolicyOptions,
): RobotsDecision {
  switch (outcome.kind) {
    case "redirect-limit":
      return { verdict: "allow-all", stale: false, ttlMs: options.freshMaxMs };
    case "unreachable":
      return whileUnreachable(history, 0, options);
    case "response": {
      const { status, cacheControl, retryAfterMs = 0 } = outcome;
      if (status < 200 || status >= 500 || status === 429) {
        return whileUnreachable(history, retryAfterMs, options);
      }
      const verdict = status < 300 ? "rules" : "allow-all";
      return { verdict, stale: false, ttlMs: freshForMs(cacheControl, options) };
    }
  }
}

function whileUnreachable(
  { failuresInRow, copy }: RobotsHistory,
  retryAfterMs: Millis,
  { retryMinMs, retryMaxMs, staleMaxMs }: RobotsPolicyOptions,
): RobotsDecision {
  const backoffMs = retryMinMs * 2 ** failuresInRow;
  const ttlMs = Math.min(Math.max(backoffMs, retryAfterMs), retryMaxMs);
  return copy !== undefined && copy.ageMs <= staleMaxMs
    ? { verdict: copy.verdict, stale: true, ttlMs }
    : { verdict: "disallow-all", stale: false, ttlMs };
}

function freshForMs(
  cacheControl: string | undefined,
  { freshMinMs, freshMaxMs }: RobotsPolicyOptions,
): Millis {
  const askedMs = cacheControl === undefined ? undefined : maxAgeMs(cacheControl);
  return askedMs === undefined ? freshMaxMs : Math.min(Math.max(askedMs, freshMinMs), freshMaxMs);
}

/** `max-age` of a `Cache-Control` field (RFC 9111, 5.2.2); nothing where a response is not to be reused. */
function maxAgeMs(cacheControl: string): Millis | undefined {
  const directives = cacheControl.split(",").map((directive) => directive.trim().toLowerCase());
  if (directives.some((name) => name === "no-store" || name === "no-cache")) return 0;
  for (const directive of directives) {
    const seconds = /^max-age="?(\d{1,10})"?$/.exec(directive)?.[1];
    if (seconds !== undefined) return Number(seconds) * 1_000;
  }
  return undefined;
}
