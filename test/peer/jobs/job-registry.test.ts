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
import { jobSpace } from "../../../src/core/record/url-keys.ts";
import { namedKey } from "../../../src/core/record/named-keys.ts";
import { tagRange } from "../../../src/core/record/key-ranges.ts";
import type { JobId, MemberId } from "../../../src/core/units.ts";
import {
  isFinished,
  isRunnable,
  JobRegistry,
  reachedPageLimit,
} from "../../../src/peer/jobs/job-registry.ts";
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

  it("changes the options that are given, and not the others or the state", () => {
    const jobs = new JobRegistry();
    const first = jobs.define(id, { depthMax: 3, delayMs: 500 });
    expect(jobs.define(id, { depthMax: 3 })).toBe(first);
    jobs.changeState(id, "pause");
    expect(jobs.define(id, { depthMax: 4 }).definition).toMatchObject({
      revision: 2,
      stateRevision: 2,
      state: "paused",
      options: { depthMax: 4, delayMs: 500 },
    });
  });

  it("makes no other job of one that is cancelled", () => {
    const jobs = new JobRegistry();
    jobs.define(id);
    const { definition } = jobs.changeState(id, "cancel");
    for (const options of [{}, { depthMax: 4 }]) {
      expect(() => jobs.define(id, options)).toThrow("cancelled");
    }
    expect(jobs.get(id).definition).toEqual(definition);
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

  it("remembers the most pages that each other member has told of", async () => {
    const jobs = new JobRegistry();
    jobs.define(id);
    const count = (name: string, pages: number) => ({ job: id, member: name as MemberId, pages });
    const told = [count("a", 5), count("b", 3), count("a", 5), count("a", 4), count("a", 7)];
    expect(told.map((each) => jobs.countElsewhere(each))).toEqual([true, true, false, false, true]);
    const store = timelessStore();
    await store.start();
    await store.write(jobs.takeUnsaved(), { sync: true });
    expect(jobs.takeUnsaved()).toEqual([]);
    const next = new JobRegistry();
    await next.load(store);
    for (const known of [jobs, next]) {
      expect([...known.pagesElsewhere()]).toEqual([count("a", 7), count("b", 3)]);
      expect(known.get(id).pagesElsewhere).toBe(10);
    }
    expect([7, 8].map((pages) => next.countElsewhere(count("a", pages)))).toEqual([false, true]);
  });

  it("forgets the pages elsewhere of a job that is cancelled, also on disk and told again", async () => {
    const jobs = new JobRegistry();
    jobs.define(id, { pagesMax: 100 });
    const told = { job: id, member: "a" as MemberId, pages: 5 };
    expect(jobs.countElsewhere(told)).toBe(true);
    const store = timelessStore();
    await store.start();
    await store.write(jobs.takeUnsaved(), { sync: true });
    jobs.changeState(id, "cancel");
    expect([jobs.countElsewhere(told), [...jobs.pagesElsewhere()]]).toEqual([false, []]);
    await store.write(jobs.takeUnsaved(), { sync: true });
    expect(await store.range(tagRange("pagesHeard"), 9)).toEqual([]);
  });

  it("takes the pages elsewhere of a limited job after thousands that were cancelled", () => {
    const jobs = new JobRegistry();
    const members = Array.from({ length: 1_000 }, (_, at) => `member-${at}` as MemberId);
    const counts = Array.from({ length: 101 }, (_, at) => {
      const { definition } = jobs.define(`limited-${at}`, { pagesMax: 5_000 });
      for (const member of members) jobs.countElsewhere({ job: definition.id, member, pages: 5 });
      const { pagesElsewhere } = jobs.get(definition.id);
      jobs.changeState(definition.id, "cancel");
      return pagesElsewhere;
    });
    expect(new Set(counts)).toEqual(new Set([5_000]));
  });

  it("forgets the pages elsewhere of the oldest jobs at their limit for those of others, and goes on with none of them", async () => {
    const jobs = new JobRegistry();
    const members = Array.from({ length: 1_000 }, (_, at) => `member-${at}` as MemberId);
    const ids = Array.from({ length: 101 }, (_, at) => {
      const job = jobs.define(`limited-${at}`, { pagesMax: 5_000 });
      job.counter.add("queued", 1);
      expect(jobs.makeRoomForCounts()).toBe(true);
      for (const member of members) {
        jobs.countElsewhere({ job: job.definition.id, member, pages: 5 });
      }
      expect([job.pagesElsewhere, isFinished(job)]).toEqual([5_000, true]);
      return job.definition.id;
    });
    expect(jobs.makeRoomForCounts()).toBe(true);
    const [first, second, third] = ids as [JobId, JobId, JobId];
    const store = timelessStore();
    await store.start();
    await store.write(jobs.takeUnsaved(), { sync: true });
    const next = new JobRegistry();
    await next.load(store);
    const another = new JobRegistry();
    for (const { definition } of next.all()) another.merge(definition);
    for (const known of [jobs, next, another]) {
      expect([first, second].map((each) => known.get(each).pagesElsewhere)).toEqual([0, 0]);
      expect([first, second].map((each) => isRunnable(known.get(each)))).toEqual([false, false]);
      expect(reachedPageLimit(known.get(second))).toBe(true);
      const told = { job: first, member: "member-7" as MemberId, pages: 6 };
      expect(known.countElsewhere(told)).toBe(false);
      // A higher limit counts from what was reached, and anew as members tell.
      const job = known.define(first, { pagesMax: 5_003 });
      expect([isRunnable(job), known.countElsewhere(told)]).toEqual([true, true]);
      known.countElsewhere({ ...told, member: "member-8" as MemberId, pages: 4_997 });
      expect([job.pagesElsewhere, reachedPageLimit(job)]).toEqual([5_003, true]);
    }
    expect([jobs, next].map((known) => known.get(third).pagesElsewhere)).toEqual([5_000, 5_000]);
  });

  it.each([
    ["news", "5"],
    ["news a", "many"],
  ])("cannot read a count of pages of %j that says %j", async (name, pages) => {
    const store = timelessStore();
    await store.start();
    const value = new TextEncoder().encode(pages);
    await store.write([{ type: "put", key: namedKey("pagesHeard", name), value }], { sync: true });
    await expect(new JobRegistry().load(store)).rejects.toThrow("a count of pages cannot be read");
  });

  it("counts what is queued of a job that is unknown still when it becomes known", () => {
    const jobs = new JobRegistry();
    const space = jobSpace(id);
    for (const by of [3, -1, -2]) jobs.addQueued(space, by);
    expect([jobs.queuedUnheard(space), jobs.hasUnread]).toEqual([0, false]);
    jobs.addQueued(space, 2);
    expect([jobs.hasUnread, jobs.takeFoundQueued()]).toEqual([true, false]);
    const { counter } = jobs.define(id);
    jobs.addQueued(space, 1);
    expect([counter.queued, jobs.queuedUnheard(space), jobs.hasUnread]).toEqual([3, 0, true]);
    expect([jobs.takeFoundQueued(), jobs.takeFoundQueued(), jobs.hasUnread]).toEqual([
      true,
      false,
      false,
    ]);
    jobs.forgetQueued();
    expect(counter.queued).toBe(0);
  });

  it("has to count what is queued of a job first, where too many were unknown", () => {
    const jobs = new JobRegistry();
    const known = jobs.define("known").definition.id;
    const space = jobSpace(id);
    jobs.addQueued(space, 1);
    expect(jobs.isUncounted({ id: "other" as JobId })).toBe(false);
    for (let at = 0; at <= 65_536; at += 1) jobs.addQueued(2 ** 20 + at, 1);
    const ids = [known, id, "other" as JobId];
    expect(ids.map((each) => jobs.isUncounted({ id: each }))).toEqual([false, false, true]);
    expect(ids.map((each) => jobs.countsQueued(jobSpace(each)))).toEqual([true, true, false]);
    expect(jobs.queuedUnheard(jobSpace("other" as JobId))).toBe(1);
    for (const each of ids) jobs.setUnheard(jobSpace(each), 7);
    expect(jobs.isUncounted({ id: "other" as JobId })).toBe(false);
    expect(ids.map((each) => jobs.define(each).counter.queued)).toEqual([0, 7, 7]);
  });
});
