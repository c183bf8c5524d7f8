import { expect, it } from "vitest";
import { defaultJobOptions } from "../../../src/core/jobs/job-definition.ts";
import { queuedRecord } from "../../../src/core/record/url-state.ts";
import type { CanonicalUrl } from "../../../src/core/units.ts";
import { urlRow } from "../../../src/peer/admission/url-row.ts";
import { JobRegistry } from "../../../src/peer/jobs/job-registry.ts";
import { job, SwarmBench } from "./swarm-bench.ts";

const options = { ...defaultJobOptions, pagesPerHostMax: 3, delayMs: 100 } as const;

it("what a limit kept out is queued at its owner and in its copy when it is named as a seed", async () => {
  const bench = new SwarmBench(2);
  const known = new JobRegistry().define(job);
  await bench.run(async () => {
    await bench.begin();
    await bench.peer(0).inject(job, bench.world.sampleWeb.rootUrls(), options);
    await bench.finished(1);
    const { urls } = await bench.peer(0).urls(job, { state: "excluded" });
    const keptOut = urls.filter(({ reason }) => reason === "host-limit").map(({ url }) => url);
    expect(keptOut).not.toEqual([]);
    await bench.peer(0).changeJob(job, "pause");
    // The other one hears of it.
    await bench.pass(5_000);
    const { added } = await bench.peer(1).inject(job, keptOut);
    expect(added).toBe(keptOut.length);
    const rows = keptOut.map((url) => urlRow(url as CanonicalUrl, known).key);
    const records = [0, 1].flatMap((index) =>
      rows.map((key) => bench.machine(index).disk.get(key)),
    );
    expect(records).toEqual(records.map(() => queuedRecord(0)));
    await bench.peer(1).changeJob(job, "resume");
    await bench.pass(5_000);
    await bench.finished(0);
    const states = await bench.peer(0).status(keptOut, job);
    expect(states.map(({ state }) => state)).toEqual(keptOut.map(() => "done"));
    const [stats] = (await bench.peer(0).swarmStats()).jobs;
    expect(stats?.counts).toMatchObject({ queued: 0, overlapFetches: 0 });
  });
  expect(bench.urls).toHaveLength(bench.hits.length);
});
