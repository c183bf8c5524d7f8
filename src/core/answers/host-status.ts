import type { JobId, Millis } from "../units.ts";
import type { HostHold, StatusReason } from "./url-status.ts";

/** `release`: a host that is halted for its failures is let back before its time. */
export type HostChange = "release";

/** What the swarm knows of one host: why it is, or is not, asked now. */
export interface HostStatus {
  readonly host: string;
  /** Peer that holds the host's site, as far as is known. */
  readonly owner: string;
  /** False: nothing of it was ever queued there. */
  readonly known: boolean;
  /** Set when the owner did not answer: from the copy of a member. Its clocks are those of the owner's last change. */
  readonly replica?: true;
  /** Set when nobody who could know it answered in time: the rest says nothing then. */
  readonly unreachable?: true;
  /** URLs that wait there, by job. */
  readonly queued: readonly HostQueueLength[];
  /** Why it is not asked now; absent when nothing keeps it back. */
  readonly hold?: HostHold;
  /** One sentence for people. */
  readonly detail?: string;
  /** When it may be asked again; ISO 8601, UTC, by the owner's clock. */
  readonly nextFetchAt?: string;
  readonly failuresInRow: number;
  /** How it failed last, while it has not been well since, and the peer has not forgotten it. */
  readonly lastFailure?: HostAnswer;
  /** What robots.txt asks for. */
  readonly crawlDelayMs?: Millis;
  readonly robots: readonly OriginRobots[];
}

export interface HostQueueLength {
  readonly job: JobId;
  readonly urls: number;
  /** True: counting was given up there; it has more. */
  readonly orMore: boolean;
}

/** How a host answered. */
export interface HostAnswer {
  /** 0 when no response was received. */
  readonly httpStatus: number;
  /** Why no response was received, or none that counts, where that is known. */
  readonly failure?: StatusReason;
}

/** What is remembered of the robots.txt of one origin of a host. */
export interface OriginRobots extends HostAnswer {
  readonly origin: string;
  readonly verdict: RobotsVerdictName;
  /** ISO 8601, UTC. */
  readonly fetchedAt: string;
  readonly expiresAt: string;
}

export const robotsVerdictNames = Object.freeze(["rules", "allow-all", "disallow-all"] as const);

export type RobotsVerdictName = (typeof robotsVerdictNames)[number];
