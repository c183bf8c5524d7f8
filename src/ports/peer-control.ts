import type { ExclusionReason } from "../core/jobs/exclusion.ts";
import type { JobDefinition, JobOptions } from "../core/jobs/job-definition.ts";
import type { FetchFailure } from "../core/politeness/retry-table.ts";
import type { JobId, Millis } from "../core/units.ts";
import type { ArchivedResponse } from "./archive.ts";

/** What an injection did with each URL it was given. */
export interface InjectReport {
  readonly job: JobId;
  /** URLs queued now. */
  readonly added: number;
  /** URLs that the job knew already. */
  readonly known: number;
  /** Inputs that are no http(s) URL, or that the job's rules keep out; at most 100 are named. */
  readonly rejected: readonly { readonly input: string; readonly reason: string }[];
  readonly rejectedCount: number;
}

/** What a peer knows of one URL. */
export interface UrlStatus {
  /** As asked. */
  readonly url: string;
  readonly state: "unknown" | "queued" | "done" | "excluded";
  readonly job?: JobId;
  readonly httpStatus?: number;
  /** ISO 8601, UTC. */
  readonly fetchedAt?: string;
  readonly attempts: number;
  readonly redirect?: string;
  /** Why it is not (yet) fetched, or why the fetch failed, as a stable word; see `detail` for a sentence. */
  readonly reason?: ExclusionReason | FetchFailure | "parse-failed" | "invalid-url" | HostHold;
  /** One sentence for people. */
  readonly detail?: string;
  /** Peer that owns the URL's site. */
  readonly owner: string;
  readonly contentType?: string;
  readonly bodyBytes?: number;
  readonly title?: string;
  readonly digest?: string;
  readonly archive?: { readonly file: string; readonly offset: number; readonly length: number };
  readonly depth?: number;
}

/** Why a host's queued URLs wait. */
export type HostHold =
  "waiting-turn" | "politeness" | "backoff" | "breaker" | "halted" | "job-paused";

/** Running totals of one job; `fetched`, `failed` and the sum of `skipped` count URLs, not requests. */
export interface JobCounts {
  /** 200-answers that were HTML. */
  readonly pages: number;
  /** URLs answered by the server, with any status. */
  readonly fetched: number;
  /** URLs given up after their last attempt. */
  readonly failed: number;
  readonly skipped: Readonly<Partial<Record<ExclusionReason, number>>>;
  /** URLs waiting or being fetched. */
  readonly queued: number;
  /** Requests made, retries included, robots.txt apart. */
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

export interface JobReport {
  readonly definition: JobDefinition;
  readonly counts: JobCounts;
  /** Nothing of it is queued or in flight. */
  readonly finished: boolean;
}

export interface PeerStats {
  readonly peer: string;
  readonly version: string;
  readonly upMs: Millis;
  readonly jobs: readonly JobReport[];
  readonly openRequests: number;
  /** Hosts with queued URLs that are in memory. */
  readonly activeHosts: number;
  readonly queued: number;
  readonly pagesPerSecond: number;
  readonly archiveFiles: readonly string[];
}

export type JobChange = "pause" | "resume" | "cancel";

/**
 * What a running peer can be asked to do: the one surface behind the HTTP API and the commands.
 *
 * Errors are `CrawlError`s: `JOB_UNKNOWN`, `NOT_ARCHIVED`, and those of the store and the archive.
 */
export interface PeerControl {
  readonly peerId: string;
  /**
   * Adds seeds to a job and creates or changes the job as `options` say. Resolves when all is durable: from then on the
   * URLs cannot be lost. At most 10,000 URLs a call.
   */
  inject(job: JobId, urls: readonly string[], options?: Partial<JobOptions>): Promise<InjectReport>;
  /** States in the order of `urls`; at most 1,000 a call. `job` narrows the answer to one job. */
  status(urls: readonly string[], job?: JobId): Promise<UrlStatus[]>;
  /** The archived response of the latest fetch. */
  content(url: string, job?: JobId): Promise<ArchivedResponse>;
  jobs(): readonly JobReport[];
  job(id: JobId): JobReport;
  changeJob(id: JobId, change: JobChange): Promise<JobReport>;
  stats(): PeerStats;
  /**
   * Resolves when the job is finished, when nothing of it can go on because its hosts are halted, or at once when `signal`
   * aborts.
   */
  jobFinished(id: JobId, signal: AbortSignal): Promise<void>;
}
