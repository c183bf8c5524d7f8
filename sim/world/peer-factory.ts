import { Peer } from "../../src/peer/peer.ts";
import { defaultPeerOptions, type PeerOptions } from "../../src/peer/peer-options.ts";
import { swarmDrainMs } from "../../src/peer/swarm/swarm-options.ts";
import type { PeerFactory } from "./virtual-machine.ts";

/**
 * One and a half megabytes a peer, so that hundreds fit in one process; for more, a scenario says less. A peer that
 * admits more than the capacity grows another filter.
 */
const sieve = { capacity: 20_000, cacheCapacity: 16_384, unsettledOffersMax: 16_384 };

/** Makes the daemon's own peer for a virtual machine, with these differences from its defaults. */
export function peerFactory(options: Partial<PeerOptions> = {}): PeerFactory<Peer> {
  return (ports, machine) =>
    new Peer(ports, {
      ...defaultPeerOptions,
      peerId: machine.id,
      version: "0.0.0-sim",
      productToken: "orbweaver",
      drainMs: swarmDrainMs,
      sieve,
      ...options,
    });
}
