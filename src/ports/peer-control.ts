import type { HostChange, HostStatus } from "../core/answers/host-status.ts";
import type { JobCounts } from "../core/answers/job-counts.ts";
import type { ReportedDefinition } from "../core/answers/reported-definition.ts";
import type { UrlFilter, UrlList } from "../core/answers/url-list.ts";
import type { UrlStatus } from "../core/answers/url-status.ts";
import type { JobOptions } from "../core/jobs/job-definition.ts";
import type { OptionChange } from "../core/jobs/option-changes.ts";
import type { MemberState } from "../core/membership/member.ts";
import type { JobId, Millis } from "../core/units.ts";
import type { ArchivedResponse } from "./archive.ts";

export type { HostChange, HostStatus } from "../core/answers/host-status.ts";
export type { JobCounts } from "../core/answers/job-counts.ts";
export type { ListedState, UrlFilter, UrlList } from "../core/answers/url-list.ts";
export type { HostHold, UrlStatus } from "../core/answers/url-status.ts";

/** URLs of one injection, at most. */
export const injectUrlsMax = 10_000;

/** URLs that are asked for at once, at most. */
export const statusUrlsMax = 1_000;

/** Rejected inputs that the report of an injection names, at most. */
export const rejectedNamedMax = 100;

/** What an injection did with each URL it was given. */
export interface InjectReport {
  readonly job: JobId;
  /** Options of the job that are others from now on; absent for a new job. */
  readonly changed?: readonly OptionChange[];
  /** URLs queued now. */
  readonly added: number;
  /** URLs that the job knew already. */
  readonly known: number;
  /** Inputs that are no http(s) URL, or that the job's rules keep out; at most {@link rejectedNamedMax} are named. */
  readonly rejected: readonly { readonly input: string; readonly reason: string }[];
  readonly rejectedCount: number;
}

/** A job as one peer sees it. */
export interface JobReport {
  readonly definition: ReportedDefinition;
  readonly counts: JobCounts;
  /** Nothing of it is queued or in flight. */
  readonly finished: boolean;
}

/** A member of the swarm as one peer sees it. */
export interface MemberReport {
  readonly id: string;
  readonly addresses: readonly string[];
  readonly state: MemberState;
  /** Share of the ring that it asks for, 1 for a usual peer. */
  readonly weight: number;
  /** Part of the ring that it owns, from 0 to 1. */
  readonly share: number;
  /** Which run of it: the wall clock at its start. */
  readonly generation: Millis;
  readonly version: string;
}

/** What a member said of itself when it was asked a moment ago. */
export interface MemberStats {
  readonly peer: string;
  /**
   * Time from the question to its answer, as the asked peer measures it: the way there and back, and however long the
   * member took to get round to it. 0 for the asked peer itself.
   */
  readonly lagMs: Millis;
  readonly version: string;
  readonly upMs: Millis;
  readonly openRequests: number;
  readonly activeHosts: number;
  readonly queued: number;
  readonly pagesPerSecond: number;
}

/** A job over all members. */
export interface SwarmJobReport {
  readonly definition: ReportedDefinition;
  /** Those of `shares` together. */
  readonly counts: JobCounts;
  /** Every member that runs has answered, and nothing of it is queued or in flight at any of them. */
  readonly finished: boolean;
  readonly shares: readonly JobShare[];
}

/** What one member has done of a job. */
export interface JobShare {
  readonly peer: string;
  readonly counts: JobCounts;
  /** It did not answer, or runs no more: its totals are those of which others heard last; what it had queued is with others. */
  readonly past?: true;
}

