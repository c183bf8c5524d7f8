import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NetworkBench } from "./network-bench.ts";
import type { TestNetwork } from "./test-network.ts";

/** A query is sent every ten seconds, and each may be lost. */
const foundMsMax = 60_000;

describe("peers on a local network that know no address", () => {
  const bench = new NetworkBench();
  let network: TestNetwork;

  beforeAll(async () => {
    network = await bench.network(5);
  });
  afterAll(() => bench.clear());

  it("find those of their own swarm, and of no other", async () => {
    const peers = await Promise.all(
      network.hosts.map((host, at) => {
        const swarm = at < 3 ? "one" : "two";
        return bench.memberAt(host, ["--join", "--local-discovery", "--swarm", swarm]);
      }),
    );
    const swarms = [peers.slice(0, 3), peers.slice(3)];
    await Promise.all(swarms.flatMap((swarm) => swarm.map((peer) => peer.sees(swarm, foundMsMax))));
    // Both have found together on one wire, so each has had the chance to take in the other's members.
    for (const swarm of swarms) {
      const ids = swarm.map(({ id }) => id).sort();
      for (const peer of swarm) {
        expect((await peer.members()).map(({ id }) => id).sort()).toEqual(ids);
      }
    }
  });
});
