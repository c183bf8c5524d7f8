import { describe, expect, it } from "vitest";
import { job, SwarmBench } from "./swarm-bench.ts";

/** Each sync takes as long as another. */
const diskTimes = { syncMedianMs: 10, syncTail: 0 };

/** A sync takes 3.5 s then, longer than an acknowledgement waits for it. */
const slowness = 350;

describe("a seed whose owner has to wait for a replica", () => {
  it.each([0, 1])("is told to be new once, when it is injected at member %i", async (index) => {
    const bench = new SwarmBench(2, { machine: { diskTimes } });
    await bench.run(async () => {
      await bench.begin();
      await bench.inject(0, { delayMs: 60_000 });
      await bench.pass(2_000);
      const sites = Array.from({ length: 20 }, (_, n) => `http://site-${n}.invalid/`);
      const seeds = sites.filter((url) => bench.holderOf(url) === 0).slice(0, 3);
      bench.machine(1).disk.slowness = slowness;
      const report = await bench.peer(index).inject(job, seeds);
      expect(report).toMatchObject({ added: 3, known: 0 });
      expect(await bench.peer(index).inject(job, seeds)).toMatchObject({ added: 0, known: 3 });
    });
  });
});
