import { afterAll, describe, expect, it } from "vitest";
import { TrueGraph } from "../../sim/sample-web/true-graph.ts";
import { crawlWords, ProcessBench, summaryOf } from "../support/process-bench.ts";

/** Far fewer than the web has hosts. */
const filesMax = 128;

describe("a peer that may open few files", () => {
  const bench = new ProcessBench();
  afterAll(() => bench.clear());

  it("crawls with as few connections, and says so", async () => {
    const site = await bench.site({ sites: 200, hostsPerSite: 1, totalPages: 220 });
    const words = crawlWords(site, await bench.directory(), 100);
    const within = ["sh", "-c", `ulimit -n ${filesMax}; exec "$@"`, "sh"];
    const ended = await bench.run(words, { within });
    expect(ended.stderr).toContain(`few-open-files         files=${filesMax} requests=16`);
    const { finished, pages } = summaryOf(ended);
    const { ordinary } = new TrueGraph(site.web, { seeds: site.seeds }).kinds();
    expect(finished).toBe(true);
    expect(pages).toBeGreaterThanOrEqual(ordinary);
  });
});
