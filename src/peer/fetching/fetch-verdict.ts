import type { FetchVerdict } from "../../core/politeness/host-gate.ts";
import { parseRetryAfter } from "../../core/politeness/retry-after.ts";
import { verdictKindOf } from "../../core/politeness/retry-table.ts";
import type { FetchOutcome } from "../../ports/fetcher.ts";
import { headerField, headerFields } from "./header-fields.ts";

/** What a request's end says of its host. */
export function fetchVerdictOf(outcome: FetchOutcome): FetchVerdict {
  const { startedAtMs, finishedAtMs } = outcome;
  if (outcome.kind === "failure") {
    return { kind: verdictKindOf(outcome), startedAtMs, finishedAtMs };
  }
  const { status, headers, headAtMs } = outcome;
  // A proxy may have added one of its own.
  const waitsMs = headerFields(headers, "retry-after").flatMap(
    (value) => parseRetryAfter(value, finishedAtMs, headerField(headers, "date")) ?? [],
  );
  return {
    kind: verdictKindOf({ status }),
    startedAtMs,
    headAtMs,
    finishedAtMs,
    ...(waitsMs.length > 0 && { retryAfterMs: Math.max(...waitsMs) }),
  };
}
