import type { JobCounts } from "../answers/job-counts.ts";
import type { ExclusionReason } from "../jobs/exclusion.ts";
import { isJobId } from "../jobs/validate-job-options.ts";
import { isMemberId } from "../membership/read-member.ts";
import type { JobId, MemberId, Millis } from "../units.ts";
import { decodeJson, encodeJson } from "./json-payload.ts";
import {
  isWord,
  listOf,
  mapOf,
  objectOf,
  readAmount,
  readCount,
  readFlag,
  textOf,
  valueOf,
} from "./read-data.ts";

/** Totals of jobs in one message, at most. */
export const totalsMax = 4_000;

/**
 * Room for a job's totals in a message, in bytes: few take more, some 1,300, with every reason counted and let in again. A
 * member has it for each of its jobs, and once more.
 */
export const totalBytesMax = 1_000;

/** Members of whose past one message tells, at most. */
export const pastMembersMax = 1_000;

/** Reasons, or classes of HTTP status, that totals are split by. */
const namesMax = 64;

/** A job's totals at one member. */
export interface JobTotals {
  readonly job: JobId;
  readonly counts: JobCounts;
}

/** What was last heard of a member's totals. */
export interface PastTotals {
  readonly member: MemberId;
  /** Run of the member, and for how long it had run: of two tellings the later one holds. */
  readonly generation: number;
  readonly upMs: Millis;
  readonly jobs: readonly JobTotals[];
}

/** Asks a member for its figures, and tells it those of others that it shall remember. */
export interface StatsQuestion {
  readonly past: readonly PastTotals[];
}

/** What a member says of itself, and what it remembers of others. */
export interface StatsReply {
  readonly version: string;
  readonly generation: number;
  readonly upMs: Millis;
  readonly openRequests: number;
  readonly activeHosts: number;
  readonly pagesPerSecond: number;
  readonly jobs: readonly (JobTotals & { readonly finished: boolean })[];
  readonly past: readonly PastTotals[];
}

const readJob = valueOf(isJobId);

const readReasons = mapOf(isReasonName, readCount, namesMax);

const readCounts = objectOf<Omit<JobCounts, "letIn">, Pick<JobCounts, "letIn">>(
  {
    pages: readCount,
    fetched: readCount,
    failed: readCount,
    skipped: readReasons,
    queued: readCount,
    requests: readCount,
    duplicateFetches: readCount,
    overlapFetches: readCount,
    bytes: readCount,
    statuses: mapOf(isStatusClass, readCount, namesMax),
    activeMs: readAmount,
  },
  { letIn: readReasons },
);

const readPast = listOf(
  objectOf<PastTotals>({
    member: valueOf(isMemberId),
    generation: readCount,
    upMs: readAmount,
    jobs: listOf(objectOf<JobTotals>({ job: readJob, counts: readCounts }), totalsMax),
  }),
  pastMembersMax,
);

const readQuestion = objectOf<StatsQuestion>({ past: readPast });

const readReply = objectOf<StatsReply>({
  version: textOf(64, /^[\x21-\x7e]+$/),
  generation: readCount,
  upMs: readAmount,
  openRequests: readCount,
  activeHosts: readCount,
  pagesPerSecond: readAmount,
  jobs: listOf(
    objectOf<StatsReply["jobs"][number]>({ job: readJob, counts: readCounts, finished: readFlag }),
    totalsMax,
  ),
  past: readPast,
});

/** Whoever writes one keeps to `totalsMax`, of all members together. */
export function encodeStatsQuestion(question: StatsQuestion): Uint8Array<ArrayBuffer> {
  return encodeJson(question);
}

export function decodeStatsQuestion(payload: Uint8Array): StatsQuestion | undefined {
  return readQuestion(decodeJson(payload));
}

export function encodeStatsReply(reply: StatsReply): Uint8Array<ArrayBuffer> {
  return encodeJson(reply);
}

export function decodeStatsReply(payload: Uint8Array): StatsReply | undefined {
  return readReply(decodeJson(payload));
}

/** The form of a reason: a later version may know more of them. */
export function isReasonName(name: string): name is ExclusionReason {
  return isWord(name);
}

function isStatusClass(name: string): name is string {
  return /^\d{1,7}xx$/.test(name);
}
