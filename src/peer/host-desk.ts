import type { HostQueueLength, OriginRobots } from "../core/answers/host-status.ts";
import { robotsVerdictNames } from "../core/answers/host-status.ts";
import type { HostHold } from "../core/answers/url-status.ts";
import { hostRowsMax } from "../core/messages/host-message.ts";
import type { KnownHost } from "../core/messages/host-message.ts";
import { HostGate } from "../core/politeness/host-gate.ts";
import type { PolitenessOptions } from "../core/politeness/politeness-options.ts";
import { hostAddress, hostKey, queueRange, rangeOfArc } from "../core/record/keys.ts";
import { HostRecord, RobotsRecord } from "../core/record/record.pb.ts";
import { positionOf } from "../core/ring/ring-position.ts";
import type { RingPosition } from "../core/ring/ring-position.ts";
import type { HostName, Millis } from "../core/units.ts";
import { siteOfHost } from "../core/url/site-of.ts";
import type { Clock } from "../ports/clock.ts";
import type { Store } from "../ports/store.ts";
import type { Frontier } from "./frontier.ts";
import { jobHold } from "./job-registry.ts";
import type { Job } from "./job-registry.ts";

/** URLs of one job that are counted: a host with more has enough of them. */
const countedMax = 1_000;

/** Origins of one site that are looked through for those of the host. */
const originsMax = 1_000;

/** Answers what this peer's database knows of hosts. */
export class HostDesk {
  readonly #ports: { readonly clock: Clock; readonly store: Store };
  readonly #frontier: Frontier;
  readonly #politeness: PolitenessOptions;
  readonly #peerId: string;

  constructor(
    ports: { readonly clock: Clock; readonly store: Store },
    parts: { readonly frontier: Frontier; readonly peerId: string },
    politeness: PolitenessOptions,
  ) {
    this.#ports = ports;
    this.#frontier = parts.frontier;
    this.#peerId = parts.peerId;
    this.#politeness = politeness;
  }

  async known(host: HostName, jobs: readonly Job[]): Promise<KnownHost> {
    const site = siteOfHost(host);
    const value = await this.#ports.store.get(hostKey("host", hostAddress(site, host)));
    const record = value && HostRecord.decode(value);
    const active = this.#frontier.hostNamed(host);
    const gate = active?.visit.gate ?? new HostGate(this.#politeness, record);
    const queued = await this.#queued(host, jobs);
    const { nextFetchAtMs } = gate;
    const nowMs = this.#ports.clock.nowMs();
    const hold = gate.hold(nowMs) ?? waitingFor(queued, jobs);
    const crawlDelayMs = active?.crawlDelayMs ?? record?.crawlDelayMs;
    return {
      owner: this.#peerId,
      known: record !== undefined || queued.length > 0,
      queued,
      ...(hold && { hold }),
      ...(nextFetchAtMs > nowMs && { nextFetchAt: momentOf(nextFetchAtMs) }),
      failuresInRow: gate.snapshot().failuresInRow,
      ...(crawlDelayMs !== undefined && { crawlDelayMs }),
      robots: await this.#robots(host, positionOf(site)),
    };
  }

  async #queued(host: HostName, jobs: readonly Job[]): Promise<HostQueueLength[]> {
    const keys = hostAddress(siteOfHost(host), host);
    const lengths: HostQueueLength[] = [];
    for (const { definition, space } of jobs) {
      if (lengths.length >= hostRowsMax) break;
      const rows = await this.#ports.store.range(queueRange(keys, space), countedMax + 1);
      const urls = Math.min(rows.length, countedMax);
      if (urls > 0) lengths.push({ job: definition.id, urls, orMore: rows.length > urls });
    }
    return lengths;
  }

  async #robots(host: HostName, position: RingPosition): Promise<OriginRobots[]> {
    const arc = { from: position, to: (position + 1) as RingPosition };
    const rows = await this.#ports.store.range(rangeOfArc("robots", arc), originsMax);
    return rows
      .map(({ value }) => RobotsRecord.decode(value))
      .filter(({ origin }) => URL.parse(origin)?.hostname === host)
      .slice(0, hostRowsMax)
      .map(({ origin, verdict, httpStatus, fetchedAtMs, expiresAtMs }) => ({
        origin,
        verdict: robotsVerdictNames.find((name) => name === verdict) ?? "disallow-all",
        httpStatus,
        fetchedAt: momentOf(fetchedAtMs),
        expiresAt: momentOf(expiresAtMs),
      }));
  }
}

/** Why URLs wait although the host may be asked. */
function waitingFor(
  queued: readonly HostQueueLength[],
  jobs: readonly Job[],
): HostHold | undefined {
  if (queued.length === 0) return undefined;
  const waiting = jobs.filter(({ definition }) => queued.some(({ job }) => job === definition.id));
  return waiting.every((job) => jobHold(job) === "job-paused") ? "job-paused" : "waiting-turn";
}

/** Times beyond what a date can be are cut: rows come from other peers too. */
function momentOf(atMs: Millis): string {
  const whole = Number.isFinite(atMs) ? Math.floor(atMs) : 0;
  return new Date(Math.min(Math.max(whole, 0), lastMomentMs)).toISOString();
}

/** The end of the year 9999, the last one that ISO 8601 writes with four digits. */
const lastMomentMs = 253_402_300_799_999;
