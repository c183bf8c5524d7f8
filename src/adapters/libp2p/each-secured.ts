import type { noise } from "@chainsafe/libp2p-noise";

export type NewEncrypter = ReturnType<typeof noise>;

/** A connection that is encrypted, and whose it is. */
export type Secured = Awaited<ReturnType<ReturnType<NewEncrypter>["secureInbound"]>>;

/** An encrypter that shows each connection, of whichever side, before anything is sent on it. */
export function eachSecured(
  newEncrypter: NewEncrypter,
  show: (secured: Secured) => void,
): NewEncrypter {
  const shown = async (securing: Promise<Secured>): Promise<Secured> => {
    const secured = await securing;
    show(secured);
    return secured;
  };
  return (components) => {
    const inner = newEncrypter(components);
    return {
      protocol: inner.protocol,
      secureOutbound: (stream, options) => shown(inner.secureOutbound(stream, options)),
      secureInbound: (stream, options) => shown(inner.secureInbound(stream, options)),
    };
  };
}
