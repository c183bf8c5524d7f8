import { isStatusReason } from "../../core/answers/reason-text.ts";
import type { HostQueueLength, OriginRobots } from "../../core/answers/host-status.ts";
import { momentText } from "../../core/answers/moment-text.ts";
import { robotsVerdictNames } from "../../core/answers/host-status.ts";
import { hostRowsMax } from "../../core/messages/host-message.ts";
import type { KnownHost } from "../../core/messages/host-message.ts";
import { HostGate } from "../../core/politeness/host-gate.ts";
import type { PolitenessOptions } from "../../core/politeness/politeness-options.ts";
import { hostAddress, hostKey } from "../../core/record/host-keys.ts";
import { queueRange } from "../../core/record/queue-keys.ts";
import type { HostAddress } from "../../core/record/host-keys.ts";
import { queuedIn } from "../../core/record/queue-bundle.ts";
import { RobotsRecord } from "../../core/record/record.pb.ts";
import { readBundle } from "../../core/replication/entry-lattices.ts";
import { ArcSet } from "../../core/ring/arc-set.ts";
import { positionOf } from "../../core/ring/ring-position.ts";
import type { RingPosition } from "../../core/ring/ring-position.ts";
import type { HostName, Millis } from "../../core/units.ts";
import { siteOfHost } from "../../core/url/site-of.ts";
import { dateOf, type Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { KeyRange, Store } from "../../ports/store.ts";
import type { Journal } from "../durability/journal.ts";
import type { Frontier } from "../frontier/frontier.ts";
import { turnOf, type Host } from "../frontier/host.ts";
import { queuedSpaces, queuePages } from "../frontier/queue-pages.ts";
import type { Outages } from "../fetching/outages.ts";
import type { MissedTime } from "../robots/missed-time.ts";
import { goodUntilMs, isAwaited } from "../robots/robots-keeper.ts";
import { jobHold } from "../jobs/job-registry.ts";
import type { Job } from "../jobs/job-registry.ts";
import { scanArcs } from "../swarm/replication/scan-arcs.ts";

/** URLs of one job that are counted: a host with more has enough of them. */
const countedMax = 1_000;

/** Origins of one site that are looked through for those of the host. */
const originsMax = 1_000;

/** Of a longer rest no more is told: who asks would not wait for so long. */
const restToldMaxMs: Millis = 86_400_000;

interface HostPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly store: Store;
}

/** Answers what this peer's database knows of hosts. */
export class HostDesk {
  readonly #ports: HostPorts;
  readonly #frontier: Frontier;
  readonly #journal: Journal;
  readonly #outages: Pick<Outages, "holdOf">;
  readonly #missed: Pick<MissedTime, "since">;
  readonly #politeness: PolitenessOptions;
  readonly #peerId: string;

  constructor(
    ports: HostPorts,
    parts: {
      readonly frontier: Frontier;
      readonly journal: Journal;
      readonly missed: Pick<MissedTime, "since">;
      readonly outages: Pick<Outages, "holdOf">;
      readonly peerId: string;
    },
    politeness: PolitenessOptions,
  ) {
    this.#ports = ports;
    this.#frontier = parts.frontier;
    this.#journal = parts.journal;
    this.#missed = parts.missed;
    this.#outages = parts.outages;
    this.#peerId = parts.peerId;
    this.#politeness = politeness;
  }

