import type { AbortOptions, ConnectionProtector } from "@libp2p/interface";
import type { preSharedKey } from "@libp2p/pnet";
import { boundCiphers } from "./bounded-cipher.ts";

/** Told to a dial when its connection stands and the swarm key is about to be used. */
export const protectStep = "protect-connection";

/** What libp2p hands on of a dial. */
interface DialOptions extends AbortOptions {
  readonly onProgress?: (event: Event) => void;
}

/**
 * A protector that tells the dial when it begins: libp2p tells of encryption, and that is only after it. Its ciphers are
 * bounded ({@link boundCiphers}).
 */
export function toldProtector(newProtector: ReturnType<typeof preSharedKey>) {
  return (): ConnectionProtector => {
    const inner = newProtector();
    return {
      protect: async (connection, options?: DialOptions) => {
        options?.onProgress?.(new CustomEvent(protectStep));
        const secret = await inner.protect(connection, options);
        boundCiphers(secret);
        return secret;
      },
    };
  };
}
