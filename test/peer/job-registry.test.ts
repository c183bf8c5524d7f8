import { describe, expect, it } from "vitest";
import { jobsMax, revisionMax } from "../../src/core/jobs/job-definition.ts";
import { readJobDefinition, writeJobDefinition } from "../../src/core/jobs/read-job-definition.ts";
import type { JobId } from "../../src/core/units.ts";
import { JobRegistry } from "../../src/peer/job-registry.ts";

const id = "news" as JobId;

describe("JobRegistry", () => {
  it("makes of a job only what others can read, however often it was changed", () => {
    const jobs = new JobRegistry();
    const { definition } = jobs.define(id);
    jobs.merge({ ...definition, state: "paused", revision: revisionMax });
    expect(() => jobs.define(id, { priority: 9 })).toThrow("can only be cancelled now");
    expect(() => jobs.changeState(id, "resume")).toThrow("can only be cancelled now");
    const cancelled = jobs.changeState(id, "cancel").definition;
    expect(cancelled).toMatchObject({ state: "cancelled", revision: revisionMax });
    expect(readJobDefinition(writeJobDefinition(cancelled))).toEqual(cancelled);
  });

  it("has no more jobs than a swarm may have, and keeps those that it has", () => {
    const jobs = new JobRegistry();
    const { definition } = jobs.define(id);
    for (let at = 1; at < jobsMax; at += 1) {
      expect(jobs.merge({ ...definition, id: `job-${at}` as JobId })).toBe(true);
    }
    expect(jobs.merge({ ...definition, id: "one-more" as JobId })).toBe(false);
    expect(() => jobs.define("one-more")).toThrow("there are 10000 jobs already");
    expect(jobs.all()).toHaveLength(jobsMax);
    expect(jobs.merge({ ...definition, revision: 2, state: "paused" })).toBe(true);
    expect(jobs.define(id, { priority: 9 }).definition.revision).toBe(3);
  });
});
