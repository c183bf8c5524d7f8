import { describe, expect, it } from "vitest";
import {
  jobsMax,
  patternCharactersOfAllMax,
  revisionMax,
} from "../../../src/core/jobs/job-definition.ts";
import {
  readJobDefinition,
  writeJobDefinition,
} from "../../../src/core/jobs/read-job-definition.ts";
import { namedKey } from "../../../src/core/record/keys.ts";
import type { JobId } from "../../../src/core/units.ts";
import { JobRegistry } from "../../../src/peer/jobs/job-registry.ts";
import { timelessStore } from "../../support/still-process.ts";

const id = "news" as JobId;

describe("JobRegistry", () => {
  it("makes of a job only what others can read, however often it was changed", () => {
    const jobs = new JobRegistry();
    const { definition } = jobs.define(id);
    const [revision, stateRevision] = [revisionMax, revisionMax];
    jobs.merge({ ...definition, state: "paused", revision, stateRevision });
    expect(() => jobs.define(id, { priority: 9 })).toThrow("the most there may be");
    expect(() => jobs.changeState(id, "resume")).toThrow("the most there may be");
    const cancelled = jobs.changeState(id, "cancel").definition;
    expect(cancelled).toMatchObject({ state: "cancelled", revision, stateRevision });
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
    expect(jobs.merge({ ...definition, revision: 2, stateRevision: 2, state: "paused" })).toBe(
      true,
    );
    expect(jobs.define(id, { priority: 9 }).definition.revision).toBe(3);
  });

  it("has no more characters of patterns than all jobs together may have", () => {
    const jobs = new JobRegistry();
    const { definition } = jobs.define(id);
    const exclude = Array.from({ length: 100 }, (_, at) => `${at}`.padStart(1_000, "a"));
    const options = { ...definition.options, exclude };
    let taken = 0;
    while (jobs.merge({ ...definition, id: `job-${taken}` as JobId, options })) taken += 1;
    expect(taken).toBe(Math.floor(patternCharactersOfAllMax / 100_000));
    expect(jobs.hasLeftOut).toBe(true);
    expect(jobs.merge({ ...definition, revision: 2, options })).toBe(false);
    const paused = {
      ...definition,
      revision: 2,
      options,
      stateRevision: 2,
      state: "paused",
    } as const;
    expect(jobs.merge(paused)).toBe(true);
    expect(jobs.get(id).definition).toMatchObject({ revision: 1, state: "paused" });
    expect(() => jobs.define(id, { exclude })).toThrow("the patterns of all jobs together");
    expect(jobs.define(id, { priority: 9 }).definition.revision).toBe(2);
    jobs.define("job-0", { exclude: [] });
    expect(jobs.define(id, { exclude }).definition.options.exclude).toHaveLength(100);
  });

  it("does not change what a job takes for one URL", () => {
    const jobs = new JobRegistry();
    const { definition } = jobs.define(id, { normalizeQuery: false });
    expect(() => jobs.define(id, { depthMax: 3, normalizeQuery: true })).toThrow(
      'normalizeQuery (--no-normalize-query) of job "news" is false, and stays so',
    );
    expect(jobs.get(id).definition).toEqual(definition);
    expect(jobs.define(id, { normalizeQuery: false, depthMax: 3 }).definition.revision).toBe(2);
  });

  it("keeps the state when others have changed the options without having heard of it", () => {
    const [here, there] = [new JobRegistry(), new JobRegistry()];
    there.merge(here.define(id).definition);
    here.changeState(id, "pause");
    there.define(id, { priority: 8 });
    there.define(id, { priority: 9 });
    expect(here.merge(there.get(id).definition)).toBe(true);
    expect(there.merge(here.get(id).definition)).toBe(true);
    expect(there.get(id).definition).toEqual(here.get(id).definition);
    expect(here.get(id).definition).toMatchObject({ state: "paused", options: { priority: 9 } });
    expect(here.merge(there.get(id).definition)).toBe(false);
  });

  it("reads a definition of the time when all changes were counted together", async () => {
    const stored = {
      ...new JobRegistry().define(id).definition,
      revision: 4,
      stateRevision: undefined,
    };
    const store = timelessStore();
    await store.start();
    const value = new TextEncoder().encode(JSON.stringify(stored));
    await store.write([{ type: "put", key: namedKey("job", id), value }], { sync: true });
    const jobs = new JobRegistry();
    await jobs.load(store);
    expect(jobs.get(id).definition).toEqual({ ...stored, stateRevision: 4 });
  });
});
