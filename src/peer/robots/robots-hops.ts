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

/** A host or an address with an open request is looked at again after so long. */
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
  /** When the visit's own request lets the address be asked again, where the visit holds it. */
  readonly heldUntilMs: Millis | undefined;
  readonly delayMs: Millis;
}

interface Shared {
  readonly outcome: Promise<FetchOutcome | undefined>;
  readonly untilMs: Millis;
}

/**
 * Follows the redirects of a robots.txt at the pace of the hosts that they lead to, which need not be in the queue.
 *
 * Invariant: there is one hop at a time to a host, and one to an address, a delay apart. A hop begins when the host's
 * gate, where it is active here, and the address's clock are open.
 *
 * The queue knows of a hop by the host's gate alone, which counts its delay from the hop's start, and again from its end.
 */
export class RobotsHops {
  readonly #ports: HopPorts;
  readonly #frontier: Frontier;
  readonly #journal: Journal;
  readonly #limits: FetchLimits;
  readonly #addressDelayMs: Millis;
  readonly #signal: AbortSignal;
  /** Hosts and addresses that a hop has booked. */
  readonly #booked = new Set<HostName | IpAddress>();
  /** When hosts and addresses may be led to again. */
  readonly #openAtMs = new Map<HostName | IpAddress, Millis>();
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
      // The visit itself holds its host's address, whose request has just ended.
      const restMs = Math.min(visit.delayMs, this.#addressDelayMs);
      const heldUntilMs =
        address === visit.address ? this.#ports.clock.nowMs() + restMs : undefined;
      const turn = { name, address, heldUntilMs, delayMs };
      if (await this.#book(turn)) {
        outcome = await this.#fetch(url, address);
        this.#end(turn, outcome);
      }
    }
    if (!outcome || fetchVerdictOf(outcome).kind !== "ok") this.#shared.delete(url);
    return outcome;
  }

  /** Books the turn and waits for it; false, and nothing is booked, where that would take too long. */
  async #book(turn: Turn): Promise<boolean> {
    const { clock } = this.#ports;
    const { name, address, heldUntilMs, delayMs } = turn;
    const untilMs = clock.nowMs() + longestWaitMs(delayMs);
    while (this.#isBusy(turn) && !this.#signal.aborted) {
      if (clock.nowMs() + lookAgainMs > untilMs) return false;
      await clock.sleep(lookAgainMs, this.#signal);
    }
    const gate = this.#frontier.hostNamed(name)?.visit.gate;
    const openAtMs = Math.max(
      clock.nowMs(),
      gate?.nextFetchAtMs ?? 0,
      this.#openAtMs.get(name) ?? 0,
      this.#openAtMs.get(address) ?? 0,
      heldUntilMs ?? this.#frontier.addressUse(address)?.clockAtMs ?? 0,
    );
    if (openAtMs > untilMs) return false;
    this.#booked.add(name);
    this.#booked.add(address);
    gate?.opened(openAtMs, delayMs);
    // The host may come into the queue while it is asked, or after.
    this.#frontier.doubts.asked(name, openAtMs);
    await clock.sleep(openAtMs - clock.nowMs(), this.#signal);
    return true;
  }

  #isBusy({ name, address, heldUntilMs }: Turn): boolean {
    if (this.#booked.has(name) || this.#frontier.hostNamed(name)?.visit.openRequests) return true;
    if (this.#booked.has(address)) return true;
    return heldUntilMs === undefined && (this.#frontier.addressUse(address)?.busy ?? false);
  }

  /** Frees what was booked, and tells the clocks of the host that was asked how it went. */
  #end({ name, address, delayMs }: Turn, outcome: FetchOutcome): void {
    const nowMs = this.#ports.clock.nowMs();
    for (const [place, openAtMs] of this.#openAtMs) {
      if (openAtMs <= nowMs) this.#openAtMs.delete(place);
    }
    const verdict = fetchVerdictOf(outcome);
    this.#frontier.doubts.asked(name, nowMs);
    this.#booked.delete(name);
    this.#openAtMs.set(name, nowMs + Math.max(delayMs, verdict.retryAfterMs ?? 0));
    this.#booked.delete(address);
    this.#openAtMs.set(address, nowMs + Math.min(delayMs, this.#addressDelayMs));
    const host = this.#frontier.hostNamed(name);
    if (!host || verdict.kind === "neutral") return;
    host.visit.gate.record(verdict, host.visit.delayMs, this.#ports.entropy.random());
    void this.#journal.append([host.save()]);
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
