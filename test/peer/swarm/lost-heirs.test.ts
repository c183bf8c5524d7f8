import { expect, it } from "vitest";
import { SwarmBench } from "./swarm-bench.ts";

/** Time in which a member that is gone is missed, and what is known of it is on the disks of those that it told. */
const savedMs = 15_000;

it("the totals of a member that has left outlast a crash of each of the others", async () => {
  const bench = new SwarmBench(4);
  await bench.run(async () => {
    await bench.begin();
    await bench.inject(0, { delayMs: 200 });
    await bench.pass(4_000);
    await bench.peer(3).leave();
    await bench.machine(3).stop();
    await bench.finished(0);
    await bench.pass(savedMs);
    for (const index of [0, 1, 2]) {
      bench.machine(index).kill();
      await bench.pass(savedMs);
      await bench.machine(index).start();
      await bench.settled();
    }
    const [job] = (await bench.peer(0).swarmStats()).jobs;
    expect(job?.counts.pages).toBeGreaterThanOrEqual(bench.urls.length);
  });
});

it("the totals of a member that has left outlast that those it told stop soon after", async () => {
  const bench = new SwarmBench(3);
  await bench.run(async () => {
    await bench.begin();
    await bench.inject(0, { delayMs: 200 });
    await bench.finished(0);
    await bench.peer(2).leave();
    for (const index of [2, 1, 0]) await bench.machine(index).stop();
    await Promise.all([0, 1].map((index) => bench.machine(index).start()));
    await bench.settled();
    const [job] = (await bench.peer(0).swarmStats()).jobs;
    expect(job?.counts.pages).toBeGreaterThanOrEqual(bench.urls.length);
  });
});
