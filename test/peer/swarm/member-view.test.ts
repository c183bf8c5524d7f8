import { describe, expect, it } from "vitest";
import { partition } from "../../../sim/world/network-rules.ts";
import { SwarmBench } from "./swarm-bench.ts";

describe("a member's view of the swarm", () => {
  it("stays as it is while one is suspected, and changes when that one is taken for dead", async () => {
    const bench = new SwarmBench(3);
    await bench.run(async () => {
      await bench.begin();
      const { network } = bench.world;
      const { swarm } = bench.peer(0);
      if (!swarm) throw new Error("this peer is in no swarm");
      const { view } = swarm;
      const { ring, others } = view;
      const far = (): string | undefined =>
        view.members().find(({ id }) => id === bench.peer(2).peerId)?.health;
      const until = async (health: string): Promise<void> => {
        while (far() !== health) await bench.pass(50);
      };
      let changes = 0;
      view.onChange(() => (changes += 1));

      const heal = network.addRule(partition([0, 1], [2]));
      await until("suspect");
      heal();
      await until("alive");
      expect({ changes, ring: view.ring, others: view.others }).toEqual({
        changes: 0,
        ring,
        others,
      });
      expect(view.others).toBe(others);

      network.addRule(partition([0, 1], [2]));
      await until("dead");
      expect(changes).toBe(1);
      expect(view.others).toEqual([bench.peer(1).peerId]);
    });
  });
});
