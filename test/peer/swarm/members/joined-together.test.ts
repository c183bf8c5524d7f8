import { expect, it } from "vitest";
import { partition, pass, type NetworkRule } from "../../../../sim/world/network-rules.ts";
import { SwarmBench } from "../swarm-bench.ts";

const settled = [0, 1, 2, 3];
const [newcomer, other] = [4, 5];

/** What one of the settled and the newcomer say to each other takes `ms`, notices among newcomers 300 ms. */
function slow(ms: number): NetworkRule {
  return ({ from, to, traffic }) => {
    if (from < newcomer && to < newcomer) return pass;
    if (from < newcomer || to < newcomer) return { kind: "delay", ms };
    return traffic === "notice" ? { kind: "delay", ms: 300 } : pass;
  };
}

it("begins no other swarm with one that joins too, where it reaches the swarm that there is", async () => {
  const bench = new SwarmBench(6);
  await bench.run(async () => {
    const { network } = bench.world;
    network.addRule(partition(settled, [other]));
    network.addRule(slow(60));
    for (const index of settled) await bench.machine(index).start();
    await bench.settled();
    await bench.pass(30_000);
    // It has asked the other one when it reaches the settled ones, and has that one's answer afterwards.
    for (const index of [other, newcomer]) await bench.machine(index).start();
    const isActive = (index: number): boolean => bench.peer(index).swarm?.view.role === "active";
    while (!isActive(newcomer) && !isActive(other)) await bench.pass(10);
    for (const index of [newcomer, other].filter(isActive)) {
      const members = bench.peer(index).swarm?.view.members() ?? [];
      const active = members.filter(({ role }) => role === "active").map(({ id }) => id);
      const ids = settled.map((one) => bench.peer(one).peerId);
      expect(active).toEqual(expect.arrayContaining(ids));
    }
  });
});
