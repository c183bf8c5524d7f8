import { connect } from "node:net";
import { errorCode } from "../../core/errors.ts";
import { isPublicAddress } from "../../core/net/address-policy.ts";
import type { HostName, IpAddress, Millis, OriginName } from "../../core/units.ts";
import type { HostProbe } from "../../ports/host-probe.ts";
import type { ResolveOutcome } from "../../ports/resolver.ts";

/** For the address, and again for the connection. */
const timeoutMs: Millis = 10_000;

interface NameServers {
  /** Asks for a name's addresses though they are known. */
  resolveAnew(host: HostName, signal: AbortSignal): Promise<ResolveOutcome>;
  /** Whether it asks at all. */
  needsServer(host: HostName): boolean;
  /** Whether one answers for the root. */
  knowsRoot(signal: AbortSignal): Promise<boolean>;
}

/** Looks names up, and opens a TCP connection to the first address, which it closes without a word. */
export class TcpProbe implements HostProbe {
  readonly #nameServers: NameServers;
  readonly #allowPrivate: boolean;

  constructor(nameServers: NameServers, options: { readonly allowPrivate: boolean }) {
    this.#nameServers = nameServers;
    this.#allowPrivate = options.allowPrivate;
  }

  async reaches(origin: OriginName, signal: AbortSignal): Promise<boolean> {
    const addresses = await this.#addresses(hostOf(origin), signal);
    const address = addresses.find((one) => this.#allowPrivate || isPublicAddress(one));
    return address !== undefined && connects(address, portOf(origin), signal);
  }

  async resolves(origin: OriginName, signal: AbortSignal): Promise<boolean | undefined> {
    const host = hostOf(origin);
    if (!this.#nameServers.needsServer(host)) return undefined;
    return (await this.#addresses(host, signal)).length > 0;
  }

  hasNameServer(signal: AbortSignal): Promise<boolean> {
    return this.#nameServers.knowsRoot(withTimeout(signal));
  }

  async #addresses(host: HostName, signal: AbortSignal): Promise<readonly IpAddress[]> {
    const found = await this.#nameServers.resolveAnew(host, withTimeout(signal));
    return found.kind === "addresses" ? found.addresses : [];
  }
}

function hostOf(origin: OriginName): HostName {
  return new URL(origin).hostname as HostName;
}

function portOf(origin: OriginName): number {
  const { port, protocol } = new URL(origin);
  return Number(port || (protocol === "https:" ? 443 : 80));
}

/** Whether there is anybody at the address, be it to refuse the connection. */
function connects(host: IpAddress, port: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, signal: withTimeout(signal) });
    socket.once("connect", () => {
      resolve(true);
      socket.destroy();
    });
    socket.on("error", (error) => resolve(errorCode(error) === "ECONNREFUSED"));
  });
}

function withTimeout(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
}
