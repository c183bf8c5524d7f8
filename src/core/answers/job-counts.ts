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
  /** URLs that were let in after all, by the reason for which another member counts them as skipped: a sum takes them off. */
  readonly letIn?: Readonly<Partial<Record<ExclusionReason, number>>>;
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
  /** Time spent crawling, over all runs; of several peers, which crawl at the same time, that of the one that spent most. */
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

type Amounts = Exclude<keyof JobCounts, "skipped" | "letIn" | "statuses" | "activeMs">;

const amounts = (Object.keys(noJobCounts) as (keyof JobCounts)[]).filter(
  (name): name is Amounts => name !== "skipped" && name !== "statuses" && name !== "activeMs",
);

/**
 * What peers have done together, with reasons and status classes by name, so that whoever is asked says the same. There may
 * be a thousand peers, and thousands of jobs: nothing is made for each.
 */
export function sumJobCounts(all: Iterable<JobCounts>): JobCounts {
  const sum: Record<Amounts | "activeMs", number> = { ...noJobCounts };
  const skipped = new Map<string, number>();
  const letIn = new Map<string, number>();
  const statuses = new Map<string, number>();
  for (const counts of all) {
    for (const name of amounts) sum[name] += counts[name];
    sum.activeMs = Math.max(sum.activeMs, counts.activeMs);
    addByName(skipped, counts.skipped);
    addByName(letIn, counts.letIn ?? {});
    addByName(statuses, counts.statuses);
  }
  for (const [name, by] of letIn) skipped.set(name, (skipped.get(name) ?? 0) - by);
  return { ...sum, skipped: inOrder(skipped), statuses: inOrder(statuses) };
}

function addByName(sums: Map<string, number>, counts: Readonly<Record<string, number>>): void {
  for (const name in counts) sums.set(name, (sums.get(name) ?? 0) + (counts[name] ?? 0));
}

/** What there is at least one of. A member may tell of any name, that of something which every object has among them. */
function inOrder(sums: ReadonlyMap<string, number>): Record<string, number> {
  const some = [...sums].filter(([, count]) => count > 0);
  return Object.fromEntries(some.sort(([one], [other]) => (one < other ? -1 : 1)));
}
