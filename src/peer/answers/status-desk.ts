import { momentText } from "../../core/answers/moment-text.ts";
import { isStatusReason } from "../../core/answers/reason-text.ts";
import type { PlaceInArchive, StatusReason } from "../../core/answers/url-status.ts";
import type { KnownStatus } from "../../core/messages/status-message.ts";
import { robotsKey } from "../../core/record/host-keys.ts";
import { RobotsRecord, type UrlOutcome, type UrlRecord } from "../../core/record/record.pb.ts";
import { urlState } from "../../core/record/url-state.ts";
import type { CanonicalUrl, HostName, Millis, OriginName } from "../../core/units.ts";
import { hostOf, originOf, siteOfHost } from "../../core/url/site-of.ts";
import type { Archive, ArchivedResponse } from "../../ports/archive.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Store } from "../../ports/store.ts";
import type { Outages } from "../fetching/outages.ts";
import type { Frontier } from "../frontier/frontier.ts";
import { turnOf, type Host } from "../frontier/host.ts";
import { jobHold } from "../jobs/job-registry.ts";
import type { Job } from "../jobs/job-registry.ts";
import { awaitedUntilMs } from "../robots/robots-keeper.ts";
import { knowledgeOf, type Knowledge } from "./url-knowledge.ts";

interface StatusPorts {
  readonly archive: Pick<Archive, "read">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly store: Pick<Store, "get" | "getMany" | "range">;
}

/** RFC 9110, section 15.4.5. */
const notModified = 304;

/** Answers what this peer's database knows of URLs. Answers are those of the last commit, so they never go back. */
export class StatusDesk {
  readonly #ports: StatusPorts;
  readonly #frontier: Pick<Frontier, "hostsFor">;
  readonly #outages: Pick<Outages, "holdOf">;
  readonly #peerId: string;

  constructor(
    ports: StatusPorts,
    parts: {
      readonly frontier: Pick<Frontier, "hostsFor">;
      readonly outages: Pick<Outages, "holdOf">;
      readonly peerId: string;
    },
  ) {
    this.#ports = ports;
    this.#frontier = parts.frontier;
    this.#outages = parts.outages;
    this.#peerId = parts.peerId;
  }

  /** One answer a URL, in their order: of all jobs that know it, what the one says that is furthest. */
  async known(urls: readonly CanonicalUrl[], jobs: readonly Job[]): Promise<KnownStatus[]> {
    const known = await knowledgeOf(this.#ports.store, urls, jobs);
    const waiting = urls.filter((_, at) => mayWait(known[at]));
    const hosts = await this.#hostsOf(waiting);
    const awaited = await this.#awaitedOf(waiting);
    return urls.map((url, at) => {
      const best = known[at];
      if (!best) return unknownStatus(this.#peerId);
      return this.#describe(best, hosts.get(hostOf(url)), awaited.get(originOf(url)));
    });
  }

  /**
   * A response of this peer's own archive, with the body of the one that it refers to. Where the server said no more than
   * that nothing has changed, the head is that one's too, at the time of its confirmation. Errors: `ARCHIVE_CORRUPT`,
   * `NOT_ARCHIVED`.
   *
   * @param isTold another peer has named the places
   */
  async read(
    capture: PlaceInArchive,
    body: PlaceInArchive | undefined,
    isTold: boolean,
  ): Promise<ArchivedResponse> {
    const { archive } = this.#ports;
    const response = await archive.read(capture, isTold);
    if (!body) return response;
    const earlier = await archive.read(body, isTold);
    if (response.status !== notModified) return { ...response, body: earlier.body };
    return { ...earlier, url: response.url, fetchedAtMs: response.fetchedAtMs };
  }

  /** One that is closed for long is not in memory, but on disk. */
  #hostsOf(urls: readonly CanonicalUrl[]): Promise<ReadonlyMap<HostName, Host>> {
    const names = new Set(urls.map(hostOf));
    return this.#frontier.hostsFor(new Map([...names].map((name) => [name, siteOfHost(name)])));
  }

  /** Until when origins are out of reach. Their robots.txts are read one by one: each may be long, and a batch names hundreds. */
  async #awaitedOf(urls: readonly CanonicalUrl[]): Promise<ReadonlyMap<OriginName, Millis>> {
    const { clock, store } = this.#ports;
    const sites = new Map(urls.map((url) => [originOf(url), siteOfHost(hostOf(url))]));
    const awaited = new Map<OriginName, Millis>();
    for (const [origin, site] of sites) {
      const row = await store.get(robotsKey(site, origin));
      if (row) awaited.set(origin, awaitedUntilMs(RobotsRecord.decode(row), clock.nowMs()));
    }
    return awaited;
  }

