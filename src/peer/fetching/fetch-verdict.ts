import type { HostAnswer } from "../../core/answers/host-status.ts";
import { headerField, headerFields } from "../../core/net/header-fields.ts";
import type { FetchVerdict } from "../../core/politeness/host-gate.ts";
import { parseRetryAfter } from "../../core/politeness/retry-after.ts";
import { verdictKindOf, type VerdictKind } from "../../core/politeness/retry-table.ts";
import { dateOf, type Clock } from "../../ports/clock.ts";
import type { FetchOutcome } from "../../ports/fetcher.ts";

/**
 * What a request's end says of its host. A date in it is one of the clock on the wall, where the server does not tell its own:
 * `nowMs` is behind after a sleep of the machine.
 */
export function fetchVerdictOf(
  outcome: FetchOutcome,
  clock: Pick<Clock, "nowMs" | "wallMs">,
): FetchVerdict {
  const { startedAtMs, finishedAtMs } = outcome;
  if (outcome.kind === "failure") {
    return { kind: verdictKindOf(outcome), startedAtMs, finishedAtMs };
  }
  const { status, headers, headAtMs } = outcome;
  const endedAt = dateOf(clock, finishedAtMs);
  // A proxy may have added one of its own.
  const waitsMs = headerFields(headers, "retry-after").flatMap(
    (value) => parseRetryAfter(value, endedAt, headerField(headers, "date")) ?? [],
  );
  return {
    kind: verdictKindOf({ status }),
    startedAtMs,
    headAtMs,
    finishedAtMs,
    ...(waitsMs.length > 0 && { retryAfterMs: Math.max(...waitsMs) }),
  };
}

/** How the host failed last, as of a request that ended with a verdict of this kind; undefined where it is well. */
export function lastFailureOf(
  outcome: FetchOutcome,
  kind: VerdictKind,
  before: HostAnswer | undefined,
): HostAnswer | undefined {
  if (kind === "ok") return undefined;
  if (kind === "neutral") return before;
  return outcome.kind === "failure"
    ? { httpStatus: 0, failure: outcome.failure }
    : { httpStatus: outcome.status };
}
