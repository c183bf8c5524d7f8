import { beforeEach, describe, expect, it } from "vitest";
import { progressView } from "../../../node/dashboard/progress-view.ts";
import { ProgressWatch } from "../../../node/dashboard/progress-watch.ts";
import type { JobId } from "../../../src/core/units.ts";
import { FakePeerControl, jobReport } from "../../support/fake-peer-control.ts";

let control: FakePeerControl;

beforeEach(() => {
  control = new FakePeerControl();
  control.reports.set(
    "a",
    jobReport("a", { pages: 10, queued: 2, activeMs: 5_000, skipped: { robots: 1, depth: 2 } }),
  );
  control.reports.set("b", jobReport("b", { pages: 20, failed: 4, activeMs: 1_000 }));
});

const ofAllJobs = ["currentRate", "activeHosts", "openRequests"];

describe("progressView", () => {
  it("shows one job with its own time", () => {
    expect(progressView(control.stats(), "a", "t")).toMatchObject({
      pages: 10,
      queued: 2,
      failed: 0,
      skipped: 3,
      elapsedMs: 5_000,
      meanRate: 2,
    });
  });

  it("shows for a job what is told of all jobs together, where no other has anything left", () => {
    expect(progressView(control.stats(), "a", "t")).toMatchObject({
      currentRate: 12.5,
      activeHosts: 2,
      openRequests: 3,
    });
    control.reports.set("b", jobReport("b", { queued: 1 }));
    const view = progressView(control.stats(), "a", "t");
    for (const name of ofAllJobs) expect(view).not.toHaveProperty(name);
  });

  it("says that jobs are paused where all are of which something is left", async () => {
    await control.changeJob("a" as JobId, "pause");
    for (const id of ["a", undefined]) {
      expect(progressView(control.stats(), id, "t")).toMatchObject({ note: "paused" });
    }
    control.reports.set("b", jobReport("b", { queued: 1 }));
    expect(progressView(control.stats(), undefined, "t")).not.toHaveProperty("note");
  });

  it("shows a job that there is not as nothing", () => {
    expect(progressView(control.stats(), "c", "t")).toMatchObject({ pages: 0, meanRate: 0 });
  });
});

describe("ProgressWatch", () => {
  it("shows the time since it began, and the mean of the pages since then", () => {
    const watch = new ProgressWatch(control.stats(), "a", "t", 1_000);
    expect(watch.last).toMatchObject({ pages: 10, elapsedMs: 0, meanRate: 0 });
    control.reports.set("a", jobReport("a", { pages: 30, queued: 2, activeMs: 5_000 }));
    const view = watch.observe(control.stats(), 5_000);
    expect(view).toMatchObject({ pages: 30, elapsedMs: 4_000, meanRate: 5 });
    expect(watch.last).toBe(view);
  });

  it("goes on when the member that has worked longest on a job has ended", () => {
    const swarm = (pages: number) => {
      const ended = jobReport("a", { pages: 100, activeMs: 60_000 });
      const running = jobReport("a", { pages, activeMs: 1_000 });
      const shares = [
        { peer: "ended", counts: ended.counts, past: true as const },
        { peer: "running", counts: running.counts },
      ];
      return { jobs: [{ ...jobReport("a", { pages: 100 + pages, queued: 1 }), shares }] };
    };
    const watch = new ProgressWatch(swarm(0), "a", "t", 0);
    watch.observe(swarm(10), 1_000);
    expect(watch.observe(swarm(20), 2_000)).toMatchObject({ elapsedMs: 2_000, meanRate: 10 });
  });

  it("takes the rate of one of several jobs from its own pages", () => {
    control.reports.set("b", jobReport("b", { queued: 1 }));
    const watch = new ProgressWatch(control.stats(), "a", "t", 0);
    control.reports.set("a", jobReport("a", { pages: 12, queued: 1 }));
    const view = watch.observe(control.stats(), 1_000);
    expect(view.currentRate).toBeCloseTo(2);
    expect(view).not.toHaveProperty("activeHosts");
  });

  it("adds all jobs up, with what is told of all of them together", () => {
    const watch = new ProgressWatch(control.stats(), undefined, "t", 0);
    control.reports.set("a", jobReport("a", { pages: 30, queued: 5 }));
    expect(watch.observe(control.stats(), 10_000)).toMatchObject({
      pages: 50,
      queued: 5,
      failed: 4,
      elapsedMs: 10_000,
      meanRate: 2,
      currentRate: 12.5,
      activeHosts: 2,
      openRequests: 3,
    });
  });
});
