import { newNode, type OverlayNode } from "../../../src/adapters/libp2p/new-node.ts";
import { newPeerKey } from "../../../src/adapters/libp2p/peer-key.ts";

/** A node as the overlay makes it, to which nobody listens; it is not started. */
export async function newPlainNode(listen: readonly string[]): Promise<OverlayNode> {
  return await newNode({
    key: await newPeerKey(),
    swarm: "test",
    listen,
    localDiscovery: false,
    prefix: "/orbweaver/1/test/0123abcd",
    topic: "test",
    gater: {},
    isGreeted: () => false,
    onOwnKey: () => undefined,
    onFlood: () => undefined,
    onFound: () => undefined,
  });
}
