import { describe, expect, it } from "vitest";
import { defaultJobOptions } from "../../../src/core/jobs/job-definition.ts";
import { job, SwarmBench } from "./swarm-bench.ts";

const options = { ...defaultJobOptions, scope: "site", delayMs: 100 } as const;

describe("a seed that was kept out as a link", () => {
  it.each([500, 1_000, 2_000, 4_000])(
    "is crawled with all of its site when it comes after %i ms of a crawl",
    async (afterMs) => {
      const bench = new SwarmBench(3);
      await bench.run(async () => {
        await bench.begin();
        const seeds = bench.world.sampleWeb.rootUrls();
        await bench.peer(0).inject(job, seeds.slice(0, 6), options);
        await bench.pass(afterMs);
        const { added } = await bench.peer(2).inject(job, seeds.slice(6), options);
        expect(added).toBe(6);
        await bench.finished(1);
      });
      expect(bench.urls).toHaveLength(240);
      expect(bench.hits).toHaveLength(240);
    },
  );
});
