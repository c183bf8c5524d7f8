import type { ExclusionReason } from "../jobs/exclusion.ts";
import type { FetchFailure } from "../politeness/retry-table.ts";
import type { JobId } from "../units.ts";

/** Why a host's queued URLs wait. */
export type HostHold =
  | "waiting-turn"
  | "in-flight"
  | "politeness"
  | "backoff"
  | "breaker"
  | "halted"
  | OutageReason
  | "job-paused"
  | "page-limit";

/** What of the crawler's own is down. */
export type OutageReason = "network-down" | "name-server-down";

/** Why a URL is as it is, as a stable word. */
export type StatusReason =
  | ExclusionReason
  | FetchFailure
  | "parse-failed"
  | "invalid-url"
  /** No claim about the URL: nobody who knows it answered in time. */
  | "owner-unreachable"
  | HostHold;

/** A record in the archive of one peer. */
export interface PlaceInArchive {
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

/** Where a response stands. */
export interface ArchivePlace extends PlaceInArchive {
  /** Peer whose archive it is. */
  readonly peer: string;
  /** Where its body stands, in the same archive, when it is a revisit record. */
  readonly body?: PlaceInArchive;
}

/** What the swarm knows of one URL. */
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
  readonly reason?: StatusReason;
  /** One sentence for people. */
  readonly detail?: string;
  /** Peer that holds the URL's site, as far as is known. */
  readonly owner: string;
  /**
   * The owner did not answer, so a member answered that keeps a copy of what it knows. Never behind what an owner said
   * before, but for what was marked {@link unconfirmed}; yet nobody vouches for more, so the next owner may be behind it.
   */
  readonly replica?: true;
  /**
   * Known to the owner alone so far: the members that keep copies have not confirmed it. Should the owner be lost now,
   * a later answer may be behind this one; behind an answer with neither mark none ever is.
   */
  readonly unconfirmed?: true;
  /** Where the server said that the page has not changed, that of the body which still holds, as is `bodyBytes`. */
  readonly contentType?: string;
  /** With its content coding removed. */
  readonly bodyBytes?: number;
  /** The body is archived without its end: it broke off, or was longer than what is kept. */
  readonly truncated?: true;
  readonly title?: string;
  readonly digest?: string;
  readonly archive?: ArchivePlace;
  readonly depth?: number;
  /** A page with a link to it, where its fetch failed or was answered with an error. */
  readonly via?: string;
  /** What stands in that link, where it is another URL that redirected to this one. */
  readonly linkedAs?: string;
}
