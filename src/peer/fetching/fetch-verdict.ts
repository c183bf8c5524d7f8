import type { FetchVerdict } from "../../core/politeness/host-gate.ts";
import { parseRetryAfter } from "../../core/politeness/retry-after.ts";
import { verdictKindOf } from "../../core/politeness/retry-table.ts";
import type { FetchOutcome } from "../../ports/fetcher.ts";
import { headerField } from "./header-fields.ts";

/** What a request's end says of its host. */
export function fetchVerdictOf(outcome: FetchOutcome): FetchVerdict {
  const { startedAtMs, finishedAtMs } = outcome;
  if (outcome.kind === "failure") {
    return { kind: verdictKindOf(outcome), startedAtMs, finishedAtMs };
  }
  const { status, headers, headAtMs } = outcome;
  const retryAfter = headerField(headers, "retry-after");
  const retryAfterMs =
    retryAfter && parseRetryAfter(retryAfter, finishedAtMs, headerField(headers, "date"));
  return {
    kind: verdictKindOf({ status }),
    startedAtMs,
    headAtMs,
    finishedAtMs,
    ...(typeof retryAfterMs === "number" && { retryAfterMs }),
  };
}
