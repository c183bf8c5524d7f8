import { expect, it } from "vitest";
import { slowMembers } from "../../../sim/world/network-rules.ts";
import { SwarmBench } from "./swarm-bench.ts";

it("the lag of a member is the time to its answer, and nothing for the asked peer itself", async () => {
  const bench = new SwarmBench(3);
  await bench.run(async () => {
    await bench.begin();
    const lags = async (): Promise<Record<string, number>> => {
      const { members } = await bench.peer(0).swarmStats();
      return Object.fromEntries(members.map(({ peer, lagMs }) => [peer, lagMs]));
    };
    const before = await lags();
    expect(before["peer-0"]).toBe(0);
    for (const peer of ["peer-1", "peer-2"]) {
      expect(before[peer]).toBeGreaterThan(0);
      expect(before[peer]).toBeLessThan(600);
    }
    bench.world.network.addRule(slowMembers([2], 300));
    const after = await lags();
    expect(after["peer-0"]).toBe(0);
    expect(after["peer-1"]).toBeLessThan(600);
    // There, and back.
    expect(after["peer-2"]).toBeGreaterThan(600);
  });
});
