import type { tcp } from "@libp2p/tcp";
import { multiaddr, type Multiaddr } from "@multiformats/multiaddr";

type NewTransport = ReturnType<typeof tcp>;

/** A transport that listens at any free port where the named one cannot be had. */
export function softPorts(newTransport: NewTransport): NewTransport {
  return (components) => {
    const transport = newTransport(components);
    const createListener = transport.createListener.bind(transport);
    transport.createListener = (options) => {
      const listener = createListener(options);
      const listen = listener.listen.bind(listener);
      listener.listen = (address) => listen(address).catch(() => listen(anyPortOf(address)));
      return listener;
    };
    return transport;
  };
}

function anyPortOf(address: Multiaddr): Multiaddr {
  return multiaddr(address.toString().replace(/\/tcp\/\d+/, "/tcp/0"));
}
