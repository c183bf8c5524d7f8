import type { noise } from "@chainsafe/libp2p-noise";
import type { ConnectionEncrypter } from "@libp2p/interface";

type NewEncrypter = ReturnType<typeof noise>;

/**
 * An encrypter that tells when a peer with this member's own key dials. libp2p drops such a connection before anybody
 * else sees it, and nobody would know that two processes share a key.
 */
export function watchOwnKey(newEncrypter: NewEncrypter, onOwnKey: () => void) {
  return (components: Parameters<NewEncrypter>[0]): ConnectionEncrypter => {
    const inner = newEncrypter(components);
    return {
      protocol: inner.protocol,
      secureOutbound: (stream, options) => inner.secureOutbound(stream, options),
      secureInbound: async (stream, options) => {
        const secured = await inner.secureInbound(stream, options);
        if (secured.remotePeer.equals(components.peerId)) onOwnKey();
        return secured;
      },
    };
  };
}
