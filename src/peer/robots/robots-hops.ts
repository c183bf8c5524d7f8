import type { HostVisit } from "../../core/frontier/host-visit.ts";
import type { RequestEnd } from "../../core/frontier/workbench.ts";
import type { PolitenessOptions } from "../../core/politeness/politeness-options.ts";
import type { CanonicalUrl, HostName, IpAddress, Millis } from "../../core/units.ts";
import { hostOf } from "../../core/url/site-of.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Entropy } from "../../ports/entropy.ts";
import type { FetchLimits, FetchOutcome, Fetcher } from "../../ports/fetcher.ts";
import type { Resolver } from "../../ports/resolver.ts";
import { fetchVerdictOf } from "../fetching/fetch-verdict.ts";
import type { Frontier } from "../frontier/frontier.ts";
import type { Journal } from "../durability/journal.ts";
import type { Lease } from "../durability/lease.ts";

/** A visit waits so long for a host that it is led to, or as long as its delay where that is longer. */
const waitMaxMs: Millis = 10_000;

/** A host with an open request is looked at again after so long. */
const lookAgainMs: Millis = 500;

/** One robots.txt may be that of thousands of hosts: they share its answer for so long, this many of them at a time. */
const sharedForMs: Millis = 60_000;
const sharedMax = 32;

const noAddress = { kind: "failure", failure: "dns-not-found", detail: "no address" } as const;

interface HopPorts {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly fetcher: Fetcher;
  readonly resolver: Resolver;
}

/** What a hop books. */
interface Turn {
  readonly name: HostName;
  readonly address: IpAddress;
  /** The visit holds the address, and its request has just ended. */
  readonly isHeld: boolean;
  readonly delayMs: Millis;
}

interface Shared {
  readonly outcome: Promise<FetchOutcome | undefined>;
  readonly untilMs: Millis;
}

/**
 * Follows the redirects of a robots.txt at the pace of the hosts that they lead to, which need not be in the queue.
 *
 * Invariant: there is one hop at a time to a host, a delay apart. A hop begins when the host's gate, where it is active
 * here, is open, and in a turn at its address, which in a swarm has to be on loan.
 *
 * Another member may be crawling the host. Whose turn it is, only the address tells both: the hop keeps it for the delay
 * before and after its request.
 */
export class RobotsHops {
  readonly #ports: HopPorts;
  readonly #frontier: Frontier;
  readonly #journal: Journal;
  readonly #limits: FetchLimits;
  readonly #addressDelayMs: Millis;
  readonly #signal: AbortSignal;
  /** Hosts that a hop has booked. */
  readonly #booked = new Set<HostName>();
  /** When hosts may be led to again. */
  readonly #openAtMs = new Map<HostName, Millis>();
  readonly #shared = new Map<CanonicalUrl, Shared>();

  constructor(
    ports: HopPorts,
    parts: { readonly frontier: Frontier; readonly journal: Journal },
    options: {
      readonly limits: FetchLimits;
      readonly politeness: Pick<PolitenessOptions, "addressDelayMs">;
    },
    signal: AbortSignal,
  ) {
    this.#ports = ports;
    this.#frontier = parts.frontier;
    this.#journal = parts.journal;
    this.#limits = options.limits;
    this.#addressDelayMs = options.politeness.addressDelayMs;
    this.#signal = signal;
  }

  /** What the URL answers to the visit that was led to it; nothing when its host cannot be asked soon. */
  follow(lease: Lease, url: CanonicalUrl): Promise<FetchOutcome | undefined> {
    if (hostOf(url) === lease.host.visit.host) return this.#stay(lease, url);
    const nowMs = this.#ports.clock.nowMs();
    const known = this.#shared.get(url);
    if (known && nowMs < known.untilMs) return known.outcome;
    const outcome = this.#go(lease, url);
    this.#shared.delete(url);
    this.#shared.set(url, { outcome, untilMs: nowMs + sharedForMs });
    for (const oldest of this.#shared.keys()) {
      if (this.#shared.size <= sharedMax) break;
      this.#shared.delete(oldest);
    }
    return outcome;
  }

  /** The visit holds the host and its address already, and waits for the delay alone. */
  async #stay({ host }: Lease, url: CanonicalUrl): Promise<FetchOutcome | undefined> {
    const { visit, unresolved } = host;
    const nowMs = this.#ports.clock.nowMs();
    const openAtMs = Math.max(visit.gate.nextFetchAtMs, nowMs + visit.delayMs);
    if (unresolved || !visit.address || openAtMs > nowMs + longestWaitMs(visit.delayMs)) {
      return undefined;
    }
    visit.gate.opened(openAtMs, visit.delayMs);
    await this.#ports.clock.sleep(openAtMs - nowMs, this.#signal);
    return this.#fetch(url, visit.address);
  }

