import { expect, it } from "vitest";
import { partition } from "../../../sim/world/network-rules.ts";
import { job, SwarmBench } from "./swarm-bench.ts";

it("a URL that a guard kept out on one side of a split, and the other side has fetched, is not skipped", async () => {
  const bench = new SwarmBench(2);
  const [first = ""] = bench.world.sampleWeb.rootUrls();
  const urls = Array.from({ length: 4 }, (_, n) => `${first}?n=${n}`);
  const options = { scope: "page", delayMs: 100, pagesPerHostMax: 2 } as const;
  const { counts, statuses } = await bench.run(async () => {
    await bench.begin();
    const heal = bench.world.network.addRule(partition([0], [1]));
    await bench.pass(60_000);
    // Each side takes two of them.
    await bench.peer(0).inject(job, urls, options);
    await bench.peer(1).inject(job, urls.toReversed(), options);
    await bench.pass(10_000);
    heal();
    while (bench.peers.some(({ swarm }) => swarm?.view.others.length === 0)) await bench.pass(100);
    await bench.settled();
    await bench.finished(0);
    const stats = await bench.peer(0).swarmStats();
    return { counts: stats.jobs[0]?.counts, statuses: await bench.peer(1).status(urls, job) };
  });
  expect(statuses.map(({ state }) => state)).toEqual(urls.map(() => "done"));
  expect([counts?.fetched, counts?.skipped]).toEqual([urls.length, {}]);
});
