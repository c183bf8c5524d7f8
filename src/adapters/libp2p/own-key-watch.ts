import type { NewEncrypter } from "./each-secured.ts";

/**
 * An encrypter that tells when a peer with this member's own key dials. libp2p drops such a connection before anybody
 * else sees it, and nobody would know that two processes share a key.
 */
export function watchOwnKey(newEncrypter: NewEncrypter, onOwnKey: () => void): NewEncrypter {
  return (components) => {
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
