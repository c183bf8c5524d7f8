import { describe, expect, it } from "vitest";
import { simulate } from "../../sim/simulate.ts";
import { commitSeed } from "../sim/scenarios/commit-seed.ts";
import { explainRun } from "../sim/scenarios/explain-run.ts";

const runs = 12;
const size = { peers: 5, sites: 40, pages: 2_000 };

describe("seeds of churn that no test has seen before", () => {
  it(`loses no page with any of ${runs} seeds that follow from the commit`, async () => {
    const first = commitSeed();
    const failed: string[] = [];
    const lost: string[] = [];
    for (let seed = first; seed < first + runs; seed += 1) {
      const report = await simulate("churn", { ...size, seed });
      const explained = explainRun(report);
      if (!report.passed) failed.push(explained);
      const { violationCounts, coverage } = report;
      const isLossy = violationCounts.has("coverage") || violationCounts.has("injections");
      // A run that did not come to its end proves nothing.
      if (isLossy || coverage.must === 0) lost.push(explained);
    }
    console.log([`${failed.length} of ${runs} seeds of churn failed`, ...failed].join("\n"));
    expect(lost, lost.join("\n")).toEqual([]);
  });
});
