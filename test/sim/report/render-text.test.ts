import { beforeAll, describe, expect, it } from "vitest";
import { renderText } from "../../../sim/report/render-text.ts";
import type { RunReport } from "../../../sim/report/run-log.ts";
import { simulate } from "../../../sim/simulate.ts";
import { failedReport } from "../../support/failed-report.ts";

let report: RunReport;

beforeAll(async () => {
  report = await simulate("steady", { seed: 1, peers: 3, sites: 5, pages: 60 });
});

describe("a report as text", () => {
  it("begins with the verdict and ends with the replay command", () => {
    const lines = renderText(report).trimEnd().split("\n");
    expect(lines.slice(0, 2)).toEqual(["PASSED", "steady, seed 1: 3 peers, 5 sites, 60 pages"]);
    expect(lines.at(-1)).toBe("replay: peer sim steady --seed 1 --peers 3 --sites 5 --pages 60");
  });

  it("tells pages, times, traffic by class and the trace", () => {
    const text = renderText(report, 1_500);
    const { must } = report.coverage;
    expect(text).toMatch(new RegExp(`^pages +${must} of ${must} `, "m"));
    expect(text).toMatch(/^time +[\d.]+ (s|min \d+ s) virtual, 1\.5 s real$/m);
    for (const kind of ["control", "forwarding", "transfer", "notice", "claim"]) {
      expect(text).toMatch(new RegExp(`^ {2}${kind} +[\\d,]+, [\\d.]+ \\w+$`, "m"));
    }
    expect(text).toMatch(/^forwarding +\d+\.\d\d% of the bytes fetched, \d+\.\d URLs a message$/m);
    expect(text).toMatch(new RegExp(`^trace +${report.traceHash}$`, "m"));
    expect(text).not.toContain("violations:");
  });

  it("shows twenty violations, a line each, and counts the others", () => {
    const text = renderText(failedReport(report, 30, "a\nb\u001b[2J"));
    expect(text).toMatch(/^FAILED: 30 coverage\n/);
    expect(text.match(/ {2}\d\.\d{3} s {2}coverage: /g)).toHaveLength(20);
    expect(text).toContain("1.000 s  coverage: a\ufffdb\ufffd[2J (url=http://a.example/)\n");
    expect(text).toContain("\n  and 10 more\n");
  });
});
