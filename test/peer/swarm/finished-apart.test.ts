import { expect, it } from "vitest";
import { plainSampleWebOptions } from "../../../sim/sample-web/sample-web-options.ts";
import { defaultJobOptions } from "../../../src/core/jobs/job-definition.ts";
import type { CanonicalUrl, JobId } from "../../../src/core/units.ts";
import { SwarmBench } from "./swarm-bench.ts";

it("a job's end is told while the changes of another one are always on their way to replicas", async () => {
  const pages = 1_500;
  const web = { ...plainSampleWebOptions, sites: 30, totalPages: pages, seed: 1 };
  const bench = new SwarmBench(2, { sampleWeb: web });
  await bench.run(async () => {
    await bench.begin();
    await bench.inject(0, { delayMs: 250 });
    const small = "small" as JobId;
    const nowhere = "http://nowhere.example/" as CanonicalUrl;
    await bench.peer(0).inject(small, [nowhere], defaultJobOptions);
    await bench.peer(0).jobFinished(small, new AbortController().signal);
    expect(bench.urls.length).toBeLessThan(0.75 * pages);
    await bench.finished(0);
    expect(bench.urls).toHaveLength(pages);
  });
});
