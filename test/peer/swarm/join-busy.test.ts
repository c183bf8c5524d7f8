import { describe, expect, it } from "vitest";
import { plainSampleWebOptions } from "../../../sim/sample-web/sample-web-options.ts";
import { job, SwarmBench } from "./swarm-bench.ts";

const sites = 40;
const totalPages = 6_000;

describe("a peer that joins one at full speed", () => {
  it("crawls its share long before the crawl is over", async () => {
    const bench = new SwarmBench(2, {
      sampleWeb: { ...plainSampleWebOptions, sites, totalPages, seed: 2 },
    });
    await bench.run(async () => {
      await bench.machine(0).start();
      await bench.inject(0, { delayMs: 0 });
      const pages = (): number => bench.peer(0).job(job).counts.pages;
      while (pages() < totalPages / 6) await bench.pass(100);
      await bench.machine(1).start();
      while (bench.peer(1).swarm?.isSettled !== true) await bench.pass(100);
      expect(bench.peer(1).swarm?.territory.held.share).toBeGreaterThan(0.3);
      expect(pages()).toBeLessThan(totalPages / 2);
      await bench.finished(1);
    });
    expect(bench.urls).toHaveLength(totalPages);
    expect(bench.hits).toHaveLength(totalPages);
  });
});
