import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import type { MemberId } from "../../../../src/core/units.ts";
import { JobRegistry } from "../../../../src/peer/jobs/job-registry.ts";
import { PageTally } from "../../../../src/peer/swarm/jobs/page-tally.ts";

const [a, b, gone] = ["a" as MemberId, "b" as MemberId, "gone" as MemberId];

describe("PageTally", () => {
  function newTally() {
    const none = (): void => undefined;
    const warnings: string[] = [];
    const warn = (event: string): void => void warnings.push(event);
    const logger = { debug: none, info: none, error: none, warn };
    const view = {
      others: [a, b],
      generationOf: (member: MemberId) => (member === gone ? undefined : 1),
    };
    const jobs = new JobRegistry();
    const job = jobs.define("news", { pagesMax: 100 });
    const tally = new PageTally(
      { clock: new VirtualClock(), logger, overlay: { publish: none } },
      { jobs, journal: { append: () => Promise.resolve() }, view },
    );
    const counts = (pages: number) => [{ job: job.definition.id, pages }];
    return { counts, job, jobs, tally, warnings };
  }

  it("takes the greatest count of each member, and of one that is gone by others", () => {
    const { counts, job, tally } = newTally();
    for (const pages of [5, 20, 7]) tally.take(a, counts(pages));
    tally.takePast(b, [{ job: job.definition.id, member: gone, pages: 30 }]);
    expect(job.pagesElsewhere).toBe(50);
    // It runs, and speaks for itself.
    tally.takePast(b, [{ job: job.definition.id, member: a, pages: 90 }]);
    expect(job.pagesElsewhere).toBe(50);
  });

  it("believes no more of a member than the job's limit, as long as it is the limit", () => {
    const { counts, job, jobs, tally, warnings } = newTally();
    tally.take(a, counts(101));
    expect(job.pagesElsewhere).toBe(100);
    jobs.define("news", { pagesMax: 200 });
    tally.take(a, counts(150));
    expect(job.pagesElsewhere).toBe(150);
    expect(warnings).toEqual([]);
  });

  it("does not believe what no job can reach nor who is no member, and tells the log once", () => {
    const { counts, job, tally, warnings } = newTally();
    tally.take(a, counts(Number.MAX_SAFE_INTEGER));
    tally.take(a, counts(Number.MAX_SAFE_INTEGER - 1));
    tally.take(gone, counts(50));
    expect(job.pagesElsewhere).toBe(0);
    expect(warnings).toEqual(["pages-beyond-limit"]);
    tally.take(a, counts(40));
    expect(job.pagesElsewhere).toBe(40);
  });
});
