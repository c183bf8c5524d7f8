import type { PeerId, Stream, StreamHandler, StreamHandlerOptions } from "@libp2p/interface";
import type { KadDHTComponents } from "@libp2p/kad-dht";
import { RateLimit } from "./rate-limit.ts";

/** Of lookups, or of pings: a member sends a few a second, of some dozen bytes. */
const questionBytesPerSecondMax = 32_768;

/**
 * Answers to lookups, or to pings; a member has as many lookups at most, each on a stream of its own. A question may have three
 * bytes, a ping one, and an answer costs far more than that: it is made, encrypted, and written to the connection.
 */
const answersPerSecondMax = 512;

/** Of one answer to a lookup: twenty peers at eight addresses each take a third of it. */
const replyBytesMax = 32_768;

interface Registrar {
  handle(
    protocol: string,
    handler: StreamHandler,
    options?: StreamHandlerOptions,
  ): Promise<void> | void;
}

/**
 * A service of libp2p that answers questions, and hears no more of one peer than any member asks: whoever sends more is told
 * of as a flood, and its streams are not read on.
 */
export function limitQuestions<Components extends { readonly registrar: Registrar }, Service>(
  newService: (components: Components) => Service,
  onFlood: (peer: PeerId) => void,
): (components: Components) => Service {
  return (components) => {
    const { registrar } = components;
    const limit = new RateLimit(questionBytesPerSecondMax);
    const answerLimit = new RateLimit(answersPerSecondMax);
    const handle: Registrar["handle"] = (protocol, handler, options) =>
      registrar.handle(
        protocol,
        (stream, connection) => {
          const peer = connection.remotePeer;
          stream.addEventListener("message", (event) => {
            if (limit.allows(peer.toString(), performance.now(), event.data.byteLength)) return;
            event.stopImmediatePropagation();
            if (stream.status === "open") onFlood(peer);
          });
          limitAnswers(stream, () => {
            if (answerLimit.allows(peer.toString(), performance.now())) return true;
            if (stream.status === "open") onFlood(peer);
            return false;
          });
          return handler(stream, connection);
        },
        options,
      );
    const limited = Object.create(registrar, { handle: { value: handle } }) as Registrar;
    return newService(Object.create(components, { registrar: { value: limited } }) as Components);
  };
}

/** Breaks a stream on which an answer is sent that is not allowed: all that were asked for would be given in one turn. */
function limitAnswers(stream: Stream, isAllowed: () => boolean): void {
  const send = stream.send.bind(stream);
  stream.send = (data) => {
    if (isAllowed()) return send(data);
    const error = new Error("too many questions in a second");
    stream.abort(error);
    throw error;
  };
}

type Opener = Pick<KadDHTComponents["connectionManager"], "openStream">;

/** A service of libp2p that asks questions, and reads no answer that is longer than any member gives. */
export function limitReplies<Components extends { readonly connectionManager: Opener }, Service>(
  newService: (components: Components) => Service,
): (components: Components) => Service {
  return (components) => {
    const { connectionManager } = components;
    const openStream: Opener["openStream"] = async (...asked) => {
      const stream = await connectionManager.openStream(...asked);
      let bytes = 0;
      stream.addEventListener("message", (event) => {
        bytes += event.data.byteLength;
        if (bytes <= replyBytesMax) return;
        event.stopImmediatePropagation();
        stream.abort(new Error("the answer is too long"));
      });
      return stream;
    };
    const limited = Object.create(connectionManager, {
      openStream: { value: openStream },
    }) as Opener;
    return newService(
      Object.create(components, { connectionManager: { value: limited } }) as Components,
    );
  };
}
