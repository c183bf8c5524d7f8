import { beforeAll, describe, expect, it } from "vitest";
import { renderHtml } from "../../../sim/report/render-html.ts";
import type { RunReport } from "../../../sim/report/run-log.ts";
import { simulate } from "../../../sim/simulate.ts";
import { failedReport } from "../../support/failed-report.ts";

let report: RunReport;

beforeAll(async () => {
  report = await simulate("steady", { seed: 1, peers: 3, sites: 5, pages: 60 });
});

describe("a report as a page", () => {
  it("has the verdict, the figures and all pictures", () => {
    const page = renderHtml(report, 1_500);
    expect(page).toContain('<h1 class="good">PASSED</h1>');
    expect(page).toContain(report.traceHash);
    expect(page).toContain(report.replay);
    expect([...page.matchAll(/<svg [^>]*aria-label="([^"]+)"/g)].map(([, name]) => name)).toEqual([
      "Requests answered over time by peer",
      "Ownership before",
      "Ownership after",
      "Requests answered by each peer",
      "Lives of the peers and faults over time",
      "messages a second and peer, by kind of traffic",
      "KiB a second and peer, by kind of traffic",
    ]);
  });

  it("refers to nothing outside of itself, and runs nothing", () => {
    const page = renderHtml(report);
    expect(page).not.toMatch(/<script|<link|<img|<iframe|\bsrc=|\bhref=|url\(|@import|\son\w+=/i);
  });

  it("draws no number that is none, whatever the run was", () => {
    const nothing: RunReport = { ...report, samples: [], answered: 0, virtualMs: 0, lives: [] };
    for (const each of [report, nothing]) {
      expect(renderHtml(each)).not.toMatch(/NaN|Infinity|undefined/);
    }
  });

  it("draws of many machines those to which something happened", () => {
    const lives = Array.from({ length: 500 }, (_, machine) => ({
      ...{ machine, generation: 1, fromMs: machine === 499 ? 1_000 : 0, toMs: report.virtualMs },
      end: machine === 7 ? ("kill" as const) : undefined,
    }));
    const events = [
      { atMs: 500, kind: "slow-disk" as const, machine: 70 },
      { atMs: 600, kind: "inject" as const, machine: 80 },
    ];
    const page = renderHtml({ ...report, machines: 500, lives, events });
    const named = [...page.matchAll(/<text[^>]*>(peer-\d+)<\/text>/g)].map(([, name]) => name);
    expect(named).toEqual(["peer-7", "peer-70", "peer-499"]);
    expect(page).toContain("Left out: 497 machines to which nothing happened");
  });

  it("names each value of the loads once, be they few or none", () => {
    const [first] = report.samples;
    if (!first) throw new Error("a run is looked at from its beginning");
    for (const most of [0, 1, 2]) {
      const page = renderHtml({ ...report, samples: [{ ...first, answered: [most, 0, 0] }] });
      const [, chart = ""] = page.split("Requests answered by each peer");
      const [axis = ""] = chart.split("<rect");
      const values = [...axis.matchAll(/"end">([^<]+)</g)].map(([, value]) => value);
      expect(values).toEqual(most === 2 ? ["0", "1", "2"] : ["0", "1"]);
    }
  });

  it("shares messages among the peers that ran then, not among all there ever were", () => {
    const [first] = report.samples;
    if (!first) throw new Error("a run is looked at from its beginning");
    const sent = (messages: number) => ({ ...first.traffic, notice: { messages, bytes: 0 } });
    const samples = [0, 1_000, 2_000].map((atMs, at) => ({
      ...first,
      atMs,
      traffic: sent(at * 10),
    }));
    // One runs from the beginning on, the other three when a half of the time is over.
    const lives = [0, 1, 2, 3].map((machine) => ({
      ...{ machine, generation: 1, fromMs: machine === 0 ? 0 : 1_000, toMs: Infinity },
      end: undefined,
    }));
    const page = renderHtml({ ...report, machines: 4, virtualMs: 2_000, samples, lives });
    const [, chart = ""] = page.split('aria-label="messages a second and peer');
    // Ten messages of one peer are at the top of the picture, 2.5 of each of four at a quarter of its height.
    expect(chart).toMatch(/points="[\d.]+,26 [\d.]+,158"><title>notice/);
  });

  it("takes no change of the job for a fault", () => {
    const events = [
      { atMs: 500, kind: "pause" as const, machine: 0 },
      { atMs: 600, kind: "resume" as const, machine: 1 },
    ];
    expect(renderHtml({ ...report, events })).not.toContain('class="fault"');
  });

  it("counts one violation as one", () => {
    const page = renderHtml(failedReport(report, 1, "text"));
    expect(page).toContain("<td>1 violation: ");
  });

  it("counts one peer that holds everything as one", () => {
    const page = renderHtml({ ...report, holdingsBefore: [{ machine: 0, arcs: [[0, 1]] }] });
    expect(page).toContain(">1 peer</text>");
    expect(page).not.toContain("100.0 to 100.0%");
  });

  it("keeps what its pictures say readable in a narrow window", () => {
    const page = renderHtml(report);
    expect(page).toContain("section { overflow-x: auto; }");
    expect(page).toContain("section > svg { min-width: 720px; }");
  });

  it("escapes what comes from the web", () => {
    const page = renderHtml(failedReport(report, 1, `<img src="x" onerror='y'>&`));
    expect(page).toContain('<h1 class="bad">FAILED: 1 coverage</h1>');
    expect(page).toContain("&lt;img src=&quot;x&quot; onerror=&#39;y&#39;&gt;&amp;");
    expect(page).not.toContain("<img");
  });
});
