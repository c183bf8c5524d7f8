import type { FetchFailure } from "../politeness/retry-table.ts";
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
      /** The body broke off on its way, or is shorter than the server said. */
      readonly isCut?: boolean;
    }
  /** More than `redirectsMax` redirects, or one back to a URL of the chain. */
  | { readonly kind: "redirect-limit" }
  /** No response: name, connection, TLS, framing or time, or a host that wants to be left alone for long. */
  | { readonly kind: "unreachable" };

/** What is known of the origin from before. */
export interface RobotsHistory {
  /** Attempts in a row, before this one, that found it unreachable. */
  readonly failuresInRow: number;
  /** The last of these that were answers which broke off. */
  readonly cutsInRow?: number;
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

/** Longest time for which an answer is used (RFC 9309, 2.4): a day. */
export const freshMaxMs: Millis = 86_400_000;
/** Shortest time, whatever `Cache-Control` says: else `no-store` would mean one more request a page. */
const freshMinMs: Millis = 300_000;
/** Time until an unreachable origin without a copy is asked again; doubles with each failure. */
const firstRetryMinMs: Millis = 2_000;
/** The same where a copy serves meanwhile. */
const retryMinMs: Millis = 60_000;
/** Longest such time, unless a Retry-After asks for more. */
const retryMaxMs: Millis = 3_600_000;
/**
 * Failures in a row after which the queued URLs of an origin without a copy are given up. The waits between them make
 * `firstRetryMinMs * (2 ** (n - 1) - 1)`, two minutes: a restart or a name server's bad moment is over by then, and a
 * crawl does not last much longer for the dead hosts that it meets.
 */
const failuresMax = 7;
/** The same for failures that seldom pass by themselves, as that of a name that does not exist: six seconds. */
const lastingFailuresMax = 3;
/**
 * Answers in a row that break off, of which the last one counts as far as it came: some servers end each one so. Before,
 * such an origin counts as unreachable, as the line that keeps us out may be missing.
 */
const cutAnswersMax = 3;
/** Age up to which a copy serves while the origin is unreachable (RFC 9309, 2.3.1.4): 30 days. */
export const staleMaxMs: Millis = 2_592_000_000;

/** A zone, a certificate and our own rules are not changed within minutes. */
const lastingFailures: ReadonlySet<string> = new Set<FetchFailure>([
  "address-forbidden",
  "certificate-expired",
  "certificate-name",
  "certificate-untrusted",
  "dns-not-found",
  "tls-error",
]);

/** Redirects that the caller follows from a robots.txt, also to other origins (RFC 9309, 2.3.1.2). */
export const robotsRedirectsMax = 5;

const nothingKnown: RobotsHistory = Object.freeze({ failuresInRow: 0 });

/**
 * What a crawler may do after asking for a robots.txt (RFC 9309, 2.3.1).
 *
 * | outcome | verdict |
 * |---|---|
 * | 2xx | the rules of the body |
 * | 2xx whose body broke off | unreachable; the rules of what came when it breaks off again and again |
 * | 3xx that leads nowhere, too many redirects | unavailable: everything is allowed |
 * | 4xx but 429 | unavailable: everything is allowed |
 * | 429, 5xx, any other status, no response | unreachable: the copy's rules, without one nothing is allowed |
 */
export function robotsVerdict(
  outcome: RobotsFetchOutcome,
  history: RobotsHistory = nothingKnown,
): RobotsDecision {
  switch (outcome.kind) {
    case "redirect-limit":
      return { verdict: "allow-all", stale: false, ttlMs: freshMaxMs };
    case "unreachable":
      return whileUnreachable(history, 0);
    case "response": {
      const { status, cacheControl } = outcome;
      if (status < 200 || status >= 500 || status === 429) {
        return whileUnreachable(history, outcome.retryAfterMs ?? 0);
      }
      const verdict = status < 300 ? "rules" : "allow-all";
      if (isCutAnswer(outcome) && (history.cutsInRow ?? 0) + 1 < cutAnswersMax) {
        return whileUnreachable(history, 0);
      }
      return { verdict, stale: false, ttlMs: freshForMs(cacheControl) };
    }
  }
}

/** Whether rules came that broke off. */
export function isCutAnswer(outcome: RobotsFetchOutcome): boolean {
  if (outcome.kind !== "response" || outcome.isCut !== true) return false;
  return outcome.status >= 200 && outcome.status < 300;
}

/**
 * Whether an origin without a copy has been unreachable for so long that its queued URLs are given up; until then they
 * stay queued. `failure` is the last one, where no response came.
 */
export function isGivenUp({
  failuresInRow,
  failure,
}: {
  readonly failuresInRow: number;
  readonly failure?: string;
}): boolean {
  const isLasting = failure !== undefined && lastingFailures.has(failure);
  return failuresInRow >= (isLasting ? lastingFailuresMax : failuresMax);
}

function whileUnreachable(
  { failuresInRow, copy }: RobotsHistory,
  retryAfterMs: Millis,
): RobotsDecision {
  const waitMs = (minMs: Millis): Millis => {
    const backoffMs = Math.min(minMs * 2 ** failuresInRow, retryMaxMs);
    return Math.max(backoffMs, Math.min(retryAfterMs, freshMaxMs));
  };
  if (copy !== undefined && copy.ageMs <= staleMaxMs) {
    return { verdict: copy.verdict, stale: true, ttlMs: waitMs(retryMinMs) };
  }
  return { verdict: "disallow-all", stale: false, ttlMs: waitMs(firstRetryMinMs) };
}

function freshForMs(cacheControl: string | undefined): Millis {
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
