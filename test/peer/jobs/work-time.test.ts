import { expect, it } from "vitest";
import { JobRegistry } from "../../../src/peer/jobs/job-registry.ts";
import { WorkTime } from "../../../src/peer/jobs/work-time.ts";

it("counts each moment that a job is worked on once, whenever it is told of", () => {
  const time = new WorkTime();
  const job = new JobRegistry().define("news");
  /** What the job has queued from now on, since when somebody says that it is worked on, and the look after. */
  const look = (queued: number, sinceMs: number | undefined, nowMs: number) => {
    job.counter.add("queued", queued - job.counter.queued);
    if (sinceMs !== undefined) time.begin(job, sinceMs);
    const ended = time.count([job], nowMs).length;
    return { ended, activeMs: job.counter.counts().activeMs };
  };
  time.begin(job, 0);
  expect(look(1, 500, 1_000)).toEqual({ ended: 0, activeMs: 1_000 });
  expect(look(0, undefined, 1_500)).toEqual({ ended: 1, activeMs: 1_500 });
  // The look before has counted that.
  expect(look(0, 1_200, 2_000)).toEqual({ ended: 0, activeMs: 1_500 });
  expect(look(1, 1_200, 2_500)).toEqual({ ended: 0, activeMs: 2_000 });
  expect(look(0, undefined, 3_000)).toEqual({ ended: 1, activeMs: 2_500 });
  // It ends before the next look.
  expect(look(0, 3_000, 3_100)).toEqual({ ended: 1, activeMs: 2_600 });
});
