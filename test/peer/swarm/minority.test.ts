import { describe, expect, it } from "vitest";
import { partition } from "../../../sim/world/network-rules.ts";
import { lanMembership } from "../../../src/core/membership/membership-options.ts";
import type { MinorityPolicy } from "../../../src/peer/swarm/ownership/minority-watch.ts";
import { SwarmBench } from "./swarm-bench.ts";

/** Time in which each side has missed the other. */
const missedMs = 15_000;

/** Passes time until the first member has given up all others, and what it had in flight has ended. */
async function untilAlone(bench: SwarmBench): Promise<void> {
  const isAlone = (): boolean =>
    bench
      .peer(0)
      .members()
      .filter(({ state }) => state !== "dead").length === 1;
  while (!isAlone()) await bench.pass(100);
  await bench.pass(500);
}

describe("a member that is cut off from most others", () => {
  /** Requests by the one that is cut off, from when it has missed the others until they are back. */
  async function crawlThroughCut(
    minority: MinorityPolicy,
  ): Promise<{ bench: SwarmBench; apart: number }> {
    const bench = new SwarmBench(4, {}, { minority });
    const apart = await bench.run(async () => {
      await bench.begin();
      await bench.inject(0, { delayMs: 2_000 });
      await bench.pass(3_000);
      const heal = bench.world.network.addRule(partition([0], [1, 2, 3]));
      await untilAlone(bench);
      const from = bench.hits.length;
      await bench.pass(15_000);
      const { id } = bench.machine(0);
      const apart = bench.hits.slice(from).filter(({ peer }) => peer === id).length;
      expect(bench.hits.length - from).toBeGreaterThan(apart);
      heal();
      await bench.finished(0);
      return apart;
    });
    return { bench, apart };
  }

  it("pauses until it sees them again, where it is told to, and takes its part again then", async () => {
    const { bench, apart } = await crawlThroughCut("pause");
    expect(apart).toBe(0);
    expect(bench.urls).toHaveLength(240);
  });

  it("still pauses where a peer of the smaller side is started again meanwhile", async () => {
    const bench = new SwarmBench(5, {}, { minority: "pause" });
    await bench.run(async () => {
      await bench.begin();
      await bench.inject(0, { delayMs: 2_000 });
      await bench.pass(3_000);
      const heal = bench.world.network.addRule(partition([0, 1], [2, 3, 4]));
      await bench.pass(missedMs);
      const from = bench.hits.length;
      for (const index of [1, 0]) {
        bench.machine(index).kill();
        await bench.machine(index).start();
        await bench.pass(missedMs);
      }
      const few = new Set<string>([0, 1].map((index) => bench.machine(index).id));
      const askers = bench.hits.slice(from).map(({ peer }) => peer);
      expect(askers.length).toBeGreaterThan(0);
      expect(askers.filter((peer) => few.has(peer))).toEqual([]);
      heal();
      await bench.finished(2);
      expect(bench.urls).toHaveLength(240);
    });
  });

  it("crawls on by itself, where it is not", async () => {
    const { bench, apart } = await crawlThroughCut("crawl");
    expect(apart).toBeGreaterThan(0);
    expect(bench.urls).toHaveLength(240);
  });

  it("goes on when the others have been dead for so long that they are forgotten", async () => {
    const membership = { ...lanMembership, retentionMs: 20_000 };
    const bench = new SwarmBench(3, {}, { minority: "pause", membership });
    await bench.run(async () => {
      await bench.begin();
      await bench.inject(0, { delayMs: 2_000 });
      await bench.pass(1_000);
      bench.machine(1).kill();
      bench.machine(2).kill();
      await bench.pass(missedMs);
      const held = bench.hits.length;
      await bench.pass(3_000);
      expect(bench.hits).toHaveLength(held);
      await bench.pass(20_000);
      expect(bench.peer(0).members()).toHaveLength(1);
      expect(bench.hits.length).toBeGreaterThan(held);
    });
  });
});
