import { beforeAll, describe, expect, it } from "vitest";
import { renderText } from "../../../sim/report/render-text.ts";
import type { RunReport } from "../../../sim/report/run-log.ts";
import { simulate } from "../../../sim/simulate.ts";
import { failedReport } from "../../support/failed-report.ts";

let report: RunReport;

/** The report, each figure on one line. */
function unbroken(report: RunReport, wallMs?: number): string {
  return renderText(report, wallMs).replaceAll(/,\n +/g, ", ");
}

beforeAll(async () => {
  report = await simulate("steady", { seed: 1, peers: 3, sites: 5, pages: 60 });
});

describe("a report as text", () => {
  it("begins with the verdict and ends with the replay command", () => {
    const lines = unbroken(report).trimEnd().split("\n");
    expect(lines.slice(0, 2)).toEqual(["PASSED", "steady, seed 1: 3 peers, 5 sites, 60 pages"]);
    expect(lines.at(-1)).toBe("replay: peer sim steady --seed 1 --peers 3 --sites 5 --pages 60");
  });

  it("tells pages, times, traffic by class and the trace", () => {
    const text = unbroken(report, 1_500);
    const { must } = report.coverage;
    expect(text).toMatch(new RegExp(`^pages +${must} of ${must} `, "m"));
    expect(text).toMatch(/^time +[\d.]+ (s|min \d+ s) virtual, 1\.5 s real$/m);
    for (const kind of ["control", "forwarding", "transfer", "notice", "claim"]) {
      expect(text).toMatch(new RegExp(`^ {2}${kind} +[\\d,]+, [\\d.]+ \\w+$`, "m"));
    }
    expect(text).toMatch(/^forwarding +\d+\.\d+% of the bytes fetched, \d+\.\d URLs a message$/m);
    expect(text).toMatch(
      /^longest queues +\d+ URLs not acknowledged, \d+ rows to copy to a member, \d+ operations to write$/m,
    );
    expect(text).toMatch(new RegExp(`^trace +${report.traceHash}$`, "m"));
    expect(text).not.toContain("violations:");
  });

  it("counts one of what waits as one", () => {
    const queues = { pending: 1, queuedRows: 1, pendingOps: 1, others: 2 };
    expect(renderText({ ...report, queues }).replace(/\s+/g, " ")).toContain(
      "1 URL not acknowledged, 1 row to copy to a member, 1 operation to write, 2 others",
    );
  });

  it("has room in 80 columns", () => {
    const text = renderText({ ...report, delays: { requests: 1_234_567, excused: 1_234 } });
    expect(text.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });

  it("divides the pages that are done by the time of the crawl, not the requests", () => {
    const slow = { ...report, coverage: { must: 45, done: 45 }, answered: 900, crawlMs: 30_000 };
    expect(unbroken(slow)).toMatch(/^crawl +30\.0 s, 1\.5 pages\/s$/m);
  });

  it("counts the crawl until the job was told over, not until the disks are read", () => {
    const finished = report.events.find(({ kind }) => kind === "finished");
    expect(report.crawlMs).toBeLessThan(finished?.atMs ?? 0);
  });

  it("counts from the last fault that was carried out, and says why others were left out", () => {
    expect(unbroken(report)).toMatch(/^one swarm again +no faults$/m);
    const { plan } = report;
    const faults = [1_000, 2_000, 3_000].map((atMs) => ({ kind: "join", atMs }) as const);
    const text = unbroken({
      ...report,
      plan: { ...plan, faults },
      events: [
        { kind: "join", atMs: 1_000 },
        { kind: "join", atMs: 2_000, skipped: "unfit" },
        { kind: "join", atMs: 3_000, skipped: "never-calm" },
      ],
      lastFaultAtMs: 1_000,
      convergedAfterMs: 3_400,
    });
    expect(text).toMatch(/^one swarm again +3\.4 s after the last fault$/m);
    expect(text).toMatch(
      /^faults +1 of 3 planned, 1 found nothing to break or to mend, 1 waited in vain for a calm swarm, 0 false deaths$/m,
    );
  });

  it("says how many requests were excused from the delays", () => {
    const text = unbroken({ ...report, delays: { requests: 70, excused: 2 } });
    expect(text).toMatch(/^delays +70 requests compared with the one before, 2 excused: /m);
  });

  it("tells facts as exactly as they are of use", () => {
    const details = { peer: 3, lastAtMs: 3_181.59814453125, share: 0.000_123_456 };
    const violation = { checker: "coverage", atMs: 1_000, text: "lost", details } as const;
    const text = unbroken({ ...failedReport(report, 1, "lost"), violations: [violation] });
    expect(text).toContain("lost (peer=3, lastAtMs=3181.6, share=0.000123)\n");
  });

  it("shows twenty violations, a line each, and counts the others", () => {
    const text = unbroken(failedReport(report, 30, "a\nb\u001b[2J"));
    expect(text).toMatch(/^FAILED: 30 coverage\n/);
    expect(text.match(/ {2}\d\.\d{3} s {2}coverage: /g)).toHaveLength(20);
    expect(text).toContain("1.000 s  coverage: a\ufffdb\ufffd[2J (url=http://a.example/)\n");
    expect(text).toContain("\n  and 10 more\n");
  });
});
