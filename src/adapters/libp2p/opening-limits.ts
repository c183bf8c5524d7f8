import type { yamux } from "@chainsafe/libp2p-yamux";
import type { MessageStream, PeerId, Stream } from "@libp2p/interface";
import { invariant } from "../../core/errors.ts";
import type { Millis } from "../../core/units.ts";
import { eachSecured, type NewEncrypter } from "./each-secured.ts";
import { limitFrameLengths } from "./frame-lengths.ts";
import { frugalWindow } from "./frugal-window.ts";

type NewMuxer = ReturnType<typeof yamux>;

/** What is sent until both ends have agreed on a protocol: a greeting, some that are not known here, a handshake. */
const answersMax = 16;

/** A member opens a stream for each lookup, of which it may have hundreds when many others are gone at once. */
const streamsPerSecondMax = 512;

/**
 * One that has not greeted yet opens some: for the greeting, for gossip, and to ask who this is, and whether it is there. There
 * may be hundreds of such, each with a key of its own.
 */
const newcomersStreamsPerSecondMax = 64;
const windowMs: Millis = 1_000;

/** What the class of Yamux's connections has beside the type that its package tells of. */
interface Insides {
  _newStream(id: number, state: unknown, direction: Stream["direction"]): Stream;
}

/**
 * Ends what a peer keeps asking on before it says what for. libp2p answers each protocol that it does not know, and each
 * question for all that it knows, in one turn of the event loop for all that have come; each stream costs it far more than the
 * two frames that open and reset it. A hundred kilobytes a second of either would let nothing else of this process run.
 */
export class OpeningLimits {
  readonly #onFlood: (peer: PeerId) => void;
  readonly #isGreeted: (peer: PeerId) => boolean;
  /** Whose connections those are on which streams may be opened. */
  readonly #peers = new WeakMap<MessageStream, PeerId>();
  readonly #multiplexed = new WeakSet<MessageStream>();

  /** @param onFlood Called with a peer that has proved its key. */
  constructor(onFlood: (peer: PeerId) => void, isGreeted: (peer: PeerId) => boolean) {
    this.#onFlood = onFlood;
    this.#isGreeted = isGreeted;
  }

  /** An encrypter on whose connections multiplexing is agreed on with few words. */
  encrypter(newEncrypter: NewEncrypter): NewEncrypter {
    return eachSecured(newEncrypter, ({ connection, remotePeer }) => {
      this.#peers.set(connection, remotePeer);
      limitAnswers(connection, () => this.#multiplexed.has(connection));
    });
  }

  /** A multiplexer that opens streams for others at a bounded rate, each with few words. */
  muxer(newMuxer: NewMuxer): NewMuxer {
    return () => {
      const factory = newMuxer();
      const create = factory.createStreamMuxer.bind(factory);
      factory.createStreamMuxer = (connection) => {
        // Bytes right behind the handshake may have ended it before the multiplexer is there to hear of it; that would take
        // the connection for open, and to end it would be an error that nobody catches.
        if (connection.status !== "open") throw new Error("the connection has ended");
        this.#multiplexed.add(connection);
        const muxer = create(connection);
        const peer = this.#peers.get(connection);
        invariant(peer !== undefined, "streams are opened on connections that are encrypted");
        this.#limitStreams(muxer as unknown as Insides, peer);
        limitFrameLengths(muxer, () => this.#onFlood(peer));
        return muxer;
      };
      return factory;
    };
  }

  #limitStreams(muxer: Insides, peer: PeerId): void {
    invariant("_newStream" in muxer, "Yamux's insides are known");
    const onFlood = (): void => this.#onFlood(peer);
    const open = muxer._newStream.bind(muxer);
    let count = 0;
    let endMs: Millis = 0;
    muxer._newStream = (id, state, direction) => {
      if (direction === "inbound") {
        const nowMs = performance.now();
        if (nowMs >= endMs) [count, endMs] = [0, nowMs + windowMs];
        count += 1;
        const countMax = this.#isGreeted(peer) ? streamsPerSecondMax : newcomersStreamsPerSecondMax;
        if (count > countMax) {
          onFlood();
          // Yamux ends the connection for it.
          throw new Error("too many streams in a second");
        }
      }
      const stream = open(id, state, direction);
      frugalWindow(stream);
      if (direction === "inbound") limitAnswers(stream, () => stream.protocol !== "", onFlood);
      return stream;
    };
  }
}

/** Breaks a stream on which more is sent before a protocol is agreed on than that takes. */
export function limitAnswers(
  stream: Pick<MessageStream, "send">,
  isAgreed: () => boolean,
  onFlood?: () => void,
): void {
  const send = stream.send.bind(stream);
  let hasAgreed = false;
  let count = 0;
  stream.send = (data) => {
    hasAgreed ||= isAgreed();
    if (hasAgreed) return send(data);
    count += 1;
    if (count <= answersMax) return send(data);
    if (count === answersMax + 1) onFlood?.();
    // What negotiates ends the stream for it.
    throw new Error("too many protocols asked for");
  };
}
