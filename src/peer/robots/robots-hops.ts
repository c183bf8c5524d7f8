import { forgetOldest } from "../../core/forget-oldest.ts";
import type { HostVisit } from "../../core/frontier/host-visit.ts";
import type { RequestEnd } from "../../core/frontier/workbench.ts";
import type { PolitenessOptions } from "../../core/politeness/politeness-options.ts";
import { verdictKindOf } from "../../core/politeness/retry-table.ts";
import { effectiveDelayMs } from "../../core/politeness/effective-delay.ts";
import type { CanonicalUrl, HostName, IpAddress, Millis } from "../../core/units.ts";
import { hostOf, siteOfHost } from "../../core/url/site-of.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Entropy } from "../../ports/entropy.ts";
import type { FetchLimits, FetchOutcome, FetchRequest, Fetcher } from "../../ports/fetcher.ts";
import type { Resolver } from "../../ports/resolver.ts";
import { RecentMap } from "../../core/recent-map.ts";
import { madeNoConnection } from "../fetching/address-trying-fetcher.ts";
import { fetchVerdictOf } from "../fetching/fetch-verdict.ts";
import type { Frontier } from "../frontier/frontier.ts";
import type { Host } from "../frontier/host.ts";
import type { Journal } from "../durability/journal.ts";
import type { Lease } from "../frontier/lease.ts";
import type { HostsOfOthers, HostWord } from "../swarm/answers/hosts-of-others.ts";
import { Hop, type HopOutcome } from "./hop.ts";
import { HopRests } from "./hop-rests.ts";
import { isBrokenOff, robotsRequest } from "./robots-request.ts";

/** A visit waits so long for a host that it is led to, or as long as its delay where that is longer. */
const waitMaxMs: Millis = 10_000;

/** A host with an open request is looked at again after so long. */
const lookAgainMs: Millis = 500;

/** One robots.txt may be that of thousands of hosts: they share its answer for so long, this many of them at a time. */
const sharedForMs: Millis = 60_000;
const sharedMax = 32;

/** Hosts of which it is remembered at which address they were not to be reached, and for how long. */
const unreachedMax = 4_096;
const unreachedForMs: Millis = 3_600_000;

const noAddress = { kind: "failure", failure: "dns-not-found", detail: "no address" } as const;

const atRest = { kind: "at-rest" } as const;
const noTurn = { kind: "no-turn" } as const;

export type HopPoliteness = Pick<
  PolitenessOptions,
  "addressDelayMs" | "crawlDelayMaxMs" | "retryAfterMaxMs"
>;

interface HopPorts {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly fetcher: Fetcher;
  readonly resolver: Resolver;
}

/** Where a robots.txt leads. */
type Led = Required<Pick<FetchRequest, "isLate" | "url">>;

interface HopRequest extends Led {
  readonly address: IpAddress;
  /** Of the host that is asked. */
  readonly delayMs: Millis;
}

interface Shared {
  readonly hop: Hop;
  readonly untilMs: Millis;
}

/**
 * Follows the redirects of a robots.txt at the pace of the hosts that they lead to, which need not be in the queue.
 *
 * Invariant: there is one hop at a time to a host, a delay apart. A hop begins when the host's gate, where it is crawled
 * here, is open, be it in memory or on disk, and in a turn at its address, which in a swarm has to be on loan.
 *
 * Another member may be crawling the host. Whose turn it is, only the address tells both: the hop keeps it for the delay
 * before and after its request. It asks that member, the host's holder, for its pace, and whether it is at rest, and tells it
 * afterwards that the host was asked, and for how long it wants to be left alone where that is longer.
 *
 * A visit that waits for a hop keeps its own host and address meanwhile. A hop to that address goes in its turn; of other
 * hops, none begins to wait for what a visit holds that waits itself, so that no two wait for each other.
 */
