import { describe, expect, it } from "vitest";
import { noJobCounts } from "../../../src/core/answers/job-counts.ts";
import type { MemberId } from "../../../src/core/units.ts";
import { sumFigures } from "../../../src/peer/answers/sum-figures.ts";
import { JobRegistry } from "../../../src/peer/jobs/job-registry.ts";

describe("sumFigures", () => {
  it("looks at each total once or twice, however many jobs there are", () => {
    const registry = new JobRegistry();
    const jobs = Array.from({ length: 500 }, (_, n) => registry.define(`job-${n}`));
    let looks = 0;
    const answers = ["one", "two"].map((name) => ({
      member: name as MemberId,
      lagMs: 0,
      reply: {
        version: "1",
        generation: 1,
        upMs: 0,
        openRequests: 0,
        activeHosts: 0,
        pagesPerSecond: 0,
        past: [],
        jobs: jobs.map(({ definition }, n) => ({
          get job() {
            looks += 1;
            return definition.id;
          },
          counts: { ...noJobCounts, pages: n, skipped: { scope: 1 } },
          finished: name === "one",
        })),
      },
    }));
    const past = [{ member: "gone" as MemberId, generation: 1, upMs: 0, jobs: [] }];
    const { jobs: reports } = sumFigures(jobs, answers, { past, silent: [] });
    expect(reports).toHaveLength(500);
    const last = reports.find(({ definition }) => definition.id === jobs[499]?.definition.id);
    expect(last?.counts).toMatchObject({ pages: 998, skipped: { scope: 2 } });
    expect(last?.finished).toBe(false);
    expect(last?.shares.map(({ peer }) => peer)).toEqual(["one", "two"]);
    expect(looks).toBeLessThan(5_000);
  });

  it("tells of jobs by their names, in whatever order this peer has come to know them", () => {
    const registry = new JobRegistry();
    for (const name of ["zoo", "all", "fen"]) registry.define(name);
    const { jobs } = sumFigures(registry.all(), [], { past: [], silent: [] });
    expect(jobs.map(({ definition }) => definition.id)).toEqual(["all", "fen", "zoo"]);
  });
});
