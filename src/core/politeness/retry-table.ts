import type { Discovery } from "../record/queue-bundle.ts";

/** What is wrong with the certificate that a server shows. */
export type CertificateFailure =
  "certificate-expired" | "certificate-name" | "certificate-untrusted";

/** Every way an exchange can fail before it yields a usable response. */
export type FetchFailure =
  | "aborted"
  | "address-forbidden"
  | "connect-refused"
  | "connect-timeout"
  | "connect-unreachable"
  | "connection-reset"
  | "connection-stale"
  | "bad-encoding"
  | "bad-framing"
  | CertificateFailure
  | "content-length-mismatch"
  | "decompression-bomb"
  | "dns-error"
  | "dns-not-found"
  | "dns-timeout"
  | "head-timeout"
  | "head-too-large"
  | "idle-timeout"
  | "tls-error"
  | "total-timeout";

/**
 * What an attempt says of its host. `failed` and `overloaded` lengthen its backoff and count towards its
 * breaker and its halt; `ok` ends them; `neutral` is no evidence, for instance because no request was
 * made. The politeness delay is armed by all four.
 */
export type VerdictKind = "ok" | "overloaded" | "failed" | "neutral";

/** How an attempt ended: without a usable response, or with a response of this status. */
export type AttemptOutcome = { readonly failure: FetchFailure } | { readonly status: number };

/** What has been tried for one URL. */
export type Attempts = Pick<Discovery, "attempts" | "unseen">;

interface RetryRule {
  /** Attempts for one URL, at most, while they end like this; what a server saw and what none did count apart. */
  readonly attemptsMax: number;
  readonly verdict: VerdictKind;
}

/** What ends like this ends like this again: the fault is in the page, or in our own rules. */
const ONCE = 1;
/** Once more, in case the answer was cut on its way. */
const TWICE = 2;
/** Faults that pass by themselves, given the growing backoff between the attempts. */
const TRANSIENT = 3;
/** The server itself asks for patience, so more is given. */
const PATIENT = 5;
/**
 * No server saw a request: the fault may be that of our own network or name server, and meet every host at once. By the
 * default backoff the rests between eight attempts make 1 + 2 + 4 + ... + 64 = 127 s, up to half as much again by its
 * jitter; so an outage of two minutes costs no URL.
 */
const unseen: RetryRule = Object.freeze({ attemptsMax: 8, verdict: "failed" });

/** Certificates and protocol versions seldom change within an hour, and concern the whole host. */
const insecure: RetryRule = Object.freeze({ attemptsMax: TWICE, verdict: "failed" });

/** The retry policy for exchanges that yield no response. */
const failureRules: Readonly<Record<FetchFailure, RetryRule>> = Object.freeze({
  // Our own doing: the URL stays queued and the host is not judged.
  aborted: { attemptsMax: Number.MAX_SAFE_INTEGER, verdict: "neutral" },
  // Our policy forbids it; no request was made. Once more, because the name may have another address.
  "address-forbidden": { attemptsMax: TWICE, verdict: "neutral" },
  "connect-refused": unseen,
  "connect-timeout": unseen,
  "connect-unreachable": unseen,
  "connection-reset": { attemptsMax: TRANSIENT, verdict: "failed" },
  // Most servers close what was idle for long; whether this one saw the request is unknown, so the next waits its turn.
  // It has a connection of its own, so that this happens to a URL once.
  "connection-stale": { attemptsMax: TRANSIENT, verdict: "neutral" },
  // The host answered; one page of it is broken.
  "bad-encoding": { attemptsMax: ONCE, verdict: "ok" },
  // The host answered, but not in HTTP: mostly one broken page, and no proof that the host is well either.
  "bad-framing": { attemptsMax: TWICE, verdict: "neutral" },
  "certificate-expired": insecure,
  "certificate-name": insecure,
  "certificate-untrusted": insecure,
  // Mostly a script that counts wrongly, and then for ever; the host is well.
  "content-length-mismatch": { attemptsMax: TWICE, verdict: "ok" },
  "decompression-bomb": { attemptsMax: ONCE, verdict: "ok" },
  "dns-error": unseen,
  // An authoritative no, which is a server's answer; once more for a zone that is being changed.
  "dns-not-found": { attemptsMax: TWICE, verdict: "failed" },
  "dns-timeout": unseen,
  "head-timeout": { attemptsMax: TRANSIENT, verdict: "failed" },
  "head-too-large": { attemptsMax: ONCE, verdict: "ok" },
  "idle-timeout": { attemptsMax: TRANSIENT, verdict: "failed" },
  "tls-error": insecure,
  // Each attempt costs both sides a minute.
  "total-timeout": { attemptsMax: TWICE, verdict: "failed" },
});

/** An answer like any other: final, and the host is well. */
const answered: RetryRule = Object.freeze({ attemptsMax: ONCE, verdict: "ok" });

/** RFC 9110, section 15: an unknown status of a class is treated as the class's x00. */
const serverError: RetryRule = Object.freeze({ attemptsMax: TRANSIENT, verdict: "failed" });

/** The retry policy for statuses that are not simply answers. */
const statusRules: ReadonlyMap<number, RetryRule> = new Map<number, RetryRule>([
  // Request Timeout: the server gave up waiting for us.
  [408, { attemptsMax: TRANSIENT, verdict: "failed" }],
  // Too Early: RFC 8470 asks for one more request on a settled connection; the host is well.
  [425, { attemptsMax: TWICE, verdict: "ok" }],
  [429, { attemptsMax: PATIENT, verdict: "overloaded" }],
  [500, serverError],
  // Not Implemented and HTTP Version Not Supported: asking again changes nothing, and the server is well.
  [501, answered],
  [502, serverError],
  [503, { attemptsMax: PATIENT, verdict: "overloaded" }],
  [504, serverError],
  [505, answered],
]);

function ruleOf(outcome: AttemptOutcome): RetryRule {
  if ("failure" in outcome) return failureRules[outcome.failure];
  const { status } = outcome;
  return statusRules.get(status) ?? (status >= 500 && status <= 599 ? serverError : answered);
}

/**
 * Whether a URL is to be asked for again after all that was tried `before`, and an attempt that ended with `outcome`. The
 * last one's rule decides, and all that a server saw count, or all that none did, however they ended: so a URL that has
 * outlasted an outage of our own network is not lost to a server's first fault after it.
 *
 * When is the gate's business: every retry waits its turn like any other request to the host.
 */
export function isAskedAgain(outcome: AttemptOutcome, before: Attempts): boolean {
  const sameBefore = isUnseen(outcome) ? before.unseen : before.attempts - before.unseen;
  return sameBefore + 1 < ruleOf(outcome).attemptsMax;
}

/** Whether no server saw the attempt. */
export function isUnseen(outcome: AttemptOutcome): boolean {
  return ruleOf(outcome) === unseen;
}

/** What an attempt's end says of its host: the kind of the verdict that its gate records. */
export function verdictKindOf(outcome: AttemptOutcome): VerdictKind {
  return ruleOf(outcome).verdict;
}
