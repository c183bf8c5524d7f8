import { noise } from "@chainsafe/libp2p-noise";
import { yamux } from "@chainsafe/libp2p-yamux";
import { privateKeyFromProtobuf, publicKeyToProtobuf } from "@libp2p/crypto/keys";
import type { Connection, Libp2p, MessageStream, Stream } from "@libp2p/interface";
import { tcp } from "@libp2p/tcp";
import { multiaddr } from "@multiformats/multiaddr";
import { createLibp2p } from "libp2p";
import { encodeFrame } from "../../../src/adapters/libp2p/frame-codec.ts";
import { helloProtocol } from "../../../src/adapters/libp2p/greeter.ts";
import { encodeHello } from "../../../src/adapters/libp2p/hello.ts";
import { newPeerKey } from "../../../src/adapters/libp2p/peer-key.ts";

const hello = { version: 1, swarm: "test", fingerprint: "0123abcd", instance: "00" };

/** Says something on a connection, encrypted or below the encryption. */
type Say = (encrypted: MessageStream, below: MessageStream) => void;

/** A node that follows libp2p's protocols and, beyond the greeting, none of the swarm's. */
export class RawNode {
  readonly #node: Libp2p;
  readonly #secured: readonly MessageStream[];
  /** What is done with encrypted connections, past this node, before it is agreed on how they are shared. */
  readonly #onSecured: Set<(connection: MessageStream) => Promise<void>>;
  /** What is said right behind the handshake, together with its end. */
  readonly #behindHandshake: Set<Say>;

  private constructor(
    node: Libp2p,
    secured: readonly MessageStream[],
    onSecured: Set<(connection: MessageStream) => Promise<void>>,
    behindHandshake: Set<Say>,
  ) {
    this.#node = node;
    this.#secured = secured;
    this.#onSecured = onSecured;
    this.#behindHandshake = behindHandshake;
  }

  static async start(): Promise<RawNode> {
    const secured: MessageStream[] = [];
    const onSecured = new Set<(connection: MessageStream) => Promise<void>>();
    const behindHandshake = new Set<Say>();
    const node = await createLibp2p({
      privateKey: privateKeyFromProtobuf(await newPeerKey()),
      addresses: { listen: ["/ip4/127.0.0.1/tcp/0"] },
      transports: [tcp()],
      connectionEncrypters: [
        (components) => {
          const inner = noise()(components);
          return {
            protocol: inner.protocol,
            secureInbound: (stream, options) => inner.secureInbound(stream, options),
            secureOutbound: async (stream, options) => {
              // Else both ends agree on how the connection is shared while they encrypt it.
              const isLater = { skipStreamMuxerNegotiation: onSecured.size > 0 };
              const release = behindHandshake.size > 0 ? holdSecond(stream) : undefined;
              const outbound = await inner.secureOutbound(stream, { ...options, ...isLater });
              for (const say of behindHandshake) say(outbound.connection, stream);
              release?.();
              secured.push(outbound.connection);
              for (const act of onSecured) await act(outbound.connection);
              return outbound;
            },
          };
        },
      ],
      streamMuxers: [yamux()],
    });
    return new RawNode(node, secured, onSecured, behindHandshake);
  }

  get id(): string {
    return this.#node.peerId.toString();
  }

  get address(): string {
    return this.#node.getMultiaddrs()[0]?.toString() ?? "";
  }

  async connect(address: string): Promise<Connection> {
    return await this.#node.dial(multiaddr(address));
  }

  /** Connects, and greets as a member does. */
  async greet(address: string): Promise<Connection> {
    const connection = await this.connect(address);
    const stream = await connection.newStream(helloProtocol);
    const answered = new Promise((resolve) => stream.addEventListener("message", resolve));
    stream.send(encodeFrame({ type: "notice", payload: encodeHello(hello) }));
    await answered;
    return connection;
  }

