import type { IpAddress, Millis } from "../../core/units.ts";
import type { Clock } from "../../ports/clock.ts";
import type { FetchFailed } from "../../ports/fetcher.ts";
import type { Resolver } from "../../ports/resolver.ts";
import type { Lease } from "../frontier/lease.ts";
import type { Host, Unresolved } from "../frontier/host.ts";

/**
 * A host that has waited in its place for so long after its address expired is looked up again. Not sooner: an answer may hold
 * for less than the host's delay, and to give its turn back each time would take half of its pace.
 */
const outdatedAfterMs: Millis = 600_000;

/** Gives hosts their addresses: by name, for as long as the answer holds. */
export class HostAddresses {
  readonly #clock: Clock;
  readonly #resolver: Resolver;
  readonly #retryMs: Millis;

  /** @param retryMs when a name without an address is asked for again */
  constructor(ports: { readonly clock: Clock; readonly resolver: Resolver }, retryMs: Millis) {
    this.#clock = ports.clock;
    this.#resolver = ports.resolver;
    this.#retryMs = retryMs;
  }

  /**
   * Whether the host's name is to be looked up before it is placed. One without an address is not, as often as URLs of it
   * are found, but when it comes to its turn ({@link mayGoOn}).
   */
  isWanted(host: Host): boolean {
    return host.unresolved === undefined && host.addressExpiresAtMs <= this.#clock.nowMs();
  }

  /** Whether the host's address expired so long ago that it is to be looked up again though the host is in its place. */
  isOutdated(host: Host): boolean {
    return this.isWanted(host) && host.addressExpiresAtMs + outdatedAfterMs <= this.#clock.nowMs();
  }

  /** Looks the host's name up; it keeps its address while that is among the answers, unless it was passed over. */
  async find(host: Host, signal: AbortSignal): Promise<void> {
    const { visit } = host;
    const outcome = await this.#resolver.resolve(visit.host, signal);
    if (outcome.kind === "addresses") {
      host.unresolved = undefined;
      const { addresses } = outcome;
      const at = addresses.findIndex((address) => address === visit.address);
      const next = at < 0 || host.isPassedOver ? (at + 1) % addresses.length : at;
      visit.address = addresses[next] ?? visit.address;
      host.isPassedOver = false;
      host.hasOtherAddresses = addresses.length > 1;
      host.addressExpiresAtMs = outcome.expiresAtMs;
    } else if (outcome.failure !== "aborted") {
      const { failure, detail } = outcome;
      const nowMs = this.#clock.nowMs();
      // By its next turn it would be old.
      const isTold = visit.gate.nextFetchAtMs > nowMs + visit.delayMs;
      host.unresolved = { failure, detail, isTold };
      visit.address = standInAddress(visit.host);
      host.addressExpiresAtMs = nowMs + this.#retryMs;
    }
  }
}

/**
 * Whether a visit may go on in the turn that it has taken. In that of a name without an address it may do so only to fail,
 * with a look-up of its own ({@link Lease.unresolved}): the last one may be a minute old, and be that of other visits,
 * whose URLs would all lose an attempt by it. Else the name is looked up anew, for the host's next turn: a visit that waited
 * for that would keep the place of a request, and many of them all others from being made.
 */
export function mayGoOn(lease: Lease, nowMs: Millis): boolean {
  const { address, host } = lease;
  if (!isStandIn(address)) return true;
  const { unresolved } = host;
  if (unresolved?.isTold === false) {
    unresolved.isTold = true;
    lease.unresolved = unresolved;
    return true;
  }
  if (host.addressExpiresAtMs <= nowMs) host.unresolved = undefined;
  else if (unresolved) host.visit.gate.restUntil(host.addressExpiresAtMs);
  return false;
}

/**
 * No connection was made to `address`: from the host's next placing on, its visits go to the next of its name's addresses,
 * if it has another.
 */
export function passOver(host: Host, address: IpAddress): void {
  if (!host.hasOtherAddresses || host.visit.address !== address) return;
  host.isPassedOver = true;
  host.addressExpiresAtMs = 0;
}

const standInPrefix = "unresolved:";

/** A name without an address shares its turn with no other. */
function standInAddress(name: string): IpAddress {
  return `${standInPrefix}${name}` as IpAddress;
}

/** Whether it stands for a host without an address: nothing is sent there, and nobody else shares it. */
export function isStandIn(address: IpAddress): boolean {
  return address.startsWith(standInPrefix);
}

/** How a request ends that is not made, because its host has no address. */
export function unresolvedOutcome({ failure, detail }: Unresolved, nowMs: Millis): FetchFailed {
  return { kind: "failure", failure, detail, startedAtMs: nowMs, finishedAtMs: nowMs };
}
