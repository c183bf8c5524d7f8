import { expect, it } from "vitest";
import { SwarmBench } from "./swarm-bench.ts";

it("a number of pages that a job is given later counts those of members that have left before", async () => {
  const bench = new SwarmBench(4);
  await bench.run(async () => {
    await bench.begin();
    await bench.inject(0, { delayMs: 1_000 });
    await bench.pass(4_000);
    for (const index of [2, 3]) {
      await bench.peer(index).leave();
      await bench.machine(index).stop();
    }
    await bench.settled();
    const before = bench.hits.length;
    expect(before).toBeLessThan(150);
    await bench.inject(0, { delayMs: 1_000, pagesMax: before });
    await bench.finished(0);
    await bench.finished(1);
    const [job] = (await bench.peer(1).swarmStats()).jobs;
    expect(job?.counts.pages).toBe(bench.hits.length);
    // Of each host what was fetched before all had heard.
    expect(bench.hits.length).toBeLessThanOrEqual(before + 24);
  });
});
