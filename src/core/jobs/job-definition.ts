import type { JobId, Millis } from "../units.ts";

/** How far from its seeds a job may go: the seed itself, its host, its site, or anywhere. */
export type JobScope = "page" | "host" | "site" | "any";

/** What is done with a response that is not HTML: its body is archived, or only its head is recorded. */
export type OtherContent = "archive" | "skip";

/** Job of seeds and injections that name none. */
export const defaultJob = "default" as JobId;

/** Jobs of a swarm, at most. */
export const jobsMax = 10_000;

/** Characters of the patterns of all jobs of a swarm, at most: each peer has them in memory, with what is compiled of them. */
export const patternCharactersOfAllMax = 32 * 1_048_576;

/** Changes of one job's options, or of its state, at most: more than anyone makes, and so few that one more can always be counted and read. */
export const revisionMax = 2 ** 40;

/**
 * A named crawl. Plain data, so that it can be stored, sent and merged. Its options and its state are counted and merged
 * apart, so that who changes the one without having heard of the other does not undo it.
 */
export interface JobDefinition {
  readonly id: JobId;
  /** Counts the changes of the options, up to {@link revisionMax}; the higher one wins a merge. */
  readonly revision: number;
  /** Counts the changes of the state in the same way. */
  readonly stateRevision: number;
  readonly state: JobState;
  readonly options: JobOptions;
  /**
   * So many pages have been fetched at least: a limit that was reached, where the counts that told so are forgotten since. The
   * greatest wins a merge, and means nothing any more where the limit is higher.
   */
  readonly limitReached?: number;
}

/** `cancelled` is final: what is queued is dropped with that reason. */
export type JobState = "running" | "paused" | "cancelled";

export interface JobOptions {
  /** @default "site" */
  readonly scope: JobScope;
  /** A URL must match one of these regular expressions, where there are any. @default [] */
  readonly include: readonly string[];
  /** A URL must match none of these regular expressions. @default [] */
  readonly exclude: readonly string[];
  /**
   * Links from a seed, at most, by the way on which a URL is found first; 0 is the seeds alone. Hosts have their turns, so a
   * longer way may be found before a shorter one: what lies behind it is kept out then. @default 1_000
   */
  readonly depthMax: number;
  /**
   * HTML pages answered with 200, or as unchanged since another job, at most, over the whole job; 0 is no limit. Exact at
   * a peer that crawls alone. Members of a swarm tell one another their counts once a second, so that there may be as many
   * more as the others have in flight and fetch in that second. They remember the counts, those of members that are gone
   * too. @default 0
   */
  readonly pagesMax: number;
  /** URLs admitted for one host, at most: the last guard against an endless site. @default 1_000_000 */
  readonly pagesPerHostMax: number;
  /** Shortest time between two requests to a host; 0 switches politeness delays off. @default 1_000 */
  readonly delayMs: Millis;
  /** Requests open at once to one host and its address. @default 1 */
  readonly connectionsPerHost: number;
  /**
   * 0 (last) to 9 (first): of the jobs that share a host, one that is a step higher has twice as many turns. Within the job,
   * what was queued at a higher one comes first. @default 5
   */
  readonly priority: number;
  /**
   * Whether query parameters that do not change the page (session ids, tracking, order) are ignored by the dedupe. Of a job
   * that there is, it cannot be changed. @default true
   */
  readonly normalizeQuery: boolean;
  /** What is done with a response that is not HTML. @default "archive" */
  readonly otherContent: OtherContent;
  /**
   * Whether the sitemaps that a host's robots.txt names are crawled, and the URLs that a sitemap names followed as links of
   * a page are. @default false
   */
  readonly sitemaps: boolean;
  /** Longest URL admitted, in bytes. @default 2_048 */
  readonly urlBytesMax: number;
  /** Path segments, at most. @default 30 */
  readonly pathSegmentsMax: number;
  /** How often one path segment may occur in a path; a run of two or more may occur one time less in a row. @default 3 */
  readonly segmentRepeatsMax: number;
  /** Distinct query strings admitted for one path of a host. @default 10_000 */
  readonly queriesPerPathMax: number;
}

export const defaultJobOptions: JobOptions = Object.freeze({
  scope: "site",
  include: [],
  exclude: [],
  depthMax: 1_000,
  pagesMax: 0,
  pagesPerHostMax: 1_000_000,
  delayMs: 1_000,
  connectionsPerHost: 1,
  priority: 5,
  normalizeQuery: true,
  otherContent: "archive",
  sitemaps: false,
  urlBytesMax: 2_048,
  pathSegmentsMax: 30,
  segmentRepeatsMax: 3,
  queriesPerPathMax: 10_000,
});

export function patternCharacters(options: JobOptions | undefined): number {
  if (options === undefined) return 0;
  return [...options.include, ...options.exclude].reduce((sum, { length }) => sum + length, 0);
}

/** Whether it matters how many pages of the job others have fetched. */
export function needsCounts({ limitReached = 0, options, state }: JobDefinition): boolean {
  return state !== "cancelled" && (options.pagesMax === 0 || limitReached < options.pagesMax);
}

/** Jobs in the order in which people see them: the same at all members, and after a restart. */
export function byName<J extends { readonly definition: JobDefinition }>(jobs: readonly J[]): J[] {
  return jobs.toSorted(({ definition: one }, { definition: other }) =>
    one.id < other.id ? -1 : 1,
  );
}
