import { describe, expect, it } from "vitest";
import { noSkew } from "../../../sim/world/skewed-clock.ts";
import { encodeClaim } from "../../../src/core/messages/claim.ts";
import { SwarmBench } from "./swarm-bench.ts";

const hourMs = 3_600_000;
const yearsMs = 20_000 * hourMs;

/** Enough for a member to be refused, or to find that it is not taken for what it is. */
const amongOthersMs = 20_000;

const incarnationMax = 0xffff_ffff;

describe("a run of a member", () => {
  it.each<[string, "kill" | "powerFailure"]>([
    ["was killed", "kill"],
    ["lost its power", "powerFailure"],
  ])("is later than the one that %s under a clock that was ahead", async (_, end) => {
    const bench = new SwarmBench(2);
    const third = bench.world.addMachine({ skew: { offsetMs: hourMs, driftPpm: 0 } });
    await bench.run(async () => {
      await bench.begin();
      const before = third.peer.swarm?.view.generation ?? Infinity;
      third[end]();
      third.setClock(noSkew);
      await third.start();
      await bench.pass(amongOthersMs);
      await bench.settled();
      expect(third.peer.swarm?.view.generation).toBe(before + 1);
    });
    expect(bench.world.failures).toEqual([]);
  });

  it("is one that others hear of when the one before was under a clock that was years ahead", async () => {
    const bench = new SwarmBench(0);
    const [first] = Array.from({ length: 3 }, () => bench.world.addMachine());
    await bench.run(async () => {
      first?.setClock({ offsetMs: yearsMs, driftPpm: 0 });
      await first?.start();
      await bench.pass(amongOthersMs);
      first?.kill();
      first?.setClock(noSkew);
      await Promise.all(bench.world.machines.map((machine) => machine.start()));
      await bench.pass(amongOthersMs);
      const seen = bench.peers.map(({ swarm }) => swarm?.view.others.length);
      expect(seen).toEqual([2, 2, 2]);
    });
    expect(bench.world.failures).toEqual([]);
  });

  it("goes on under another number when others have exhausted what it can say, also after its end", async () => {
    const bench = new SwarmBench(3);
    await bench.run(async () => {
      await bench.begin();
      const swarm = bench.peer(1).swarm;
      const [row] = swarm?.view.members() ?? [];
      if (!swarm || !row) throw new Error("a peer of a swarm");
      const worst = { ...row, incarnation: incarnationMax, health: "suspect" } as const;
      bench.machine(0).overlay?.publish(encodeClaim({ members: [worst] }));
      await bench.pass(amongOthersMs);
      await bench.settled();
      expect(swarm.view.generation).toBe(row.generation + 1);
      expect(bench.peer(2).swarm?.view.generationOf(row.id)).toBe(row.generation + 1);

      const machine = bench.machine(1);
      machine.kill();
      machine.setClock({ offsetMs: -hourMs, driftPpm: 0 });
      await machine.start();
      await bench.settled();
      expect(bench.peer(1).swarm?.view.generation).toBe(row.generation + 2);
    });
    expect(bench.world.failures).toEqual([]);
  });
});
