import { peerIdFromString } from "@libp2p/peer-id";
import type { PeerId } from "@libp2p/interface";
import { expect, it } from "vitest";
import { memberIdOf, newPeerKey } from "../../../src/adapters/libp2p/peer-key.ts";
import { newPlainNode } from "./plain-node.ts";

interface Lookup {
  readonly routingTable: {
    readonly routingTableUpdateQueue: { readonly size: number };
    queueRoutingTableUpdate(peer: PeerId): void;
  };
}

it("keeps few peers that others tell of waiting to be tried", async () => {
  const node = await newPlainNode([]);
  const { routingTable } = (node.services as unknown as { readonly lookup: Lookup }).lookup;
  const keys = await Promise.all(Array.from({ length: 300 }, newPeerKey));
  const peers = keys.map((key) => peerIdFromString(memberIdOf(key)));
  for (const peer of peers) routingTable.queueRoutingTableUpdate(peer);
  expect(routingTable.routingTableUpdateQueue.size).toBe(256);
});
