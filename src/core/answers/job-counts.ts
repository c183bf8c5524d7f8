import type { ExclusionReason } from "../jobs/exclusion.ts";
import type { Millis } from "../units.ts";

/** Running totals of one job; `fetched`, `failed` and the sum of `skipped` count URLs, not requests. */
export interface JobCounts {
  /** 200-answers that were HTML, and pages that the server says have not changed since another job. */
  readonly pages: number;
  /** URLs answered by the server, with any status. */
  readonly fetched: number;
  /** URLs given up after their last attempt. */
  readonly failed: number;
  readonly skipped: Readonly<Partial<Record<ExclusionReason, number>>>;
  /** URLs waiting or being fetched. */
  readonly queued: number;
  /**
   * Requests made, retries included, robots.txt apart. An attempt that ends before a request, since the host's name has no
   * address, is none.
   */
  readonly requests: number;
  /** Requests that were in flight when the process died and were made again. */
  readonly duplicateFetches: number;
  /** URLs fetched on both sides of a partition, or by a member that had been taken for dead, as far as this came to light. */
  readonly overlapFetches: number;
  /** Body bytes received, as on the wire. */
  readonly bytes: number;
  /** Answers by status class: "2xx" and so on. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Time spent crawling, over all runs. */
  readonly activeMs: Millis;
}

export const noJobCounts: JobCounts = Object.freeze({
  pages: 0,
  fetched: 0,
  failed: 0,
  skipped: Object.freeze({}),
  queued: 0,
  requests: 0,
  duplicateFetches: 0,
  overlapFetches: 0,
  bytes: 0,
  statuses: Object.freeze({}),
  activeMs: 0,
});

/** What two peers have done together. */
export function addJobCounts(one: JobCounts, other: JobCounts): JobCounts {
  return {
    pages: one.pages + other.pages,
    fetched: one.fetched + other.fetched,
    failed: one.failed + other.failed,
    skipped: addByName(one.skipped, other.skipped),
    queued: one.queued + other.queued,
    requests: one.requests + other.requests,
    duplicateFetches: one.duplicateFetches + other.duplicateFetches,
    overlapFetches: one.overlapFetches + other.overlapFetches,
    bytes: one.bytes + other.bytes,
    statuses: addByName(one.statuses, other.statuses),
    activeMs: one.activeMs + other.activeMs,
  };
}

function addByName<Name extends string>(
  one: Readonly<Partial<Record<Name, number>>>,
  other: Readonly<Partial<Record<Name, number>>>,
): Record<Name, number> {
  const sum = { ...one } as Record<Name, number>;
  for (const [name, count] of Object.entries(other) as [Name, number][]) {
    // A member may tell of any name, that of something which every object has among them.
    sum[name] = (Object.hasOwn(one, name) ? (one[name] ?? 0) : 0) + count;
  }
  return sum;
}
