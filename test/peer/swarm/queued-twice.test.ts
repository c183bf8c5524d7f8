import { describe, expect, it } from "vitest";
import { partition } from "../../../sim/world/network-rules.ts";
import type { JobChange } from "../../../src/ports/peer-control.ts";
import type { Peer } from "../../../src/peer/peer.ts";
import { job, SwarmBench } from "./swarm-bench.ts";

const ring = { virtualNodes: 32, hashSeed: 0 };
const sites = 10;
const seeds = Array.from({ length: 60 }, (_, n) => `http://www.${n % sites}.example/${n}`);

async function listed(peer: Peer): Promise<string[]> {
  const urls: string[] = [];
  let from: string | undefined;
  do {
    const part = await peer.urls(job, {}, from);
    urls.push(...part.urls.map(({ url }) => url));
    from = part.next;
  } while (from !== undefined);
  return urls;
}

/** Both sides of a split are given the same seeds, and the job is changed at each: asked when the split is over. */
async function told(replicas: number, change: JobChange) {
  const bench = new SwarmBench(3, {}, { cluster: { ring, replicas } });
  return bench.run(async () => {
    await bench.begin();
    const heal = bench.world.network.addRule(partition([0, 2], [1]));
    await bench.pass(60_000);
    for (const member of [0, 1]) {
      // A priority of its own, lest both write the same rows.
      const options = { scope: "any", delayMs: 60_000, priority: 4 + member } as const;
      await bench.peer(member).inject(job, [], options);
      await bench.peer(member).changeJob(job, "pause");
      await bench.peer(member).inject(job, seeds);
    }
    heal();
    while (bench.peers.some(({ swarm }) => swarm?.view.others.length !== 2)) await bench.pass(100);
    if (change === "cancel") await bench.peer(0).changeJob(job, change);
    await bench.settled();
    await bench.pass(10_000);
    const urls = await listed(bench.peer(0));
    const { counts } = (await bench.peer(1).swarmStats()).jobs[0] ?? {};
    const hosts = await Promise.all(
      Array.from({ length: sites }, (_, n) => bench.peer(2).host(`www.${n}.example`)),
    );
    const queuedAtHosts = hosts
      .flatMap(({ queued }) => queued)
      .reduce((sum, { urls: n }) => sum + n, 0);
    return { urls, counts, queuedAtHosts };
  });
}

describe("URLs that both sides of a split have queued", () => {
  it.each([1, 2])("are there once when it is over, with %i copies", async (replicas) => {
    const { urls, counts, queuedAtHosts } = await told(replicas, "pause");
    expect(urls.toSorted()).toEqual(seeds.toSorted());
    expect(counts?.queued).toBe(seeds.length);
    expect(queuedAtHosts).toBe(seeds.length);
  });

  it("are there once in a job that is cancelled", async () => {
    const { urls, counts } = await told(2, "cancel");
    expect(urls.toSorted()).toEqual(seeds.toSorted());
    expect(counts).toMatchObject({ queued: 0, skipped: { cancelled: seeds.length } });
  });
});
