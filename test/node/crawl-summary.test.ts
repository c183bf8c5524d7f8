import { expect, it } from "vitest";
import { crawlSummary, renderSummary } from "../../node/crawl-summary.ts";
import { jobReport } from "../support/fake-peer-control.ts";

it.each([
  [true, 0, "0"],
  [false, 1_060, "1,060"],
  [true, 1_060, "1,060, left because of --max-pages"],
])("says of a crawl (finished: %j) with %d queued URLs why they are", (finished, queued, text) => {
  const report = { ...jobReport("crawl", { queued }), finished };
  expect(renderSummary(crawlSummary(report, [], "out"))).toContain(`\n  queued    ${text}\n`);
});

it("says where the broken URLs of a crawl are listed, where there are such", () => {
  const report = jobReport("crawl", { failed: 2 });
  expect(renderSummary(crawlSummary(report, [], "out", 12))).toContain(
    "\n  broken    12 URLs in out/broken.ndjson\n",
  );
  expect(renderSummary(crawlSummary(report, [], "out", 0))).not.toContain("broken");
  expect(crawlSummary(report, [], "out")).not.toHaveProperty("broken");
});

it.each([
  [20, 510_000, 0.0392, "20 in 8 min 30 s (0.04/s)"],
  [4, 7_346, 0.5445, "4 in 7.3 s (0.54/s)"],
  [0, 0, 0, "0 in 0.0 s (0/s)"],
])("tells how fast a slow crawl was too: %d pages in %d ms", (pages, activeMs, rate, text) => {
  const summary = crawlSummary(jobReport("crawl", { pages, activeMs }), [], "out");
  expect(summary.pagesPerSecond).toBe(rate);
  expect(renderSummary(summary)).toContain(`  pages     ${text}\n`);
});
