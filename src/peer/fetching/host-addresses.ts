import type { IpAddress, Millis } from "../../core/units.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Resolver } from "../../ports/resolver.ts";
import type { Host } from "../frontier/host.ts";

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

  isExpired(host: Host): boolean {
    return host.addressExpiresAtMs <= this.#clock.nowMs();
  }

  /**
   * Looks the host's name up; it keeps its address while that is among the answers, unless it was passed over. False: it has
   * none.
   */
  async find(host: Host, signal: AbortSignal): Promise<boolean> {
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
      host.unresolved = { failure: outcome.failure, detail: outcome.detail };
      visit.address = standInAddress(visit.host);
      host.addressExpiresAtMs = this.#clock.nowMs() + this.#retryMs;
    }
    return host.unresolved === undefined;
  }
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
