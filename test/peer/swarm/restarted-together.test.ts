import { describe, expect, it } from "vitest";
import { plainSampleWebOptions } from "../../../sim/sample-web/sample-web-options.ts";
import { SwarmBench } from "./swarm-bench.ts";

describe("a swarm that is stopped as a whole, and started together", () => {
  it("asks for nothing again that its first member gave away before it was fetched", async () => {
    const size = 4;
    const bench = new SwarmBench(size, {
      sampleWeb: { ...plainSampleWebOptions, sites: 12, totalPages: 1_200, linksPerPage: 40 },
    });
    await bench.run(async () => {
      await bench.machine(0).start();
      await bench.settled();
      await bench.inject(0, { delayMs: 100 });
      await bench.pass(3_000);
      // What is queued at the first one by now stays on its disk, also where it is to be crawled by others.
      for (let index = 1; index < size; index += 1) await bench.machine(index).start();
      await bench.settled();
      await bench.finished(0);
      await bench.settled();
      const before = bench.hits.length;
      expect(new Set(bench.urls).size).toBe(before);
      await Promise.all(bench.world.machines.map((machine) => machine.stop()));
      for (const machine of bench.world.machines) await machine.start();
      await bench.settled();
      await bench.pass(60_000);
      await bench.finished(0);
      expect(bench.hits.slice(before).map(({ url }) => url)).toEqual([]);
    });
  });
});
