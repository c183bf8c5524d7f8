import { ownText } from "../../core/text/own-text.ts";
import type { CanonicalUrl, HostName, IpAddress } from "../../core/units.ts";
import { hostOf } from "../../core/url/site-of.ts";
import type { FetchOutcome } from "../../ports/fetcher.ts";
import type { Lease } from "../frontier/lease.ts";

/**
 * What a URL answers that a robots.txt leads to. `at-rest`: its host wants to be left alone for longer than a visit waits.
 * `no-turn`: others stood before it for as long, or it would have waited in vain.
 */
export type HopOutcome = FetchOutcome | { readonly kind: "at-rest" } | { readonly kind: "no-turn" };

/**
 * One request that robots.txts lead to, and the visits that wait for its answer.
 *
 * Invariant: until it has ended, each of these visits holds its own host and its address.
 */
export class Hop {
  readonly name: HostName;
  /** Where it goes, once that is known. */
  address: IpAddress | undefined;
  readonly outcome: Promise<HopOutcome>;
  readonly #visits = new Set<Lease>();
  readonly #held = new AbortController();
  #hasEnded = false;

  constructor(first: Lease, url: CanonicalUrl, go: (hop: Hop) => Promise<HopOutcome>) {
    // It is cut out of the URL, and outlives it: hosts are remembered for long by their names.
    this.name = ownText(hostOf(url)) as HostName;
    this.#visits.add(first);
    this.outcome = go(this).finally(() => {
      this.#hasEnded = true;
      this.#visits.clear();
    });
  }

  /** One of its visits holds its address, so that it goes in that one's turn. */
  get isHeld(): boolean {
    return this.holdsAddressOf(this);
  }

  /** Aborted when that becomes so while it waits for a turn of its own. */
  get held(): AbortSignal {
    return this.#held.signal;
  }

  /** Whether one of its visits holds what the other needs. */
  isInTheWayOf(other: Hop): boolean {
    return this.holdsAddressOf(other) || this.#some(({ host }) => host.visit.host === other.name);
  }

  holdsAddressOf({ address }: Hop): boolean {
    return address !== undefined && this.#some((lease) => lease.address === address);
  }

  /** The visit waits for the answer as well. */
  join(lease: Lease): void {
    if (this.#hasEnded) return;
    this.#visits.add(lease);
    if (this.isHeld) this.#held.abort();
  }

  /** The other one waits for the end of this one, and so do its visits. */
  precede(other: Hop): void {
    for (const lease of other.#visits) this.join(lease);
  }

  #some(test: (lease: Lease) => boolean): boolean {
    return [...this.#visits].some(test);
  }
}