  /** Sends as many frames of Yamux over the last connection, past this node's own. */
  sendFrames(count: number, frame: (index: number) => Uint8Array): void {
    const frames = Array.from({ length: count }, (_, index) => frame(index));
    this.#secured.at(-1)?.send(Buffer.concat(frames));
  }

  /** Says `words` on an encrypted connection; how many bytes of answers come until that is closed. */
  async answersTo(address: string, words: Uint8Array): Promise<number> {
    let bytes = 0;
    const say = async (connection: MessageStream): Promise<void> => {
      connection.addEventListener("message", ({ data }) => (bytes += data.byteLength));
      connection.send(words);
      await closed(connection);
    };
    this.#onSecured.add(say);
    await this.connect(address).catch(() => undefined);
    this.#onSecured.delete(say);
    return bytes;
  }

  /** Connects, and says what ends the connection together with the end of the handshake; until that is closed. */
  async breakOff(address: string, say: Say): Promise<void> {
    this.#behindHandshake.add(say);
    const connection = await this.connect(address).catch(() => undefined);
    this.#behindHandshake.delete(say);
    if (connection) await closed(connection);
  }

  /** Opens a stream of one kind of traffic. */
  async open(connection: Connection, traffic: string): Promise<Stream> {
    return await connection.newStream(`/orbweaver/1/test/0123abcd/${traffic}`);
  }

  /** Answers each stream of one kind of traffic with bytes, and greetings as a member does. */
  async answerWith(traffic: string, bytes: readonly Uint8Array[]): Promise<void> {
    await this.#handle(traffic, (stream) => {
      for (const part of bytes) stream.send(part);
    });
  }

  /** Takes streams of one kind of traffic and reads nothing, but answers greetings as a member does. */
  async readNothingOf(traffic: string): Promise<void> {
    await this.#handle(traffic, (stream) => stream.pause());
  }

  /** Says `words` to each that asks who this is; `onAsked` is called with the stream. */
  async introduce(
    words: (publicKey: Uint8Array) => Uint8Array,
    onAsked: (stream: Stream) => void,
  ): Promise<void> {
    const { publicKey } = this.#node.peerId;
    await this.#node.handle("/ipfs/id/1.0.0", async (stream) => {
      onAsked(stream);
      stream.send(words(publicKey ? publicKeyToProtobuf(publicKey) : new Uint8Array(0)));
      // Who has read enough of it may have reset the stream.
      await stream.close().catch(() => undefined);
    });
  }

  async stop(): Promise<void> {
    await this.#node.stop();
  }

  async #handle(traffic: string, handler: (stream: Stream) => void): Promise<void> {
    await this.#node.handle(helloProtocol, (stream) => {
      stream.send(encodeFrame({ type: "notice", payload: encodeHello(hello) }));
    });
    await this.#node.handle(`/orbweaver/1/test/0123abcd/${traffic}`, handler);
  }
}

/** Keeps back all but the first message that is sent; they go out as one when the answer is called. */
function holdSecond(stream: MessageStream): () => void {
  const send = stream.send.bind(stream);
  const held: Uint8Array[] = [];
  let isFirst = true;
  stream.send = (data) => {
    if (!isFirst) held.push(data.subarray());
    else send(data);
    isFirst = false;
    return true;
  };
  return () => {
    stream.send = send;
    send(Buffer.concat(held));
  };
}

/** Sends as long as the other end takes it. Resolves when the stream is closed. */
export async function flood(stream: Stream, part: Uint8Array): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    stream.addEventListener("close", () => resolve(), { once: true });
  });
  let isOpen = stream.status === "open";
  void closed.then(() => (isOpen = false));
  while (isOpen && stream.status === "open") {
    try {
      stream.send(part);
      await Promise.race([stream.onDrain(), closed]);
    } catch {
      break;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Resolves when the stream is closed. */
export function closed(stream: { readonly status: string } & EventTarget): Promise<void> {
  if (stream.status !== "open") return Promise.resolve();
  return new Promise((resolve) => {
    stream.addEventListener("close", () => resolve(), { once: true });
  });
}
