import { describe, expect, it } from "vitest";
import type { RunReport } from "../../../sim/report/run-log.ts";
import { scenarioNames, type ScenarioName } from "../../../sim/scenarios/scenarios.ts";
import { simulate, type RunProgress } from "../../../sim/simulate.ts";
import { explainRun } from "./explain-run.ts";

const size = { seed: 1, peers: 4, sites: 8, pages: 150 };
const churnSeeds = [3, 4, 6, 7, 9];
/** Several runs in one test, on a machine that has other things to do. */
const timeoutMs = 60_000;

function expectPassed(report: RunReport): void {
  const explained = explainRun(report);
  expect(report.passed, explained).toBe(true);
  expect([...report.violationCounts], explained).toEqual([]);
  expect(report.coverage.must, explained).toBeGreaterThan(0);
  expect(report.coverage.done, explained).toBe(report.coverage.must);
}

/** How many faults were carried out after the first page had been answered and before the last one. */
function faultsMeanwhile({ answered, events, plan, samples }: RunReport): number {
  const kinds = new Set<string>(plan.faults.map(({ kind }) => kind));
  return events.filter(({ atMs, kind, skipped }) => {
    const before = samples.findLast((sample) => sample.atMs <= atMs)?.answered ?? [];
    const pages = before.reduce((sum, each) => sum + each, 0);
    return kinds.has(kind) && !skipped && pages > 0 && pages < answered;
  }).length;
}

describe("a swarm in virtual time", { timeout: timeoutMs }, () => {
  /** Runs that are the first of two with one seed. */
  const firstRuns = new Map<ScenarioName, Promise<RunReport>>();

  function firstRunOf(name: ScenarioName): Promise<RunReport> {
    const known = firstRuns.get(name);
    if (known) return known;
    const run = simulate(name, size);
    firstRuns.set(name, run);
    return run;
  }

  it.each(scenarioNames)("crawls every page within the rules in the scenario %s", async (name) => {
    const report = await firstRunOf(name);
    expectPassed(report);
    expect(faultsMeanwhile(report) > 0).toBe(name !== "steady");
  });

  it.each(churnSeeds)(
    "crawls every page within the rules under churn with the seed %i",
    async (seed) => {
      const report = await simulate("churn", { ...size, seed });
      expectPassed(report);
      expect(faultsMeanwhile(report)).toBeGreaterThan(0);
    },
  );

  it.each<ScenarioName>(["steady", "churn", "job-changes"])(
    "does the same twice with one seed in %s",
    async (name) => {
      const [first, second] = [await firstRunOf(name), await simulate(name, size)];
      expect(second.traceHash).toBe(first.traceHash);
      expect(second.virtualMs).toBe(first.virtualMs);
      const small = { ...size, peers: 2, sites: 3, pages: 20 };
      const [one, other] = [
        await simulate(name, small),
        await simulate(name, { ...small, seed: small.seed + 1 }),
      ];
      expect(other.traceHash).not.toBe(one.traceHash);
    },
  );

  it("tells of the last fault that was carried out, and of pages that are done once each", async () => {
    const looks: RunProgress[] = [];
    const report = await simulate(
      "churn",
      { seed: 7, peers: 3, sites: 3, pages: 20 },
      { onProgress: (look) => looks.push(look) },
    );
    const done = new Set(report.plan.faults.map(({ kind }) => kind as string));
    const last = report.events.findLast(({ kind, skipped }) => done.has(kind) && !skipped);
    expect(report.lastFaultAtMs).toBe(last?.atMs);
    expect(report.convergedAfterMs).toBeGreaterThan(0);
    expect(report.delays.requests).toBeGreaterThan(0);
    expect(looks.every(({ pages, pagesMax }) => pages <= pagesMax)).toBe(true);
    expect(looks.at(-1)).toMatchObject({
      pages: report.coverage.done,
      pagesMax: report.coverage.must,
    });
  });

  it("names the command that replays a run", async () => {
    const report = await simulate("steady", { ...size, peers: 2, pages: 40 });
    const command = "peer sim steady --seed 1 --peers 2 --sites 8 --pages 40";
    expect(report.replay).toBe(command);
    expect(explainRun(report)).toContain(command);
  });
});
