import { describe, expect, it } from "vitest";
import { partition } from "../../../../sim/world/network-rules.ts";
import { job, SwarmBench } from "../swarm-bench.ts";

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

  it("is counted where one dies before the other one knows what it has fetched, and comes back with its disk", async () => {
    const bench = new SwarmBench(2);
    const counted = await bench.run(async () => {
      await bench.begin();
      await bench.inject(0, { delayMs: 300 });
      await bench.pass(1_500);
      const heal = bench.world.network.addRule(partition([0], [1]));
      await bench.pass(1_000);
      bench.machine(1).kill();
      heal();
      await bench.pass(15_000);
      await bench.machine(1).start();
      await bench.settled();
      await bench.finished(0);
      await bench.pass(5_000);
      const jobs = bench.peers.flatMap((peer) => peer.jobs());
      const sum = (count: "duplicateFetches" | "overlapFetches"): number =>
        jobs.reduce((total, { counts }) => total + counts[count], 0);
      return { interrupted: sum("duplicateFetches"), overlaps: sum("overlapFetches") };
    });
    const twice = bench.hits.length - bench.urls.length;
    expect(counted.overlaps).toBeGreaterThan(5);
    expect(counted.interrupted + counted.overlaps).toBe(twice);
  });

  it("is counted once, however often the disk comes back that has what gave way", async () => {
    const bench = new SwarmBench(4);
    const counted = await bench.run(async () => {
      await bench.begin();
      await bench.inject(0, { delayMs: 1_500 });
      await bench.pass(2_000);
      const heal = bench.world.network.addRule(partition([0], [1, 2, 3]));
      await bench.peer(1).changeJob(job, "pause");
      await bench.pass(90_000);
      bench.machine(0).kill();
      heal();
      await bench.peer(1).changeJob(job, "resume");
      await bench.finished(1);
      const overlaps: number[] = [];
      for (let runs = 0; runs < 2; runs += 1) {
        await bench.machine(0).start();
        await bench.settled();
        const jobs = bench.peers.flatMap((peer) => peer.jobs());
        overlaps.push(jobs.reduce((sum, { counts }) => sum + counts.overlapFetches, 0));
        await bench.machine(0).stop();
        await bench.settled();
      }
      return overlaps;
    });
    const twice = bench.hits.length - bench.urls.length;
    expect(twice).toBeGreaterThan(100);
    expect(counted).toEqual([twice, twice]);
  });
});
