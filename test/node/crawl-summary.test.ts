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
