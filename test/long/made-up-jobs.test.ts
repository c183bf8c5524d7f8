import { describe, expect, it } from "vitest";
import { defaultJobOptions, type JobDefinition } from "../../src/core/jobs/job-definition.ts";
import type { CanonicalUrl, JobId } from "../../src/core/units.ts";
import { job, SwarmBench } from "../peer/swarm/swarm-bench.ts";
import { queuedRows } from "../peer/swarm/unheard-rows.ts";

const definition: JobDefinition = {
  id: job,
  revision: 1,
  stateRevision: 1,
  state: "running",
  options: { ...defaultJobOptions, scope: "page" },
};

describe("what is queued of a job that is unknown still", () => {
  it("is counted on disk where there were more numbers of jobs than there may be jobs", async () => {
    const cluster = { ring: { virtualNodes: 32, hashSeed: 0 }, replicas: 1 };
    const bench = new SwarmBench(2, {}, { cluster });
    await bench.run(async () => {
      await bench.begin();
      const [root] = bench.world.sampleWeb.rootUrls();
      const url = root as CanonicalUrl;
      const holder = bench.holderOf(url);
      const { jobs, keeper } = bench.peer(holder).swarm ?? {};
      const madeUp = Array.from({ length: 65_537 }, (_, space) => queuedRows(url, space)[0]);
      await keeper?.take([...madeUp, ...queuedRows(url)], 0, "all");
      // It may be a job of which something is queued.
      const { calls } = bench.peer(1 - holder).swarm ?? {};
      const before = await calls?.activity(bench.machine(holder).id, "another" as JobId);
      expect(before?.busy).toBe("URLs are queued of a job not heard of");
      jobs?.take([{ ...definition, state: "paused" }]);
      await jobs?.hearOf(job);
      expect(bench.peer(holder).job(job).counts.queued).toBe(1);
      jobs?.take([{ ...definition, stateRevision: 2 }]);
      await bench.finished(holder);
      expect(bench.urls).toEqual([url]);
      expect(bench.peer(holder).job(job).counts).toMatchObject({ queued: 0, fetched: 1 });
    });
  });
});
