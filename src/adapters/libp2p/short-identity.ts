import type { identify } from "@libp2p/identify";
import type { Connection, Stream, StreamMessageEvent } from "@libp2p/interface";
import { invariant } from "../../core/errors.ts";

type NewIdentify = ReturnType<typeof identify>;

/** Of what a peer says of itself: one message of the length that libp2p takes. It would read ten. */
const identityBytesMax = 8_192 + 2;

/** Of each, what is used: more than a machine of many networks has, and than a member speaks. */
const addressesMax = 64;
const protocolsMax = 64;

/** What the message is to those who use it here. */
interface Identity {
  readonly listenAddrs: readonly Uint8Array[];
  readonly protocols: readonly string[];
  readonly signedPeerRecord?: Uint8Array;
}

/** What the service uses of a connection on which it asks. */
type Asked = Pick<Connection, "newStream" | "remoteAddr">;

/** What the class of the service has beside the type that its package tells of. */
interface Insides {
  _identify(connection: Asked, options?: object): Promise<Identity>;
}

/**
 * Asks each peer who it is, before it has greeted, and takes in no more than any member says: each address costs a parse, a
 * sort and a comparison with all others, and all is remembered. Eighty kilobytes of addresses would let nothing else of this
 * process run for a third of a second. The signed record says the same once more, and its signature would have to be checked.
 */
export function shortIdentity(newIdentify: NewIdentify): NewIdentify {
  return (components) => {
    const service = newIdentify(components);
    const insides = service as unknown as Insides;
    invariant("_identify" in insides, "the insides of identify are known");
    const ask = insides._identify.bind(service);
    insides._identify = async (connection, options) => {
      const { signedPeerRecord: _, ...identity } = await ask(shortAnswers(connection), options);
      return {
        ...identity,
        listenAddrs: identity.listenAddrs.slice(0, addressesMax),
        protocols: identity.protocols.slice(0, protocolsMax),
      };
    };
    return service;
  };
}

/** A connection on whose streams no more is read than a peer says of itself. */
function shortAnswers(connection: Asked): Asked {
  return {
    remoteAddr: connection.remoteAddr,
    newStream: async (...asked) => {
      const stream = await connection.newStream(...asked);
      endWhenLong(stream);
      return stream;
    },
  };
}

/** Counts what comes as soon as somebody listens, not before: what has come already is handed to whoever listens first. */
function endWhenLong(stream: Stream): void {
  const listen = stream.addEventListener.bind(stream);
  let bytes = 0;
  const count = (event: StreamMessageEvent): void => {
    bytes += event.data.byteLength;
    if (bytes <= identityBytesMax) return;
    event.stopImmediatePropagation();
    stream.abort(new Error("the answer is too long"));
  };
  const listenCounting = (...asked: Parameters<typeof listen>): void => {
    // Once: who is added again is not.
    if (asked[0] === "message") listen("message", count);
    listen(...asked);
  };
  Object.assign(stream, { addEventListener: listenCounting });
}
