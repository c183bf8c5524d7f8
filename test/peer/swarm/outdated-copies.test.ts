import { describe, expect, it } from "vitest";
import { tagRange } from "../../../src/core/record/key-ranges.ts";
import { defaultOwnershipOptions } from "../../../src/peer/swarm/ownership/ownership-options.ts";
import { SwarmBench } from "./swarm-bench.ts";

describe("a disk that comes back with a queue of which all is done by now", () => {
  it("loses that queue, and no comparison brings it to the holder anew", async () => {
    const ownership = { ...defaultOwnershipOptions, antiEntropyIntervalMs: 20_000 };
    const bench = new SwarmBench(2, {}, { ownership });
    await bench.run(async () => {
      await bench.begin();
      await bench.inject(0, { delayMs: 500 });
      await bench.pass(5_000);
      const back = bench.machine(1);
      back.powerFailure();
      expect(back.disk.entries(tagRange("queue"))).not.toEqual([]);
      await bench.pass(20_000);
      await bench.finished(0);
      await back.start();
      await bench.pass(10_000);
      await bench.settled();
      let pulled = 0;
      for (const { swarm } of bench.peers) {
        if (!swarm) throw new Error("a member of a swarm");
        const { calls } = swarm;
        const pull = calls.pull.bind(calls);
        calls.pull = async (...asked) => {
          const answer = await pull(...asked);
          pulled += answer?.rows.length ?? 0;
          return answer;
        };
      }
      await bench.pass(60_000);
      expect(back.disk.entries(tagRange("queue"))).toEqual([]);
      expect(pulled).toBe(0);
    });
  });
});