  #describe(
    { job, record, exclusion }: Knowledge,
    host: Host | undefined,
    originOpensAtMs: Millis | undefined,
  ): KnownStatus {
    const common = { job: job.definition.id, owner: this.#peerId };
    if (exclusion) {
      return { ...common, state: "excluded", attempts: 0, ...reasonOf(exclusion.reason) };
    }
    if (!record || record.state === urlState.queued) {
      const reason = this.#whyWaiting(job, host, originOpensAtMs);
      return {
        ...common,
        state: reason === "cancelled" ? "excluded" : "queued",
        attempts: record?.attempts ?? 0,
        reason,
      };
    }
    return { ...common, ...describeDone(record), ...placeOf(record, this.#peerId) };
  }

  #whyWaiting(job: Job, host: Host | undefined, originOpensAtMs = 0): StatusReason {
    const hold = jobHold(job);
    if (hold) return hold;
    const nowMs = this.#ports.clock.nowMs();
    const gate = host?.visit.gate;
    // The other origins of its host may be asked meanwhile.
    if (originOpensAtMs > Math.max(nowMs, gate?.nextFetchAtMs ?? 0)) return "backoff";
    return (host && this.#outages.holdOf(host.visit, nowMs)) ?? turnOf(host);
  }
}

/** What is said of a URL of which nothing is known. */
export function unknownStatus(owner: string, reason?: StatusReason): KnownStatus {
  return { state: "unknown", attempts: 0, owner, ...(reason && { reason }) };
}

/** Whether the URL waits for its host, as far as its job is concerned. */
function mayWait(best: Knowledge | undefined): boolean {
  if (!best || best.exclusion) return false;
  return (!best.record || best.record.state === urlState.queued) && !jobHold(best.job);
}

/** What the record of a URL that is done says, but for where its response stands. */
function describeDone(record: UrlRecord): Omit<KnownStatus, "owner" | "job" | "archive"> {
  const outcome = describeOutcome(record);
  return {
    ...outcome,
    attempts: record.attempts,
    depth: record.depth,
    ...(outcome.httpStatus !== undefined && {
      fetchedAt: momentText(record.fetchedAtMs),
      bodyBytes: record.bodyBytes,
    }),
    ...(record.truncated && { truncated: true }),
    ...(record.redirect !== undefined && { redirect: record.redirect }),
    ...reasonOf(record.excluded ?? record.failure),
    ...(record.contentType !== undefined && { contentType: record.contentType }),
    ...(record.title !== undefined && { title: record.title }),
    ...(record.payloadDigest !== undefined && { digest: record.payloadDigest }),
    ...(record.via !== undefined && { via: record.via }),
    ...(record.linkedAs !== undefined && { linkedAs: record.linkedAs }),
  };
}

/** Rows come from other members too, which may know of more. */
function reasonOf(reason: string | undefined): Pick<KnownStatus, "reason"> {
  return isStatusReason(reason) ? { reason } : {};
}

/** How a URL that is done ended, from its record or from as much of it as tells that. */
export function describeOutcome({ httpStatus, excluded }: Omit<UrlOutcome, "state">): Pick<
  KnownStatus,
  "httpStatus" | "reason"
> & {
  state: "done" | "excluded";
} {
  const reason = reasonOf(excluded);
  if (httpStatus > 0) return { state: "done", httpStatus, ...reason };
  return { state: excluded === undefined ? "done" : "excluded", ...reason };
}

function placeOf(
  { capture, capturedBy, body }: UrlRecord,
  peerId: string,
): Pick<KnownStatus, "archive"> {
  if (!capture) return {};
  return { archive: { ...capture, peer: capturedBy ?? peerId, ...(body && { body }) } };
}
