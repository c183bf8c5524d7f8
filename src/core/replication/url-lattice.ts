import { isOfCountingGuard } from "../jobs/exclusion.ts";
import { compareKeys } from "../record/compare-keys.ts";
import { ExclusionRecord, UrlOutcome, UrlRecord } from "../record/record.pb.ts";
import { urlState } from "../record/url-state.ts";
import { decodeWithin, rowBytesMax } from "./row-lattice.ts";
import type { RowLattice } from "./row-lattice.ts";

/**
 * A URL's record only moves up: kept out by a guard that counts, queued, excluded without having been asked, fetched or failed.
 *
 * Of two queued ones the join has the most attempts and the least depth, and nothing else. Of two that are done the later
 * fetch wins whole, and between equal times the greater bytes, so that no record is put together from two fetches.
 */
export const urlLattice: RowLattice<UrlRecord> = { read, join, write: UrlRecord.encode };

/** Of two reasons for one URL the greater bytes win: each is true, and one is enough. */
export const exclusionLattice: RowLattice<ExclusionRecord> = {
  read: (value) => decodeWithin(value, rowBytesMax, ExclusionRecord.decode),
  join: (one, other) =>
    compareKeys(ExclusionRecord.encode(one), ExclusionRecord.encode(other)) >= 0 ? one : other,
  write: ExclusionRecord.encode,
};

/** Whether two fetches of one URL came to an end: by two peers, or at two times. */
export function areTwoFetches(one: UrlRecord, other: UrlRecord): boolean {
  if (!wasAsked(one) || !wasAsked(other)) return false;
  if (one.fetchedAtMs !== other.fetchedAtMs) return true;
  const [by, otherBy] = [one.capturedBy, other.capturedBy];
  return by !== undefined && otherBy !== undefined && by !== otherBy;
}

/** Why a guard or robots.txt kept the URL of this record out, if one did: it counts as skipped at whoever wrote that. */
export function keptOutFor(record: Uint8Array): string | undefined {
  const { excluded, httpStatus } = UrlOutcome.decode(record);
  return httpStatus === 0 ? excluded : undefined;
}

function read(value: Uint8Array): UrlRecord | undefined {
  const record = decodeWithin(value, rowBytesMax, UrlRecord.decode);
  if (!record) return undefined;
  const { state, attempts, depth, fetchedAtMs, bodyBytes, capture, body } = record;
  if (state === urlState.queued) return { ...urlState.fresh, state, attempts, depth };
  const numbers = [fetchedAtMs, bodyBytes, capture?.offset ?? 0, body?.offset ?? 0];
  return state === urlState.done && numbers.every(isCount) ? record : undefined;
}

function join(one: UrlRecord, other: UrlRecord): UrlRecord {
  const [stage, otherStage] = [stageOf(one), stageOf(other)];
  if (stage !== otherStage) return stage > otherStage ? one : other;
  if (one.state === urlState.done) return compareDone(one, other) >= 0 ? one : other;
  return {
    ...urlState.fresh,
    state: one.state,
    attempts: Math.max(one.attempts, other.attempts),
    depth: Math.min(one.depth, other.depth),
  };
}

function stageOf({ state, excluded }: UrlRecord): number {
  return isOfCountingGuard(excluded) ? 0 : state;
}

function compareDone(one: UrlRecord, other: UrlRecord): number {
  return (
    Number(wasAsked(one)) - Number(wasAsked(other)) ||
    one.fetchedAtMs - other.fetchedAtMs ||
    compareKeys(UrlRecord.encode(one), UrlRecord.encode(other))
  );
}

/** Whether a request was made for it and came to an end; false where a rule, or a robots.txt that failed, kept it out. */
function wasAsked({ state, attempts, httpStatus, failure }: UrlRecord): boolean {
  return state === urlState.done && (httpStatus !== 0 || (failure !== undefined && attempts > 0));
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
