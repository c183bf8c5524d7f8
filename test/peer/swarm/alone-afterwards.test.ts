import { expect, it } from "vitest";
import { defaultJobOptions } from "../../../src/core/jobs/job-definition.ts";
import { tagRange } from "../../../src/core/record/key-ranges.ts";
import type { CanonicalUrl } from "../../../src/core/units.ts";
import { job, SwarmBench } from "./swarm-bench.ts";

/** A swarm, and what has the first machine crawl alone after the end of all. */
function newSwarm(size: number) {
  let isAlone = false;
  const bench = new SwarmBench(size, {}, {}, ({ overlay, ...ports }) =>
    isAlone || !overlay ? ports : { ...ports, overlay },
  );
  const goAlone = async (): Promise<void> => {
    for (const machine of bench.world.machines) machine.kill();
    isAlone = true;
    await bench.machine(0).start();
  };
  return { bench, goAlone };
}

it("a peer that crawls alone after it was in a swarm counts what it has kept for others, and ends with it", async () => {
  const { bench, goAlone } = newSwarm(3);
  await bench.run(async () => {
    await bench.begin();
    await bench.inject(0);
    await bench.pass(1_500);
    expect(bench.urls.length).toBeLessThan(240);
    await goAlone();
    await bench.finished(0);
    expect(bench.urls).toHaveLength(240);
    const { counts, finished } = bench.peer(0).job(job);
    expect([counts.queued, finished]).toEqual([0, true]);
  });
});

it("a peer that crawls alone fetches itself what was on its way to others", async () => {
  const { bench, goAlone } = newSwarm(2);
  await bench.run(async () => {
    await bench.begin();
    const roots = bench.world.sampleWeb.rootUrls() as CanonicalUrl[];
    const [ours, theirs] = [0, 1].map((holder) =>
      roots.find((url) => bench.holderOf(url) === holder),
    );
    if (!ours || !theirs) throw new Error("each has a site");
    bench.world.web.addRule(({ url }) =>
      url === ours ? { kind: "redirect", location: theirs } : { kind: "status", status: 404 },
    );
    await bench.peer(0).inject(job, [ours], { ...defaultJobOptions, scope: "any" });
    const outbox = () => bench.machine(0).disk.entries(tagRange("outbox"));
    while (outbox().length === 0) await bench.pass(10);
    await goAlone();
    await bench.finished(0);
    expect(bench.urls).toEqual([ours, theirs]);
    expect(outbox()).toEqual([]);
  });
});
