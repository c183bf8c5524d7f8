import type { HostChange, HostStatus } from "../../core/answers/host-status.ts";
import type { UrlFilter, UrlList } from "../../core/answers/url-list.ts";
import type { UrlStatus } from "../../core/answers/url-status.ts";
import { CrawlError } from "../../core/errors.ts";
import { hostStatusOf } from "../../core/messages/host-message.ts";
import type { StatsReply } from "../../core/messages/stats-message.ts";
import { listedUrlsMax } from "../../core/messages/list-message.ts";
import { statusOf } from "../../core/messages/status-message.ts";
import { ArcSet } from "../../core/ring/arc-set.ts";
import type { CanonicalUrl, HostName, JobId, MemberId } from "../../core/units.ts";
import { canonicalizeUrl } from "../../core/url/canonicalize-url.ts";
import { hostOf } from "../../core/url/site-of.ts";
import type { ArchivedResponse } from "../../ports/archive.ts";
import type { MemberReport, PeerControl, PeerStats, SwarmStats } from "../../ports/peer-control.ts";
import type { Clock } from "../../ports/clock.ts";
import type { HostDesk } from "./host-desk.ts";
import type { JobRegistry } from "../jobs/job-registry.ts";
import { listsMax, listUrls } from "./list-urls.ts";
import { unknownStatus } from "./status-desk.ts";
import { Slots } from "../slots.ts";
import type { StatusDesk } from "./status-desk.ts";
import { sumFigures } from "./sum-figures.ts";
import type { UrlScan } from "./url-scan.ts";

/**
 * Archived responses that are read for users at once: to unpack one takes some times its length, and who asks for more
 * of them waits.
 */
export const contentsMax = 4;

/** Where the questions of a user are answered: for a peer that crawls alone, and for a member of a swarm. */
export interface QuestionDesk extends Pick<
  PeerControl,
  "content" | "host" | "members" | "status" | "swarmStats" | "urls"
> {
  /** Tells others, before the peer stops, what they shall remember of it. */
  handOver(): Promise<void>;
}

/** What a desk answers from. */
export interface DeskParts {
  readonly peerId: MemberId;
  readonly clock: Clock;
  readonly urls: StatusDesk;
  readonly scan: UrlScan;
  readonly hosts: HostDesk;
  readonly jobs: JobRegistry;
  /** The peer's own figures. */
  readonly stats: () => PeerStats;
}

/** Answers for a peer that crawls alone. */
export class LoneDesk implements QuestionDesk {
  readonly #parts: DeskParts;
  readonly #generation: number;
  readonly #reads = new Slots(contentsMax);
  readonly #lists = new Slots(listsMax);

  /** @param generation the wall clock at the peer's start */
  constructor(parts: DeskParts, generation: number) {
    this.#parts = parts;
    this.#generation = generation;
  }

  async status(inputs: readonly string[], job?: JobId): Promise<UrlStatus[]> {
    const { peerId, urls, jobs } = this.#parts;
    const asked = inputs.map((input) => canonicalizeUrl(input));
    const known = await urls.known(
      asked.filter((url) => url !== undefined),
      jobs.named(job),
    );
    let next = 0;
    return inputs.map((input, at) => {
      if (asked[at] === undefined) return statusOf(input, unknownStatus(peerId, "invalid-url"));
      return statusOf(input, known[next++] ?? unknownStatus(peerId));
    });
  }

  async content(input: string, job?: JobId, signal?: AbortSignal): Promise<ArchivedResponse> {
    const { peerId, urls } = this.#parts;
    const [{ archive } = {}] = await this.status([input], job);
    if (archive === undefined) throw notArchived(input);
    if (archive.peer !== peerId) throw notHere(input, archive.peer);
    return this.#reads.run(() => urls.read(archive, archive.body, false), signal);
  }

  async urls(job: JobId, filter: UrlFilter, from?: string, signal?: AbortSignal): Promise<UrlList> {
    const { clock, jobs, scan } = this.#parts;
    jobs.get(job);
    const ask = {
      scan: (key: Uint8Array) =>
        scan.stretch({ job, filter, from: key, count: listedUrlsMax }, ArcSet.whole),
      status: (urls: readonly string[]) => this.status(urls, job),
    };
    return this.#lists.run(() => listUrls(clock, ask, filter, from), signal);
  }

  async host(name: string, change?: HostChange): Promise<HostStatus> {
    const host = hostNamed(name);
    if (change === "release") await this.#parts.hosts.release(host);
    return hostStatusOf(host, await this.#parts.hosts.known(host, this.#parts.jobs.all()));
  }

  members(): readonly MemberReport[] {
    const { peerId: id, stats } = this.#parts;
    const generation = this.#generation;
    const { version } = stats();
    return [{ id, addresses: [], state: "active", weight: 1, share: 1, generation, version }];
  }

  swarmStats(): Promise<SwarmStats> {
    const { peerId: member, jobs } = this.#parts;
    const own = { member, reply: ownFigures(this.#parts, this.#generation), lagMs: 0 };
    return Promise.resolve(sumFigures(jobs.all(), [own], { past: [], silent: [] }));
  }

  handOver(): Promise<void> {
    return Promise.resolve();
  }
}

/** A peer's own figures as it tells others of them. */
export function ownFigures({ stats }: DeskParts, generation: number): StatsReply {
  const { version, upMs, openRequests, activeHosts, pagesPerSecond, jobs } = stats();
  return {
    version,
    generation,
    upMs,
    openRequests,
    activeHosts,
    pagesPerSecond,
    jobs: jobs.map(({ definition, counts, finished }) => ({
      job: definition.id,
      // Counted in several steps, it may be below nothing for a moment.
      counts: { ...counts, queued: Math.max(counts.queued, 0) },
      finished,
    })),
    past: [],
  };
}

export function notArchived(input: string): CrawlError {
  return new CrawlError("NOT_ARCHIVED", `nothing is archived for ${input}`, { url: input });
}

/** Of what a peer has kept of an earlier swarm the pages may be in the archives of others. */
function notHere(input: string, member: string): CrawlError {
  const problem = `${member} has ${input} in its archive, and this peer is in no swarm; ask that peer`;
  return new CrawlError("MEMBER_UNREACHABLE", problem, { url: input, member });
}

/** What only an IPv6 address has, of all that may stand for a host and its port. */
const twoColons = /^[^[\]:]*:[^[\]:]*:[^[\]]*$/;

/** The host of that name, in whatever spelling; an IPv6 address may stand without its brackets. Errors: `CONFIG_INVALID`. */
export function hostNamed(name: string): HostName {
  const isName = !/[/?#@\\]/.test(name);
  const authority = twoColons.test(name) ? `[${name}]` : name;
  const url: CanonicalUrl | undefined = isName
    ? canonicalizeUrl(`http://${authority}/`)
    : undefined;
  if (url !== undefined) return hostOf(url);
  const problem = `${JSON.stringify(name)} is not the name or address of a host; give it as www.example.com`;
  throw new CrawlError("CONFIG_INVALID", problem, {});
}