/** The swarm in figures. */
export interface SwarmStats {
  /** Those that answered, the asked one first. */
  readonly members: readonly MemberStats[];
  /** Members that should run and did not answer in time; what they have queued is missing from the sums. */
  readonly silent: readonly string[];
  readonly jobs: readonly SwarmJobReport[];
  readonly openRequests: number;
  readonly queued: number;
  readonly pagesPerSecond: number;
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
 * Any peer answers for all: questions about URLs and hosts go to the member that holds the site, and a job of which
 * this peer has not heard is asked for among others before it counts as unknown.
 *
 * Errors are `CrawlError`s: `JOB_UNKNOWN`, `NOT_ARCHIVED`, `MEMBER_UNREACHABLE`, and those of the store and the archive.
 */
export interface PeerControl {
  readonly peerId: string;
  /**
   * Adds seeds to a job and creates or changes the job as `options` say; one that would take none of `urls` is not created,
   * unless there are none. Resolves when all is durable: from then on the URLs cannot be lost. At most {@link injectUrlsMax}
   * URLs a call. Errors: `CONFIG_INVALID` for options that cannot be, or a pattern that takes too long on one of the URLs,
   * with nothing admitted or changed; `JOB_CANCELLED`; `SWARM_BUSY` when owners do not answer in time, or the peer that is to
   * make or change the job has not found its swarm; `PEER_STOPPED`.
   */
  inject(job: JobId, urls: readonly string[], options?: Partial<JobOptions>): Promise<InjectReport>;
  /**
   * States in the order of `urls`; at most {@link statusUrlsMax} a call. `job` narrows the answer to one job. Resolves after
   * some 5 s at the latest; a URL of which nobody could tell by then is `unknown` with the reason `owner-unreachable`.
   */
  status(urls: readonly string[], job?: JobId): Promise<UrlStatus[]>;
  /**
   * The job's URLs that the filter lets through, in the order of their sites on the ring, a part at a time: from the beginning,
   * or from the `next` of the part before. Resolves within seconds of its turn, perhaps with none. A URL that moves on meanwhile may be
   * named twice, each time as what it was then. A few parts are made at once, and others wait. Errors: `CONFIG_INVALID` when
   * `from` is no place, `MEMBER_UNREACHABLE`, and the reason of `signal` where that aborts before it is their turn.
   */
  urls(job: JobId, filter: UrlFilter, from?: string, signal?: AbortSignal): Promise<UrlList>;
  /**
   * The archived response of the latest fetch, from whichever peer holds it. Errors: `NOT_ARCHIVED`; `MEMBER_UNREACHABLE`
   * when the peer that holds it, or the one that knows which, does not answer. A few are read at once, and others wait: errors
   * are the reason of `signal` too, where that aborts before it is their turn.
   */
  content(url: string, job?: JobId, signal?: AbortSignal): Promise<ArchivedResponse>;
  /**
   * What is known of a host, and why it is not asked now. `release` lets it back first where it is halted. Errors:
   * `CONFIG_INVALID` when the name is none.
   */
  host(name: string, change?: HostChange): Promise<HostStatus>;
  /** Jobs as far as this peer knows them, with its own totals. */
  jobs(): readonly JobReport[];
  /** The job with this peer's own totals. Asks nobody else for a job of which this peer has not heard. */
  job(id: JobId): JobReport;
  /** The same, after having asked others where it has not. */
  findJob(id: JobId): Promise<JobReport>;
  /** Errors: `JOB_CANCELLED` when a cancelled job should pause or go on; `SWARM_BUSY` as above. */
  changeJob(id: JobId, change: JobChange): Promise<JobReport>;
  /** This peer's own figures. */
  stats(): PeerStats;
  /** All members that are remembered, this one first. */
  members(): readonly MemberReport[];
  /** Figures of all members, summed. Resolves after some 3 s at the latest. */
  swarmStats(): Promise<SwarmStats>;
  /**
   * Resolves when the job is finished, when nothing of it can go on because its hosts are halted, or at once when `signal`
   * aborts. Errors: whatever breaks the peer meanwhile.
   */
  jobFinished(id: JobId, signal: AbortSignal): Promise<void>;
}
