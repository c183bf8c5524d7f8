import type { ConnectionProtector } from "@libp2p/interface";
import { invariant } from "../../core/errors.ts";

type Protected = Awaited<ReturnType<ConnectionProtector["protect"]>>;

/** Of what is encrypted or decrypted at once. */
const pieceBytesMax = 65_536;

interface Cipher {
  update(bytes: Uint8Array, output?: Uint8Array): Uint8Array;
  finalize(): void;
}

/** What the class of protected connections has beside the type that its package tells of. */
interface Insides {
  inboundXor: Cipher;
  outboundXor: Cipher;
}

/**
 * Makes the ciphers of a swarm key keep to the memory that they begin with. All of them share 640 KiB of WebAssembly, of which
 * each takes 64 bytes until it is finalized, and libp2p finalizes none. Where that does not do, with five thousand connections
 * or one long message, the memory grows; each cipher takes that for lost memory of its own and makes it grow again, until an
 * error that nobody catches ends the process.
 */
export function boundCiphers(connection: Protected): void {
  const insides = connection as unknown as Insides;
  invariant("inboundXor" in insides && "outboundXor" in insides, "the ciphers are known");
  const { inboundXor, outboundXor } = insides;
  let hasEnded = false;
  const end = (): void => {
    if (hasEnded) return;
    hasEnded = true;
    inboundXor.finalize();
    outboundXor.finalize();
  };
  const bounded = (cipher: Cipher): Cipher => ({
    // What has come may be read behind the end.
    update: (bytes) => (hasEnded ? new Uint8Array(0) : inPieces(cipher, bytes)),
    finalize: end,
  });
  insides.inboundXor = bounded(inboundXor);
  insides.outboundXor = bounded(outboundXor);
  if (connection.status === "open") connection.addEventListener("close", end, { once: true });
  else end();
}

function inPieces(cipher: Cipher, bytes: Uint8Array): Uint8Array {
  const output = new Uint8Array(bytes.length);
  for (let at = 0; at < bytes.length; at += pieceBytesMax) {
    const end = at + pieceBytesMax;
    cipher.update(bytes.subarray(at, end), output.subarray(at, end));
  }
  return output;
}
