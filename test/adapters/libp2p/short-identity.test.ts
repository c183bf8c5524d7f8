import type { IdentifyResult } from "@libp2p/interface";
import { peerIdFromString } from "@libp2p/peer-id";
import { multiaddr } from "@multiformats/multiaddr";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { OverlayNode } from "../../../src/adapters/libp2p/new-node.ts";
import { newPlainNode } from "./plain-node.ts";
import { closed, RawNode } from "./raw-node.ts";

const messageBytesMax = 8_192;

async function startedNode(): Promise<OverlayNode> {
  const node = await newPlainNode(["/ip4/127.0.0.1/tcp/0"]);
  await node.start();
  return node;
}

function addressOf(node: OverlayNode): string {
  return node.getMultiaddrs()[0]?.toString() ?? "";
}

/** What the node takes in of the next peer's answer. */
function nextIdentified(node: OverlayNode): Promise<IdentifyResult> {
  return new Promise((resolve) => {
    node.addEventListener("peer:identify", ({ detail }) => resolve(detail), { once: true });
  });
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >> 7)];
}

function field(number: number, content: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.from([(number << 3) | 2, ...varint(content.length)]), content]);
}

const addressAt = (at: number): string =>
  `/ip4/127.${at >> 16}.${(at >> 8) & 0xff}.${at & 0xff}/tcp/1`;

/** One message of libp2p's answer, with `count` addresses and protocols, or as many as it has room for. */
function identity(publicKey: Uint8Array, from: number, count: number): Uint8Array {
  const fields = [field(1, publicKey)];
  let bytes = fields[0]?.length ?? 0;
  for (let at = from; at < from + count; at += 1) {
    const next = [field(2, multiaddr(addressAt(at)).bytes), field(3, Buffer.from(`/${at}`))];
    const more = Buffer.concat(next);
    if (bytes + more.length > messageBytesMax) break;
    fields.push(more);
    bytes += more.length;
  }
  return Buffer.concat([Uint8Array.from(varint(bytes)), ...fields]);
}

describe("who a peer says that it is", () => {
  let node: OverlayNode;
  let raw: RawNode;

  beforeEach(async () => {
    node = await startedNode();
    raw = await RawNode.start();
  });
  afterEach(async () => {
    await raw.stop();
    await node.stop();
  });

  /** How the stream of an answer has ended for the one that gave it. */
  function ended(words: (publicKey: Uint8Array) => Uint8Array): Promise<string> {
    return new Promise((resolve) => {
      void raw.introduce(words, (stream) => {
        void closed(stream).then(() => resolve(stream.status));
      });
    });
  }

  it.each([
    ["whole where it is no more than a member says", 64],
    ["up to its 64th address and protocol", 65],
    ["up to its 64th address and protocol, of as many as there is room for", 1_000],
  ])("is taken in %s", async (_, count) => {
    const end = ended((publicKey) => identity(publicKey, 0, count));
    const identified = nextIdentified(node);
    await raw.connect(addressOf(node));
    const { listenAddrs, protocols } = await identified;
    const first = Array.from({ length: 64 }, (_each, at) => at);
    expect(listenAddrs.map(String)).toEqual(first.map(addressAt));
    expect(protocols).toEqual(first.map((at) => `/${at}`));
    const known = await node.peerStore.get(peerIdFromString(raw.id));
    expect([known.addresses.length, known.protocols.length]).toEqual([64, 64]);
    expect(await end).toBe("closed");
  });

  it("is not read beyond the length of one message", async () => {
    const end = ended((publicKey) =>
      Buffer.concat(Array.from({ length: 10 }, (_, n) => identity(publicKey, n * 1_000, 1_000))),
    );
    await raw.connect(addressOf(node));
    expect(await end).toBe("reset");
    const other = await startedNode();
    const identified = nextIdentified(node);
    await other.dial(multiaddr(addressOf(node)));
    await identified;
    await other.stop();
    // Nothing, or what came first.
    const peers = await node.peerStore.all();
    const known = peers.find(({ id }) => id.toString() === raw.id);
    expect(known?.addresses.length ?? 0).toBeLessThanOrEqual(64);
  });

  it("is taken in of a member, but for what that has signed", async () => {
    const other = await startedNode();
    const identified = nextIdentified(node);
    await other.dial(multiaddr(addressOf(node)));
    const { listenAddrs, protocols, signedPeerRecord } = await identified;
    const addresses = listenAddrs.map(
      (address) => `${String(address)}/p2p/${String(other.peerId)}`,
    );
    expect(addresses).toEqual([addressOf(other)]);
    expect(protocols.toSorted()).toEqual(other.getProtocols().toSorted());
    expect(signedPeerRecord).toBeUndefined();
    await other.stop();
  });
});
