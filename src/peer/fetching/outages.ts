import type { OutageReason } from "../../core/answers/url-status.ts";
import { forgetOldest } from "../../core/forget-oldest.ts";
import { AnsweredOrigins } from "../../core/politeness/answered-origins.ts";
import type { AttemptEnd } from "../../core/politeness/attempt-end.ts";
import type { GateHold, HostGate } from "../../core/politeness/host-gate.ts";
import { lookedAt, type LookEnd } from "../../core/politeness/outage-watch.ts";
import type { FetchFailure } from "../../core/politeness/retry-table.ts";
import type { CanonicalUrl, HostName, Millis, OriginName } from "../../core/units.ts";
import { originOf } from "../../core/url/site-of.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Entropy } from "../../ports/entropy.ts";
import type { HostProbe } from "../../ports/host-probe.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Metrics } from "../../ports/metrics.ts";
import type { Lease } from "../frontier/lease.ts";
import { Outage } from "./outage.ts";

/**
 * A host whose attempt an outage has ended rests for so long, and at most twice that: the longer, the longer it lasts. Those
 * who shut us out together look like an outage, and are not to be knocked at all day.
 */
const restMsMin: Millis = 30_000;
const restMsMax: Millis = 300_000;

/** Hosts of which it is remembered that they rest for an outage; others rest to the end, and for a failure as it is said. */
const restingMax = 10_000;

type RestingVisit = Pick<Lease["host"]["visit"], "gate" | "host">;

export interface OutagePorts {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly probe: HostProbe;
}

/** Asks somebody for origins that have answered before. */
export type OriginSource = () => Promise<readonly OriginName[]>;

interface OutageEvents {
  /** Hosts that rest for an outage may come back sooner. */
  readonly onEnd: () => void;
  /** A source of origins has failed. */
  readonly onFailure: (error: unknown) => void;
}

/** Of a host that an attempt was in vain at. */
interface Rest {
  readonly outage: Outage;
  readonly gate: HostGate;
  readonly untilMs: Millis;
}

/** Whether there is a sign of life; undefined where there can be none. */
type Sign = boolean | undefined;

/** Looks at an origin, without a rejection; `until` ends it. */
type Look = (origin: OriginName, until: AbortSignal) => Promise<Sign>;

/**
 * Attempts that an outage of our own network or name server has ended are no one's fault: however long it lasts, no URL and no
 * host is given up for them. Each host is asked again now and then.
 *
 * The two are apart, since hosts whose addresses are known answer on while no name can be looked up.
 */
export class Outages {
  readonly #ports: OutagePorts;
  readonly #answered = new AnsweredOrigins();
  readonly #sources: readonly OriginSource[];
  readonly #signal: AbortSignal;
  readonly #network: Outage;
  readonly #onEnd: () => void;
  /** Those who rested last stand last. */
  readonly #resting = new Map<HostName, Rest>();
  /** What may have ended an attempt so. A refused connection, and the answer that there is no such name, speak of life. */
  readonly #blamed: ReadonlyMap<FetchFailure, Outage>;

