import { describe, expect, it } from "vitest";
import { defaultJobOptions, type JobDefinition } from "../../../src/core/jobs/job-definition.ts";
import type { CanonicalUrl, JobId } from "../../../src/core/units.ts";
import { job, SwarmBench } from "./swarm-bench.ts";
import { queuedRows } from "./unheard-rows.ts";

const definition: JobDefinition = {
  id: job,
  revision: 1,
  stateRevision: 1,
  state: "running",
  options: { ...defaultJobOptions, scope: "page" },
};

/** Begins a swarm of two; a page of its web, with the places of who holds its site and of the other one. */
async function begin(bench: SwarmBench) {
  await bench.begin();
  const [url] = bench.world.sampleWeb.rootUrls();
  if (url === undefined) throw new Error("a web without pages");
  const holder = bench.holderOf(url);
  return { url: url as CanonicalUrl, holder, other: 1 - holder };
}

describe("a job of which a peer hears when it has URLs of it in its queues", () => {
  it("is not over before, has them as queued from then on, and is crawled", async () => {
    const bench = new SwarmBench(2);
    await bench.run(async () => {
      const { holder, other, url } = await begin(bench);
      const teller = bench.peer(other).swarm;
      await teller?.calls.rows(bench.machine(holder).id, queuedRows(url));
      const before = await teller?.calls.activity(bench.machine(holder).id, job);
      expect(before?.busy).toBe("URLs are queued of a job not heard of");
      bench.peer(holder).swarm?.jobs.take([definition]);
      expect(bench.peer(holder).job(job).counts.queued).toBe(1);
      await bench.finished(holder);
      expect(bench.urls).toEqual([url]);
      expect(bench.peer(holder).job(job).counts).toMatchObject({ queued: 0, fetched: 1 });
    });
  });

  it("is crawled by who has taken the place of its holder, whatever was crawled at its hosts meanwhile", async () => {
    const bench = new SwarmBench(2);
    await bench.run(async () => {
      const { holder, other, url } = await begin(bench);
      const heir = bench.peer(other);
      const teller = bench.peer(holder).swarm;
      await teller?.calls.rows(bench.machine(other).id, queuedRows(url));
      bench.machine(holder).powerFailure();
      while (bench.holderOf(url) !== other) await bench.pass(100);
      await bench.settled();
      await heir.inject("another" as JobId, [url], { scope: "page" });
      await bench.pass(30_000);
      expect(bench.hits.length).toBe(1);
      heir.swarm?.jobs.take([definition]);
      expect(heir.job(job).counts.queued).toBe(1);
      await bench.finished(other);
      expect(bench.hits.length).toBe(2);
      expect(heir.job(job).counts).toMatchObject({ queued: 0, fetched: 1 });
    });
  });

  it("has as queued what is held when it is heard of, not what has been passed on", async () => {
    const bench = new SwarmBench(2);
    await bench.run(async () => {
      const { holder, other, url } = await begin(bench);
      const teller = bench.peer(other).swarm;
      await teller?.calls.rows(bench.machine(holder).id, queuedRows(url));
      await bench.peer(holder).leave();
      bench.peer(holder).swarm?.jobs.take([{ ...definition, state: "paused" }]);
      expect(bench.peer(holder).job(job).counts.queued).toBe(0);
      await bench.machine(holder).stop();
      expect(bench.holderOf(url)).toBe(other);
      teller?.jobs.take([{ ...definition, state: "paused" }]);
      expect(bench.peer(other).job(job).counts.queued).toBe(1);
    });
  });
});