  async known(host: HostName, jobs: readonly Job[]): Promise<KnownHost> {
    const { clock, store } = this.#ports;
    const site = siteOfHost(host);
    const keys = hostAddress(site, host);
    const isRecorded = (await store.hasMany([hostKey("host", keys)])).includes(true);
    const found = await this.#hostOf(host);
    const gate = found?.visit.gate ?? new HostGate(this.#politeness);
    const queued = await this.#queued(keys, jobs);
    const nowMs = clock.nowMs();
    const putOffUntilMs = queued.length > 0 ? (this.#frontier.allPutOffUntilMs(host) ?? 0) : 0;
    const nextFetchAtMs = Math.max(gate.nextFetchAtMs, putOffUntilMs);
    const opensAtMs = Math.max(gate.nextFetchAtMs, this.#frontier.doubts.restUntilMs(host));
    const hold =
      holdOfJobs(queued, jobs) ??
      (nextFetchAtMs > gate.nextFetchAtMs ? "backoff" : undefined) ??
      (found && this.#outages.holdOf(found.visit, nowMs)) ??
      (queued.length > 0 ? turnOf(found) : undefined);
    return {
      owner: this.#peerId,
      known: isRecorded || (await store.range(queueRange(keys), 1)).length > 0,
      queued,
      ...(hold && { hold }),
      ...(nextFetchAtMs > nowMs && { nextFetchAt: this.#momentOf(nextFetchAtMs) }),
      ...(opensAtMs > nowMs && { opensInMs: Math.min(opensAtMs - nowMs, restToldMaxMs) }),
      failuresInRow: gate.snapshot().failuresInRow,
      ...(found?.lastFailure && { lastFailure: found.lastFailure }),
      ...(found?.crawlDelayMs !== undefined && { crawlDelayMs: found.crawlDelayMs }),
      robots: await this.#robots(host, positionOf(site)),
    };
  }

  /** Lets the host back where it is halted: its failures are forgotten, its politeness delay is kept. Durable on return. */
  async release(name: HostName): Promise<void> {
    const host = await this.#hostOf(name);
    if (host?.visit.gate.hold(this.#ports.clock.nowMs()) !== "halted") return;
    host.visit.gate.release();
    host.lastFailure = undefined;
    const durable = this.#journal.append([host.save()]);
    this.#frontier.saved(host, durable);
    this.#frontier.jobsChanged();
    this.#ports.logger.info("host-released", { host: name });
    await this.#journal.flushed();
  }

  /** Another member asked the host for a robots.txt just now, and was told to leave it alone for so long, perhaps 0. */
  async rests(name: HostName, restMs: Millis): Promise<void> {
    const nowMs = this.#ports.clock.nowMs();
    const untilMs = nowMs + Math.min(restMs, this.#politeness.retryAfterMaxMs);
    this.#frontier.doubts.asked(name, nowMs, untilMs);
    const active = this.#frontier.hostNamed(name)?.visit;
    active?.gate.opened(nowMs, active.delayMs);
    if (restMs === 0) return;
    const host = await this.#hostOf(name);
    if (host?.isStored !== true) return;
    host.visit.gate.restUntil(untilMs);
    this.#frontier.saved(host, this.#journal.append([host.save()]));
  }

  /** The host of this name, active or as the database has it. */
  async #hostOf(name: HostName): Promise<Host | undefined> {
    return (await this.#frontier.hostsFor(new Map([[name, siteOfHost(name)]]))).get(name);
  }

  /** Of the jobs that have a queue at the host. The rows of a cancelled job stay where they are, but wait for nothing. */
  async #queued(keys: HostAddress, jobs: readonly Job[]): Promise<HostQueueLength[]> {
    const waiting = jobs.filter(({ definition }) => definition.state !== "cancelled");
    const spaces = new Set(waiting.map(({ space }) => space));
    const counts = new Map<number, number>();
    for await (const space of queuedSpaces(this.#ports.store, keys)) {
      const all = spaces.has(space) ? await this.#count(queueRange(keys, space)) : 0;
      if (all > 0) counts.set(space, all);
      if (counts.size >= hostRowsMax) break;
    }
    return waiting.flatMap(({ definition, space }) => {
      const all = counts.get(space) ?? 0;
      const urls = Math.min(all, countedMax);
      return urls > 0 ? [{ job: definition.id, urls, orMore: all > urls }] : [];
    });
  }

  /** Queued URLs, or any number above {@link countedMax}. A copy's row may be none: it is kept as it came. */
  async #count(range: KeyRange): Promise<number> {
    let count = 0;
    for await (const { rows } of queuePages(this.#ports.store, range, countedMax + 1)) {
      for (const { value } of rows) {
        const bundle = readBundle(value);
        if (bundle) count += queuedIn(bundle);
      }
      if (count > countedMax) return count;
    }
    return count;
  }

  async #robots(host: HostName, position: RingPosition): Promise<OriginRobots[]> {
    const site = ArcSet.of([{ from: position, to: (position + 1) as RingPosition }]);
    const told: OriginRobots[] = [];
    let looks = 0;
    // A row at a time, as it may have two mebibytes.
    for await (const { value } of scanArcs(this.#ports.store, "robots", site)) {
      const record = RobotsRecord.decode(value);
      if (isOriginOf(host, record.origin)) told.push(this.#told(record));
      looks += 1;
      if (told.length >= hostRowsMax || looks >= originsMax) break;
    }
    return told;
  }

  #told(record: RobotsRecord): OriginRobots {
    const { origin, verdict, httpStatus, failure, fetchedAtMs } = record;
    // What the process did not see of the time since then has made the file older all the same.
    const missedMs = this.#missed.since(fetchedAtMs);
    // But one that is waited for is waited for by the clock of its host's rest, which stood still with the process.
    const againAtMs = isAwaited(record) ? record.expiresAtMs : goodUntilMs(record, this.#missed);
    return {
      origin,
      verdict: robotsVerdictNames.find((name) => name === verdict) ?? "disallow-all",
      httpStatus,
      ...(isStatusReason(failure) && { failure }),
      fetchedAt: this.#momentOf(fetchedAtMs - missedMs),
      expiresAt: this.#momentOf(againAtMs),
    };
  }

  #momentOf(atMs: Millis): string {
    return momentText(dateOf(this.#ports.clock, atMs));
  }
}

/** The row may be of any member, and nobody could read an answer with what is no origin. */
function isOriginOf(host: HostName, origin: string): boolean {
  const url = URL.parse(origin);
  return url?.hostname === host && url.origin === origin;
}

/** Why none of the queued URLs goes on whatever the host does; of several reasons the one that a user can end. */
function holdOfJobs(
  queued: readonly HostQueueLength[],
  jobs: readonly Job[],
): "job-paused" | "page-limit" | undefined {
  const waiting = jobs.filter(({ definition }) => queued.some(({ job }) => job === definition.id));
  const holds = waiting.map(jobHold);
  if (holds.length === 0 || holds.includes(undefined)) return undefined;
  return holds.includes("job-paused") ? "job-paused" : "page-limit";
}