  async #go(lease: Lease, url: CanonicalUrl): Promise<FetchOutcome | undefined> {
    const name = hostOf(url);
    const resolved = await this.#ports.resolver.resolve(name, this.#signal);
    const address = resolved.kind === "addresses" ? resolved.addresses[0] : undefined;
    let outcome: FetchOutcome | undefined;
    if (address === undefined) {
      const atMs = this.#ports.clock.nowMs();
      const failed = resolved.kind === "failure" ? resolved : noAddress;
      outcome = { ...failed, startedAtMs: atMs, finishedAtMs: atMs };
    } else {
      const { visit } = lease.host;
      const { delayMs } = this.#frontier.hostNamed(name)?.visit ?? visit;
      const turn = { name, address, isHeld: address === visit.address, delayMs };
      outcome = await this.#ask(turn, url);
    }
    if (!outcome || fetchVerdictOf(outcome).kind !== "ok") this.#shared.delete(url);
    return outcome;
  }

  /** Asks in the turn of the host and the address; nothing where that would take too long. */
  async #ask(turn: Turn, url: CanonicalUrl): Promise<FetchOutcome | undefined> {
    const { clock } = this.#ports;
    const { name, address, isHeld, delayMs } = turn;
    const untilMs = clock.nowMs() + longestWaitMs(delayMs);
    const fromMs = await this.#book(turn, untilMs);
    if (fromMs === undefined) return undefined;
    const errand = { host: name, address, delayMs, fromMs, untilMs };
    const visit = isHeld ? undefined : await this.#frontier.turns.begin(errand);
    if (!isHeld && !visit) {
      this.#booked.delete(name);
      return undefined;
    }
    await clock.sleep(fromMs - clock.nowMs(), this.#signal);
    // Another member may have asked the host just now, and may do so again: the address is kept from it for as long.
    const restMs = this.#frontier.crawls(name) ? 0 : Math.min(delayMs, waitMaxMs);
    await clock.sleep(restMs, this.#signal);
    this.#begin(turn);
    const outcome = await this.#fetch(url, address);
    this.#end(turn, outcome);
    if (visit) void this.#release(visit, { delayMs, ...fetchVerdictOf(outcome) }, restMs);
    return outcome;
  }

  /** Books the host, and returns when it may be asked; nothing is booked where that would be too late. */
  async #book({ name, isHeld, delayMs }: Turn, untilMs: Millis): Promise<Millis | undefined> {
    const { clock } = this.#ports;
    while (this.#isBusy(name) && !this.#signal.aborted) {
      if (clock.nowMs() + lookAgainMs > untilMs) return undefined;
      await clock.sleep(lookAgainMs, this.#signal);
    }
    const gate = this.#frontier.hostNamed(name)?.visit.gate;
    const fromMs = Math.max(
      clock.nowMs() + (isHeld ? Math.min(delayMs, this.#addressDelayMs) : 0),
      gate?.nextFetchAtMs ?? 0,
      this.#openAtMs.get(name) ?? 0,
    );
    if (fromMs > untilMs) return undefined;
    this.#booked.add(name);
    gate?.opened(fromMs, delayMs);
    return fromMs;
  }

  #isBusy(name: HostName): boolean {
    return this.#booked.has(name) || Boolean(this.#frontier.hostNamed(name)?.visit.openRequests);
  }

  #begin({ name, delayMs }: Turn): void {
    const nowMs = this.#ports.clock.nowMs();
    this.#frontier.hostNamed(name)?.visit.gate.opened(nowMs, delayMs);
    // The host may come into the queue while it is asked, or after.
    this.#frontier.doubts.asked(name, nowMs);
  }

  /** Frees the host, and tells its clocks how it went. */
  #end({ name, delayMs }: Turn, outcome: FetchOutcome): void {
    const nowMs = this.#ports.clock.nowMs();
    for (const [known, openAtMs] of this.#openAtMs) {
      if (openAtMs <= nowMs) this.#openAtMs.delete(known);
    }
    const verdict = fetchVerdictOf(outcome);
    this.#frontier.doubts.asked(name, nowMs);
    this.#booked.delete(name);
    this.#openAtMs.set(name, nowMs + Math.max(delayMs, verdict.retryAfterMs ?? 0));
    const host = this.#frontier.hostNamed(name);
    if (!host || verdict.kind === "neutral") return;
    host.visit.gate.record(verdict, host.visit.delayMs, this.#ports.entropy.random());
    void this.#journal.append([host.save()]);
  }

  async #release(visit: HostVisit, end: RequestEnd, restMs: Millis): Promise<void> {
    await this.#ports.clock.sleep(restMs, this.#signal);
    this.#frontier.turns.end(visit, end);
  }

  #fetch(url: CanonicalUrl, address: IpAddress): Promise<FetchOutcome> {
    return this.#ports.fetcher.fetch(
      {
        url,
        address,
        headers: {},
        limits: this.#limits,
        wantsBody: () => true,
        // It has no second try of its own, and there is seldom an idle connection to where it leads.
        needsNewConnection: true,
      },
      this.#signal,
    );
  }
}

function longestWaitMs(delayMs: Millis): Millis {
  return Math.max(waitMaxMs, delayMs);
}
