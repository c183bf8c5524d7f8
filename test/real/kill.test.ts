import { afterEach, describe, expect, it } from "vitest";
import { renderAudit } from "../../sim/auditor/render-audit.ts";
import { defaultSampleWebOptions } from "../../sim/sample-web/sample-web-options.ts";
import { crawlThroughKills } from "../support/crawl-through-kills.ts";
import { ProcessBench } from "../support/process-bench.ts";
import { readIndexes, readWarcs } from "../support/read-crawl.ts";

/** None of the kinds that make a small host's circuit breaker open. */
const noFailures = { throttled: 0, unavailable: 0, failing: 0, reset: 0 };

describe("peer crawl that is killed with SIGKILL", () => {
  const bench = new ProcessBench();
  afterEach(() => bench.clear());

  it("goes on with the same command, loses nothing, and counts what it asks for again", async () => {
    const site = await bench.site({
      sites: 8,
      totalPages: 400,
      shares: { ...defaultSampleWebOptions.shares, ...noFailures },
    });
    const out = await bench.directory();
    const plan = { delayMs: 10, kills: 3, seed: 7, requests: 400 };
    const { summary, graph, report, kills } = await crawlThroughKills(bench, site, out, plan);

    expect(kills).toBe(3);
    expect(report.passed, renderAudit(report)).toBe(true);
    expect(summary).toMatchObject({
      finished: true,
      pages: graph.htmlPages(),
      fetched: graph.counts().must,
      failed: 0,
      queued: 0,
    });
    const records = await readWarcs(summary.archive);
    const archived = records.filter(({ type }) => type === "response" || type === "revisit");
    expect(new Set(archived.map(({ url }) => url)).size).toBe(summary.fetched);
    expect(archived).toHaveLength(summary.fetched);
    expect(await readIndexes(summary.archive)).toHaveLength(archived.length);
  });
});
