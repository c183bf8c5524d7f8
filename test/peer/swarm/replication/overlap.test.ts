import { describe, expect, it } from "vitest";
import { partition } from "../../../../sim/world/network-rules.ts";
import { SwarmBench } from "../swarm-bench.ts";

describe("what both sides of a split have fetched", () => {
  it("is counted when the split is over, each page once", async () => {
    const bench = new SwarmBench(2);
    const counted = await bench.run(async () => {
      await bench.begin();
      await bench.inject(0);
      await bench.pass(3_000);
      const heal = bench.world.network.addRule(partition([0], [1]));
      await bench.pass(120_000);
      heal();
      while (bench.peers.some(({ swarm }) => swarm?.view.others.length === 0))
        await bench.pass(100);
      await bench.settled();
      await bench.finished(0);
      const jobs = bench.peers.flatMap((peer) => peer.jobs());
      return jobs.reduce((sum, { counts }) => sum + counts.overlapFetches, 0);
    });
    const twice = bench.hits.length - bench.urls.length;
    expect(twice).toBeGreaterThan(0);
    expect(counted).toBe(twice);
  });
});
