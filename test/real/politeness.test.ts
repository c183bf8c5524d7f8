import { afterEach, describe, expect, it } from "vitest";
import { audit } from "../../sim/auditor/auditor.ts";
import { renderAudit } from "../../sim/auditor/render-audit.ts";
import { plainSampleWebOptions } from "../../sim/sample-web/sample-web-options.ts";
import { TrueGraph } from "../../sim/sample-web/true-graph.ts";
import { crawlWords, ProcessBench } from "../support/process-bench.ts";

describe("peer crawl of forty hosts", () => {
  const bench = new ProcessBench();
  afterEach(() => bench.clear());

  it("keeps every host's delay and its Crawl-delay, one request at a time, and wastes little", async () => {
    const delayMs = 200;
    const site = await bench.site({
      ...plainSampleWebOptions,
      sites: 40,
      hostsPerSite: 1,
      totalPages: 480,
      pagesExponent: 0,
      // A tree so flat that a host's queue never runs dry.
      branching: 32,
      crawlDelayShare: 0.1,
      crawlDelaySeconds: 0.4,
    });
    const graph = new TrueGraph(site.web, { seeds: site.seeds });
    const ended = await bench.run(crawlWords(site, await bench.directory(), delayMs));
    expect(ended).toMatchObject({ code: 0 });
    const report = await audit(site.server.hits, graph, { hostDelayMs: delayMs });
    expect(report.passed, renderAudit(report)).toBe(true);
    expect(report.hosts).toBe(40);
    // How much of the allowed rate is used is measured by the long tests, on a machine that does nothing else.
    expect(report.hostPace.rateUsed).toBeGreaterThan(0.5);
  });

  it("asks hosts of one address one after the other", async () => {
    const site = await bench.site({
      ...plainSampleWebOptions,
      sites: 4,
      hostsPerSite: 2,
      hostsPerAddress: 4,
      totalPages: 80,
    });
    const graph = new TrueGraph(site.web, { seeds: site.seeds });
    const ended = await bench.run(crawlWords(site, await bench.directory(), 20));
    expect(ended).toMatchObject({ code: 0 });
    const report = await audit(site.server.hits, graph, { hostDelayMs: 20, addressDelayMs: 20 });
    expect(report.passed, renderAudit(report)).toBe(true);
    expect(report.addresses).toBe(2);
  });
});