  /**
   * @param sources are asked in turn where too few have answered in this run
   * @param signal ends a look that is under way
   */
  constructor(
    ports: OutagePorts,
    sources: readonly OriginSource[],
    { onEnd, onFailure }: OutageEvents,
    signal: AbortSignal,
  ) {
    this.#ports = ports;
    this.#sources = sources;
    this.#onEnd = onEnd;
    this.#signal = signal;
    const { clock, logger, metrics, probe } = ports;
    const parts = { clock, logger, onFailure, signal };
    const network: Outage = new Outage({
      ...parts,
      name: "network",
      onEnd: () => this.#letBack(network),
      look: () => this.#lookAtSome((origin, until) => probe.reaches(origin, until)),
    });
    const nameServer: Outage = new Outage({
      ...parts,
      name: "name-server",
      onEnd: () => this.#letBack(nameServer),
      look: () => this.#lookAtNames(),
    });
    this.#network = network;
    this.#blamed = new Map([
      ["connect-timeout", network],
      ["connect-unreachable", network],
      ["dns-error", nameServer],
      ["dns-timeout", nameServer],
    ]);
    const isDown = (): boolean => network.isDown() || nameServer.isDown();
    metrics.whenRead(() => metrics.gauge("network_down", Number(isDown())));
  }

  /**
   * Takes in how an attempt at the lease's host ended. Where that is an outage's doing, the host rests, and neither it nor the
   * URL is to be blamed: true. It may be the last one that a URL has, and is judged behind the look that it calls for.
   */
  async hear(
    { address, host: { visit }, url: { entry } }: Lease,
    end: AttemptEnd,
  ): Promise<boolean> {
    const { clock, entropy } = this.#ports;
    if (end.failure === undefined) {
      this.#answered.remember(originOf(entry.url as CanonicalUrl), address);
      this.#network.hearSign();
      return false;
    }
    const outage = this.#blamed.get(end.failure);
    await outage?.hearSilence(end.startedAtMs);
    const sinceMs = outage?.sinceMs;
    if (outage === undefined || sinceMs === undefined) return false;
    const nowMs = clock.nowMs();
    const restMs = Math.min(Math.max((nowMs - sinceMs) / 4, restMsMin), restMsMax);
    const untilMs = nowMs + restMs * (1 + entropy.random());
    const { gate, host } = visit;
    gate.restUntil(untilMs);
    this.#resting.delete(host);
    this.#resting.set(host, { outage, gate, untilMs });
    forgetOldest(this.#resting, restingMax);
    return true;
  }

  /**
   * Not all at once: a network may come back for a moment only, which is seen within half a minute. Those that were put on
   * disk meanwhile rest to the end, as they do after a restart: some minutes, at most.
   */
  #letBack(outage: Outage): void {
    const { clock, entropy } = this.#ports;
    for (const [host, { gate, outage: own, untilMs }] of this.#resting) {
      if (own !== outage) continue;
      gate.shortenRest(untilMs, clock.nowMs() + restMsMin * (1 + entropy.random()));
      this.#resting.delete(host);
    }
    this.#onEnd();
  }

  /** What keeps a host's gate closed, or the outage for which it rests, while that lasts. */
  holdOf({ gate, host }: RestingVisit, nowMs: Millis): GateHold | OutageReason | undefined {
    const hold = gate.hold(nowMs);
    const outage = hold === "backoff" ? this.#resting.get(host)?.outage : undefined;
    return outage?.isDown() ? outage.reason : hold;
  }

  /** Where no name has been found before, only the name server itself can tell whether it does its work. */
  async #lookAtNames(): Promise<LookEnd> {
    const { probe } = this.#ports;
    const end = await this.#lookAtSome((origin, until) => probe.resolves(origin, until));
    if (end.at !== "nothing") return end;
    return { at: "name-server", isAlive: await probe.hasNameServer(this.#signal) };
  }

  /** Ends with the first sign of life. */
  async #lookAtSome(look: Look): Promise<LookEnd> {
    for (const source of this.#sources) {
      if (!this.#answered.suffices) this.#answered.learn(await source());
    }
    const enough = new AbortController();
    const signal = AbortSignal.any([this.#signal, enough.signal]);
    const looks = this.#answered.take().map((origin) => look(origin, signal));
    const end = await Promise.race([firstSign(looks), allSigns(looks)]);
    enough.abort();
    return end;
  }
}

function firstSign(looks: readonly Promise<Sign>[]): Promise<LookEnd> {
  return new Promise((resolve) => {
    for (const look of looks) {
      void look.then((sign) =>
        sign ? resolve({ at: lookedAt(looks.length), isAlive: true }) : undefined,
      );
    }
  });
}

async function allSigns(looks: readonly Promise<Sign>[]): Promise<LookEnd> {
  const signs = await Promise.all(looks);
  const origins = signs.filter((sign) => sign !== undefined).length;
  return { at: lookedAt(origins), isAlive: signs.includes(true) };
}