export class RobotsHops {
  readonly #ports: HopPorts;
  readonly #frontier: Frontier;
  readonly #journal: Journal;
  readonly #others: HostsOfOthers | undefined;
  readonly #limits: FetchLimits;
  readonly #politeness: HopPoliteness;
  readonly #signal: AbortSignal;
  /** Hosts that a hop has booked. */
  readonly #booked = new Map<HostName, Hop>();
  /** Hops that wait for their host or their address. */
  readonly #waiting = new Set<Hop>();
  readonly #rests = new HopRests();
  readonly #shared = new Map<CanonicalUrl, Shared>();
  /** To which of a host's addresses a hop found no connection last. */
  readonly #unreached = new RecentMap<HostName, IpAddress>({
    costMax: unreachedMax,
    costOf: () => 1,
    idleMsMax: unreachedForMs,
  });

  constructor(
    ports: HopPorts,
    parts: {
      readonly frontier: Frontier;
      readonly journal: Journal;
      readonly others?: HostsOfOthers | undefined;
    },
    options: {
      readonly limits: FetchLimits;
      readonly politeness: HopPoliteness;
    },
    signal: AbortSignal,
  ) {
    this.#ports = ports;
    this.#frontier = parts.frontier;
    this.#journal = parts.journal;
    this.#others = parts.others;
    this.#limits = options.limits;
    this.#politeness = options.politeness;
    this.#signal = signal;
  }

  /**
   * What the URL answers to the visit that was led to it.
   *
   * @param led `isLate`: whether turns that were taken since the visit began may have passed to others
   */
  async follow(lease: Lease, led: Led): Promise<HopOutcome> {
    const { url } = led;
    if (hostOf(url) === lease.host.visit.host) return this.#stay(lease, led);
    const nowMs = this.#ports.clock.nowMs();
    const known = this.#shared.get(url);
    if (known && nowMs < known.untilMs) return this.#join(lease, known.hop);
    const hop = new Hop(lease, url, (begun) => this.#go(begun, led, lease.host.visit.delayMs));
    this.#shared.delete(url);
    this.#shared.set(url, { hop, untilMs: nowMs + sharedForMs });
    forgetOldest(this.#shared, sharedMax);
    return hop.outcome;
  }

  async #join(lease: Lease, hop: Hop): Promise<HopOutcome> {
    if (this.#waiting.has(hop) && this.#wouldWaitInVain(hop)) return noTurn;
    hop.join(lease);
    return hop.outcome;
  }

  /** The visit holds the host and its address already, and waits for the delay alone. */
  async #stay({ host, address }: Lease, led: Led): Promise<HopOutcome> {
    const { visit } = host;
    const nowMs = this.#ports.clock.nowMs();
    const openAtMs = Math.max(visit.gate.nextFetchAtMs, nowMs + visit.delayMs);
    if (openAtMs > nowMs + longestWaitMs(visit.delayMs)) return atRest;
    visit.gate.opened(openAtMs, visit.delayMs);
    await this.#ports.clock.sleep(openAtMs - nowMs, this.#signal);
    return this.#fetch({ ...led, address });
  }

  /** @param ownDelayMs of the visit that was led there first */
  async #go(hop: Hop, led: Led, ownDelayMs: Millis): Promise<HopOutcome> {
    const { name } = hop;
    const resolved = await this.#ports.resolver.resolve(name, this.#signal);
    const address =
      resolved.kind === "addresses" ? this.#addressOf(name, resolved.addresses) : undefined;
    let outcome: HopOutcome;
    if (address === undefined) {
      const atMs = this.#ports.clock.nowMs();
      const failed = resolved.kind === "failure" ? resolved : noAddress;
      outcome = { ...failed, startedAtMs: atMs, finishedAtMs: atMs };
    } else {
      hop.address = address;
      const delayMs = await this.#delayMs(name, ownDelayMs);
      outcome = await this.#ask(hop, { ...led, address, delayMs });
      if (outcome.kind === "failure" && madeNoConnection(outcome)) {
        this.#unreached.set(name, address, this.#ports.clock.nowMs());
      }
    }
    if (!isGood(outcome) && this.#shared.get(led.url)?.hop === hop) {
      this.#shared.delete(led.url);
    }
    return outcome;
  }

  /** Where the host's own visits go, or the next of its addresses where no connection was made last. */
  #addressOf(name: HostName, addresses: readonly IpAddress[]): IpAddress | undefined {
    const active = this.#frontier.hostNamed(name);
    const own = active?.visit.address;
    const unreached =
      active?.isPassedOver === true ? own : this.#unreached.get(name, this.#ports.clock.nowMs());
    if (own !== undefined && own !== unreached && addresses.includes(own)) return own;
    const at = addresses.findIndex((address) => address === unreached);
    return addresses[(at + 1) % addresses.length];
  }

  /** Asks in the turn of the host and the address. */
  async #ask(hop: Hop, request: HopRequest): Promise<HopOutcome> {
    const { clock } = this.#ports;
    const { name } = hop;
    const { address, delayMs } = request;
    const untilMs = clock.nowMs() + longestWaitMs(delayMs);
    const fromMs = await this.#book(hop, delayMs, untilMs);
    if (typeof fromMs !== "number") return fromMs;
    const errand = { host: name, address, delayMs, fromMs, untilMs, signal: hop.held };
    const visit = hop.isHeld
      ? undefined
      : await this.#wait(hop, () => this.#frontier.turns.begin(errand));
    if (!visit && !hop.isHeld) {
      this.#booked.delete(name);
      return noTurn;
    }
    // The request of the visit in whose turn it goes has just ended.
    const addressRestMs = visit ? 0 : Math.min(delayMs, this.#politeness.addressDelayMs);
    await clock.sleep(Math.max(fromMs - clock.nowMs(), addressRestMs), this.#signal);
    // Another member may have asked the host just now, and may do so again: the address is kept from it for as long.
    const restMs = this.#frontier.crawls(name) ? 0 : Math.min(delayMs, waitMaxMs);
    await clock.sleep(restMs, this.#signal);
    const toldMs = await this.#toldRestMs(name);
    if (toldMs > longestWaitMs(delayMs)) {
      this.#booked.delete(name);
      if (visit) this.#frontier.turns.close({ visit, address });
      return atRest;
    }
    await clock.sleep(toldMs, this.#signal);
    this.#begin(name, delayMs);
    const outcome = await this.#fetch(request);
    await this.#end(name, { delayMs, keptMs: restMs }, outcome);
    if (visit) void this.#release(visit, { delayMs, ...fetchVerdictOf(outcome, clock) }, restMs);
    return outcome;
  }

  /** For how long the host wants to be left alone, by what is known now: here, or at its holder. */
  async #toldRestMs(name: HostName): Promise<Millis> {
    const ownMs = this.#frontier.doubts.restUntilMs(name) - this.#ports.clock.nowMs();
    return Math.max(0, ownMs, (await this.#wordOn(name))?.restMs ?? 0);
  }

  /** What its holder says of a host that is not crawled here. */
  async #wordOn(name: HostName): Promise<HostWord | undefined> {
    return this.#frontier.crawls(name) ? undefined : this.#others?.word(name);
  }

  /** Books the host, and returns when it may be asked; nothing is booked where that would be too late. */
  async #book(
    hop: Hop,
    delayMs: Millis,
    untilMs: Millis,
  ): Promise<Millis | typeof atRest | typeof noTurn> {
    const { name } = hop;
    let host = await this.#hostOf(name);
    while (this.#isBusy(name)) {
      const isFree = await this.#wait(hop, () => this.#untilFree(hop, untilMs));
      if (!isFree) return noTurn;
      host = await this.#hostOf(name);
    }
    const nowMs = this.#ports.clock.nowMs();
    const active = this.#frontier.hostNamed(name);
    const gate = (active ?? host)?.visit.gate;
    const fromMs = Math.max(nowMs, gate?.nextFetchAtMs ?? 0, this.#rests.openAtMs(name));
    if (fromMs > nowMs + longestWaitMs(delayMs)) return atRest;
    if (fromMs > untilMs) return noTurn;
    this.#booked.set(name, hop);
    if (active) active.visit.gate.opened(fromMs, delayMs);
    else this.#frontier.doubts.asked(name, fromMs);
    return fromMs;
  }

  /** The host as it is known here, in memory or on disk. What another member crawls, that one knows best. */
  async #hostOf(name: HostName): Promise<Host | undefined> {
    const active = this.#frontier.hostNamed(name);
    if (active || !this.#frontier.crawls(name)) return active;
    const hosts = await this.#frontier.hostsFor(new Map([[name, siteOfHost(name)]]));
    const host = this.#frontier.hostNamed(name) ?? hosts.get(name);
    return host?.isStored ? host : undefined;
  }

  /** @param ownDelayMs of the visit that is led there */
  async #delayMs(name: HostName, ownDelayMs: Millis): Promise<Millis> {
    const host = await this.#hostOf(name);
    const active = this.#frontier.hostNamed(name);
    if (active) return active.visit.delayMs;
    const { crawlDelayMs } = host ?? (await this.#wordOn(name)) ?? {};
    return effectiveDelayMs(ownDelayMs, crawlDelayMs, this.#politeness);
  }

  async #untilFree(hop: Hop, untilMs: Millis): Promise<boolean> {
    const { clock } = this.#ports;
    while (this.#isBusy(hop.name)) {
      if (this.#signal.aborted || clock.nowMs() + lookAgainMs > untilMs) return false;
      const before = this.#booked.get(hop.name);
      if (before && hop.holdsAddressOf(before)) {
        before.precede(hop);
        await before.outcome;
      } else await clock.sleep(lookAgainMs, this.#signal);
    }
    return true;
  }

  /** Lets the hop wait; nothing where it would do so in vain. */
  async #wait<T>(hop: Hop, wait: () => Promise<T>): Promise<T | undefined> {
    if (this.#wouldWaitInVain(hop)) return undefined;
    this.#waiting.add(hop);
    try {
      return await wait();
    } finally {
      this.#waiting.delete(hop);
    }
  }

  #wouldWaitInVain(hop: Hop): boolean {
    return [...this.#waiting].some((other) => other !== hop && other.isInTheWayOf(hop));
  }

  #isBusy(name: HostName): boolean {
    return this.#booked.has(name) || Boolean(this.#frontier.hostNamed(name)?.visit.openRequests);
  }

  #begin(name: HostName, delayMs: Millis): void {
    const nowMs = this.#ports.clock.nowMs();
    this.#frontier.hostNamed(name)?.visit.gate.opened(nowMs, delayMs);
    // The host may come into the queue while it is asked, or after.
    this.#frontier.doubts.asked(name, nowMs);
  }

  /**
   * Frees the host, and tells its clocks how it went.
   *
   * @param rests `keptMs`: for how long the address is kept from the host's holder, which has to hear of what is longer
   */
  async #end(
    name: HostName,
    { delayMs, keptMs }: { readonly delayMs: Millis; readonly keptMs: Millis },
    outcome: FetchOutcome,
  ): Promise<void> {
    const { clock } = this.#ports;
    const nowMs = clock.nowMs();
    const verdict = fetchVerdictOf(outcome, clock);
    this.#frontier.doubts.asked(name, nowMs);
    this.#booked.delete(name);
    const retryAfterMs = Math.min(verdict.retryAfterMs ?? 0, this.#politeness.retryAfterMaxMs);
    const wantedMs = Math.max(delayMs, retryAfterMs);
    this.#rests.add(name, nowMs + wantedMs, nowMs);
    if (!this.#frontier.crawls(name)) {
      await this.#others?.rests(name, wantedMs > keptMs ? wantedMs : 0);
    }
    if (verdict.kind === "neutral") return;
    const known = await this.#hostOf(name);
    const host = this.#frontier.hostNamed(name) ?? known;
    if (!host) {
      if (verdict.kind !== "ok") this.#frontier.doubts.asked(name, nowMs, nowMs + retryAfterMs);
      return;
    }
    const restMs = Math.max(delayMs, host.visit.delayMs);
    host.visit.gate.record(verdict, restMs, this.#ports.entropy.random());
    this.#frontier.saved(host, this.#journal.append([host.save()]));
  }

  async #release(
    visit: HostVisit,
    end: Omit<RequestEnd, "address">,
    restMs: Millis,
  ): Promise<void> {
    await this.#ports.clock.sleep(restMs, this.#signal);
    this.#frontier.turns.end(visit, end);
  }

  #fetch({ address, isLate, url }: Omit<HopRequest, "delayMs">): Promise<FetchOutcome> {
    return this.#ports.fetcher.fetch(
      {
        ...robotsRequest,
        url,
        address,
        isLate,
        limits: this.#limits,
        // It has no second try of its own, and there is seldom an idle connection to where it leads.
        needsNewConnection: true,
      },
      this.#signal,
    );
  }
}

/** Whether others may share it. What broke off is no answer until it does so again and again, each time asked anew. */
function isGood(outcome: HopOutcome): boolean {
  if (outcome.kind === "at-rest" || outcome.kind === "no-turn") return false;
  if (outcome.kind === "response" && isBrokenOff(outcome)) return false;
  return verdictKindOf(outcome) === "ok";
}

function longestWaitMs(delayMs: Millis): Millis {
  return Math.max(waitMaxMs, delayMs);
}
