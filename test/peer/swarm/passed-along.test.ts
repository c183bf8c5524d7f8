import { expect, it } from "vitest";
import { defaultJobOptions } from "../../../src/core/jobs/job-definition.ts";
import type { CanonicalUrl } from "../../../src/core/units.ts";
import { job, SwarmBench } from "./swarm-bench.ts";

it("a job is not told as finished while its only URL is on its way to its owner", async () => {
  const bench = new SwarmBench(2);
  /** URLs that had been asked for when the job was told as finished. */
  const finishedAt: number[] = [];
  const chain: (CanonicalUrl | undefined)[] = [];
  // Each page leads to one of the other member, by nothing but a redirect.
  bench.world.web.addRule(({ url }) => {
    const next = chain[chain.indexOf(url) + 1];
    return next === undefined
      ? { kind: "status", status: 404 }
      : { kind: "redirect", location: next };
  });
  await bench.run(async () => {
    await bench.begin();
    const roots = bench.world.sampleWeb.rootUrls() as CanonicalUrl[];
    const of = (holder: number): CanonicalUrl[] =>
      roots.filter((url) => bench.holderOf(url) === holder);
    const [ours, theirs] = [of(0), of(1)];
    chain.push(ours[0], theirs[0], ours[1], theirs[1]);
    const options = { ...defaultJobOptions, scope: "any", delayMs: 100 } as const;
    await bench.peer(0).inject(job, ours.slice(0, 1), options);
    while (bench.urls.length < 4) {
      const { jobs } = await bench.peer(0).swarmStats();
      if (jobs[0]?.finished) finishedAt.push(bench.urls.length);
      await bench.pass(20);
    }
    expect(finishedAt).toEqual([]);
    await bench.finished(0);
    const { jobs } = await bench.peer(0).swarmStats();
    expect(jobs[0]?.finished).toBe(true);
  });
});
