import { describe, expect, it } from "vitest";
import { partition } from "../../../sim/world/network-rules.ts";
import { defaultSwarmOptions } from "../../../src/peer/swarm/swarm-options.ts";
import { SwarmBench } from "./swarm-bench.ts";

/** Time in which each side has missed the other. */
const missedMs = 15_000;

describe("a member that is told to leave", () => {
  it("looks for those that it takes for dead, and hands over to them where only the way was cut", async () => {
    const bench = new SwarmBench(3);
    await bench.run(async () => {
      await bench.begin();
      await bench.inject(0, { delayMs: 1_000 });
      const heal = bench.world.network.addRule(partition([0], [1, 2]));
      await bench.pass(missedMs);
      expect(bench.peer(0).swarm?.view.others).toEqual([]);
      heal();
      expect(await bench.peer(0).leave()).toBe(true);
      expect(bench.peer(0).swarm?.territory.held.isEmpty).toBe(true);
      await bench.machine(0).stop();
      await bench.finished(1);
    });
    expect(bench.urls).toHaveLength(240);
  });

  it("says that it is not done where it finds none, and keeps what it has", async () => {
    const bench = new SwarmBench(3);
    await bench.run(async () => {
      await bench.begin();
      bench.world.network.addRule(partition([0], [1, 2]));
      await bench.pass(missedMs);
      expect(await bench.peer(0).leave()).toBe(false);
      expect(bench.peer(0).swarm?.territory.held.isEmpty).toBe(false);
    });
  });

  it("says that it is not done where it has lost the others so long ago that it has forgotten them", async () => {
    const membership = { ...defaultSwarmOptions.membership, retentionMs: missedMs };
    const bench = new SwarmBench(3, {}, { membership });
    await bench.run(async () => {
      await bench.begin();
      bench.world.network.addRule(partition([0], [1, 2]));
      await bench.pass(3 * missedMs);
      expect(bench.peer(0).members()).toHaveLength(1);
      expect(await bench.peer(0).leave()).toBe(false);
      expect(bench.peer(0).swarm?.territory.held.isEmpty).toBe(false);
    });
  });

  it("is done where one that it had lost, and forgotten, came back and has left since", async () => {
    const membership = { ...defaultSwarmOptions.membership, retentionMs: missedMs };
    const bench = new SwarmBench(2, {}, { membership });
    await bench.run(async () => {
      await bench.begin();
      bench.machine(1).kill();
      await bench.pass(3 * missedMs);
      expect(bench.peer(0).members()).toHaveLength(1);
      await bench.machine(1).start();
      await bench.settled();
      expect(await bench.peer(1).leave()).toBe(true);
      await bench.machine(1).stop();
      expect(await bench.peer(0).leave()).toBe(true);
    });
  });

  it("does not wait for others that all leave as well, and keeps what it has", async () => {
    const bench = new SwarmBench(3);
    const tookMs = await bench.run(async () => {
      await bench.begin();
      await bench.inject(0, { delayMs: 1_000 });
      await bench.pass(3_000);
      const askedAtMs = bench.world.clock.nowMs();
      const leave = async (index: number): Promise<boolean> => {
        const isWhole = await bench.peer(index).leave();
        await bench.machine(index).stop();
        return isWhole;
      };
      expect(await Promise.all([leave(0), leave(1), leave(2)])).toEqual([false, false, false]);
      const endMs = bench.world.clock.nowMs();
      await Promise.all(bench.world.machines.map((machine) => machine.start()));
      await bench.settled();
      await bench.finished(1);
      return endMs - askedAtMs;
    });
    expect(tookMs).toBeLessThan(10_000);
    expect(bench.urls).toHaveLength(240);
  });

  it("says that it is not done where the other one stops meanwhile, and has taken over nothing", async () => {
    const bench = new SwarmBench(2);
    await bench.run(async () => {
      await bench.begin();
      await bench.inject(0, { delayMs: 1_000 });
      await bench.pass(3_000);
      const [isWhole] = await Promise.all([bench.peer(0).leave(), bench.machine(1).stop()]);
      expect(bench.peer(0).swarm?.territory.held.isEmpty).toBe(false);
      expect(isWhole).toBe(false);
    });
  });

  it("says that it is not done, and knows of no end of its jobs, where it is back and has found nobody", async () => {
    const bench = new SwarmBench(2);
    await bench.run(async () => {
      await bench.begin();
      await bench.inject(0, { delayMs: 1_000 });
      await bench.pass(3_000);
      await Promise.all(bench.world.machines.map((machine) => machine.stop()));
      await bench.machine(1).start();
      await bench.pass(30_000);
      const { jobs } = await bench.peer(1).swarmStats();
      expect(jobs).toMatchObject([{ finished: false, definition: { state: "running" } }]);
      expect(await bench.peer(1).leave()).toBe(false);
      await bench.machine(1).stop();
      await Promise.all(bench.world.machines.map((machine) => machine.start()));
      await bench.settled();
      await bench.finished(1);
    });
    expect(bench.urls).toHaveLength(240);
  });

  it("is done at once where it has always been alone", async () => {
    const bench = new SwarmBench(1);
    await bench.run(async () => {
      await bench.begin();
      const askedAtMs = bench.world.clock.nowMs();
      expect(await bench.peer(0).leave()).toBe(true);
      expect(bench.world.clock.nowMs()).toBe(askedAtMs);
    });
  });
});
