import { connect } from "node:net";
import { errorCode } from "../../core/errors.ts";
import { isPublicAddress } from "../../core/net/address-policy.ts";
import type { HostName, IpAddress, Millis, OriginName } from "../../core/units.ts";
import type { HostProbe } from "../../ports/host-probe.ts";
import type { ResolveOutcome } from "../../ports/resolver.ts";

/** For the address, and again for the connection. */
const timeoutMs: Millis = 10_000;

/** Asks for a name's address though it is known. */
interface NameServers {
  resolveAnew(host: HostName, signal: AbortSignal): Promise<ResolveOutcome>;
}

/** Looks a name up, opens a TCP connection to its first address, and closes it without a word. */
export class TcpProbe implements HostProbe {
  readonly #nameServers: NameServers;
  readonly #allowPrivate: boolean;

  constructor(nameServers: NameServers, options: { readonly allowPrivate: boolean }) {
    this.#nameServers = nameServers;
    this.#allowPrivate = options.allowPrivate;
  }

  async reaches(origin: OriginName, signal: AbortSignal): Promise<boolean> {
    const { hostname, port, protocol } = new URL(origin);
    const host = hostname as HostName;
    const found = await this.#nameServers.resolveAnew(host, withTimeout(signal));
    if (found.kind === "failure") return false;
    const address = found.addresses.find((one) => this.#allowPrivate || isPublicAddress(one));
    const schemePort = protocol === "https:" ? 443 : 80;
    return address !== undefined && connects(address, Number(port || schemePort), signal);
  }
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
