import { isRedirectFault, type ExclusionReason } from "../../core/jobs/exclusion.ts";
import { UrlRecord } from "../../core/record/record.pb.ts";
import type { QueueEntry } from "../../core/record/queue-bundle.ts";
import { mergeRow } from "../../core/replication/merge-row.ts";
import { queuedRecord, urlState } from "../../core/record/url-state.ts";
import type { FetchFailure } from "../../core/politeness/retry-table.ts";
import type { Metrics } from "../../ports/metrics.ts";
import type { StoreOp } from "../../ports/store.ts";
import type { Frontier } from "../frontier/frontier.ts";
import type { Host } from "../frontier/host.ts";
import type { Job } from "../jobs/job-registry.ts";
import type { LeaseLog } from "./lease-log.ts";
import type { Lease } from "../frontier/lease.ts";
import type { VisitedRows } from "./visited-rows.ts";
import type { UrlRow } from "../admission/url-row.ts";

/** The end of a lease, as a part of a batch. */
export interface Settlement {
  /** Its clocks have changed: it is a part of the batch where {@link Host.leaseEnds} says so. */
  readonly host: Host;
  readonly ops: readonly StoreOp[];
  /** Comes again later, and is queued anew: the lease's URL, or one to which its page leads back. */
  readonly again?: Queued;
  /** Called when the batch is in the journal, with what tells when it is durable. */
  readonly appended: (durable: Promise<void>) => void;
}

/** A queue entry with the host that it waits for. */
export interface Queued {
  readonly host: Host;
  readonly job: Job;
  /** Key of the URL's row. */
  readonly rowKey: Uint8Array;
  readonly entry: QueueEntry;
}

/** Why a URL was given up: the last attempt's failure, or a page that broke the parser. */
export type GivenUp = FetchFailure | "parse-failed";

/** How a lease ends. */
export type LeaseEnd =
  | {
      readonly kind: "fetched";
      readonly record: Partial<UrlRecord> & { readonly httpStatus: number };
      readonly isPage: boolean;
      /** What else becomes durable with it. */
      readonly extraOps: readonly StoreOp[];
      /** A page that is done, and is asked again. */
      readonly back?: Queued;
    }
  /** `isUnasked` where robots.txt failed, without which the URL itself is not asked for. */
  | { readonly kind: "failed"; readonly failure: GivenUp; readonly isUnasked?: true }
  | { readonly kind: "excluded"; readonly reason: ExclusionReason }
  /** Its record is further than its queue entry, by another member's doing: the entry only leaves the queue. */
  | { readonly kind: "known" }
  /** Asked again later, as `url`: a retry, or a redirect to another spelling of the same page. */
  | {
      readonly kind: "again";
      readonly url: string;
      readonly redirectChain: readonly string[];
      /** No server saw the attempt. */
      readonly isUnseen: boolean;
    };

/** An end of which the URL's record tells. */
type RecordedEnd = Exclude<LeaseEnd, { readonly kind: "known" }>;

interface SettleParts {
  readonly frontier: Frontier;
  readonly leases: LeaseLog;
  readonly metrics: Metrics;
  readonly visited: VisitedRows | undefined;
}

/**
 * The end of a lease as a part of one batch: the record's new state, the queue entry gone, what was learnt of the host.
 * Called while the batch is put together; counts at that moment, so that the totals are those of the batch.
 */
export function settle(lease: Lease, row: UrlRow, end: LeaseEnd, parts: SettleParts): Settlement {
  const { host, url } = lease;
  // Whatever is settled without a note had no request.
  if (lease.note !== undefined) lease.job.counter.add("requests");
  count(lease, end, parts.metrics);
  const again = againOf(lease, row, end);
  const { key } = url.row;
  const left = url.row.take(url);
  const ops: StoreOp[] = [left ? { type: "put", key, value: left } : { type: "del", key }];
  if (end.kind !== "known") {
    ops.push({
      type: "put",
      key: row.key,
      value: valueOf(lease, end, parts.visited?.latest(row.key)),
    });
  }
  if (end.kind === "fetched") {
    ops.push(...end.extraOps);
    if (end.back) ops.push(queuedAnew(end.back));
  }
  return {
    host,
    ops,
    appended: (durable) => {
      parts.frontier.settle(lease, durable);
      durable.then(
        () => {
          if (lease.note !== undefined) parts.leases.remove(lease.note);
        },
        // The journal has reported the failure; the lease stays, and the next start counts it.
        () => undefined,
      );
    },
    ...(again && { again }),
  };
}

function againOf(
  { host, job, url: { entry } }: Lease,
  { key: rowKey }: UrlRow,
  end: LeaseEnd,
): Queued | undefined {
  if (end.kind === "fetched") return end.back;
  if (end.kind !== "again") return undefined;
  const { url, redirectChain, isUnseen } = end;
  const attempts = entry.attempts + 1;
  const unseen = entry.unseen + Number(isUnseen);
  return {
    host,
    job,
    rowKey,
    entry: { ...entry, url, attempts, unseen, redirectChain: [...redirectChain] },
  };
}

/**
 * The page's record says that it redirects; from here on it is queued. A copy that still has the old record is told apart by
 * the redirect chain of the queue entry ({@link isOutdated}).
 */
function queuedAnew({ rowKey, entry }: Queued): StoreOp {
  return { type: "put", key: rowKey, value: queuedRecord(entry.attempts) };
}

/** The URL's row, in which another member's end of it, `heard` of meanwhile, is not lost. */
function valueOf(lease: Lease, end: RecordedEnd, heard: Uint8Array | undefined): Uint8Array {
  const own = UrlRecord.encode(recordOf(lease, end));
  const merged = heard && mergeRow("url", own, heard);
  if (!merged) return own;
  // Where this end is the later one, the other member counts the two.
  if (merged.overlap && merged.changed) lease.job.counter.add("overlapFetches");
  return merged.value;
}

function recordOf({ url: { entry } }: Lease, end: RecordedEnd): UrlRecord {
  const { url, depth } = entry;
  const attempts = entry.attempts + 1;
  const done = { ...urlState.fresh, state: urlState.done, url, depth };
  switch (end.kind) {
    case "fetched": {
      const { excluded, httpStatus } = end.record;
      const isBroken = httpStatus >= 400 || isRedirectFault(excluded);
      return { ...done, attempts, ...end.record, ...(isBroken && foundOn(entry)) };
    }
    case "failed":
      return {
        ...done,
        attempts: end.isUnasked ? entry.attempts : attempts,
        failure: end.failure,
        ...foundOn(entry),
      };
    case "excluded":
      return { ...done, attempts: entry.attempts, excluded: end.reason };
    case "again":
      return { ...urlState.fresh, state: urlState.queued, attempts };
  }
}

/** Who repairs a site has to know where the link is, and what it looks like there. */
function foundOn({ via, redirectChain: [linkedAs] }: QueueEntry): Partial<UrlRecord> {
  return { ...(via !== undefined && { via }), ...(linkedAs !== undefined && { linkedAs }) };
}

function count({ job: { counter } }: Lease, end: LeaseEnd, metrics: Metrics): void {
  if (end.kind === "again") return;
  counter.add("queued", -1);
  switch (end.kind) {
    case "known":
      return;
    case "fetched":
      counter.add("fetched");
      counter.addStatus(end.record.httpStatus);
      if (end.isPage) counter.add("pages");
      if (end.back) counter.add("queued");
      return;
    case "failed":
      counter.add("failed");
      return;
    case "excluded":
      counter.addSkipped(end.reason);
      metrics.count("excluded_urls_total", 1, { reason: end.reason });
  }
}
