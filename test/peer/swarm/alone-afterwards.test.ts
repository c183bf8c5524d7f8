import { expect, it } from "vitest";
import { job, SwarmBench } from "./swarm-bench.ts";

it("a peer that crawls alone after it was in a swarm counts what it has kept for others, and ends with it", async () => {
  let isAlone = false;
  const bench = new SwarmBench(3, {}, {}, ({ overlay, ...ports }) =>
    isAlone || !overlay ? ports : { ...ports, overlay },
  );
  await bench.run(async () => {
    await bench.begin();
    await bench.inject(0);
    await bench.pass(1_500);
    for (const machine of bench.world.machines) machine.kill();
    expect(bench.urls.length).toBeLessThan(240);
    isAlone = true;
    await bench.machine(0).start();
    await bench.finished(0);
    expect(bench.urls).toHaveLength(240);
    const { counts, finished } = bench.peer(0).job(job);
    expect([counts.queued, finished]).toEqual([0, true]);
  });
});
