import { afterEach, describe, expect, it } from "vitest";
import { renderAudit } from "../../sim/auditor/render-audit.ts";
import { defaultSampleWebOptions } from "../../sim/sample-web/sample-web-options.ts";
import { crawlThroughKills } from "../support/crawl-through-kills.ts";
import { ProcessBench } from "../support/process-bench.ts";
import { readIndexes, readWarcs } from "../support/read-crawl.ts";

const noFailures = { throttled: 0, unavailable: 0, failing: 0, reset: 0 };

/** Another seed draws other moments: `SEED=2 npm run test:real`. */
const seed = Number(process.env["SEED"] ?? "1");

describe("peer crawl of 20,000 pages", () => {
  const bench = new ProcessBench();
  afterEach(() => bench.clear());

  it("loses nothing through twenty kills", async () => {
    const site = await bench.site({
      seed,
      sites: 100,
      totalPages: 20_000,
      shares: { ...defaultSampleWebOptions.shares, ...noFailures },
    });
    const out = await bench.directory();
    const plan = { delayMs: 5, kills: 20, seed, requests: 20_000 };
    const { summary, graph, report, kills } = await crawlThroughKills(bench, site, out, plan);
    process.stdout.write(
      `\nseed ${seed}: ${kills} kills, ${summary.duplicateFetches} counted again\n`,
    );
    process.stdout.write(`${renderAudit(report)}\n`);

    expect(kills).toBe(20);
    expect(report.passed, renderAudit(report)).toBe(true);
    expect(summary).toMatchObject({
      finished: true,
      pages: graph.htmlPages(),
      fetched: graph.counts().must,
      queued: 0,
    });
    const records = await readWarcs(summary.archive);
    const archived = records.filter(({ type }) => type === "response" || type === "revisit");
    expect(new Set(archived.map(({ url }) => url)).size).toBe(summary.fetched);
    expect(archived).toHaveLength(summary.fetched);
    expect(await readIndexes(summary.archive)).toHaveLength(archived.length);
  });
});
