import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import { noJobCounts } from "../../../../src/core/answers/job-counts.ts";
import {
  decodeClaim,
  pageCountsMax,
  pastPageCountsMax,
} from "../../../../src/core/messages/claim.ts";
import type { MemberId, Millis } from "../../../../src/core/units.ts";
import type { PageCount } from "../../../../src/core/messages/claim.ts";
import { isRunnable, JobRegistry } from "../../../../src/peer/jobs/job-registry.ts";
import { PageTally } from "../../../../src/peer/swarm/jobs/page-tally.ts";
import { timelessStore } from "../../../support/still-process.ts";

const [a, b, gone] = ["a" as MemberId, "b" as MemberId, "gone" as MemberId];

describe("PageTally", () => {
  function newTally() {
    const none = (): void => undefined;
    const warnings: string[] = [];
    const warn = (event: string): void => void warnings.push(event);
    const logger = { debug: none, info: none, error: none, warn };
    const clock = new VirtualClock(0);
    /** What the others were told, and when. */
    const told: [Millis, kind: string, pages: number[]][] = [];
    const publish = (claim: Uint8Array): void => {
      for (const [kind, counts] of Object.entries(decodeClaim(claim, clock.nowMs()) ?? {})) {
        const pages = Array.isArray(counts)
          ? counts.map((count) => (count as PageCount).pages)
          : [];
        if (pages.length > 0) told.push([clock.nowMs(), kind, pages]);
      }
    };
    const view = {
      others: [a, b],
      /** How often it was asked for. */
      looks: 0,
      generationOf: (member: MemberId) => {
        view.looks += 1;
        return member.startsWith("gone") ? undefined : 1;
      },
    };
    const jobs = new JobRegistry();
    const job = jobs.define("news", { pagesMax: 100 });
    const store = timelessStore();
    void store.start();
    const tally = new PageTally(
      { clock, logger, overlay: { publish }, store },
      { jobs, journal: { append: () => Promise.resolve() }, view },
    );
    const counts = (pages: number) => [{ job: job.definition.id, pages }];
    return { clock, counts, job, jobs, tally, told, view, warnings };
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

  it("goes with definitions for the latest jobs first, of more than a message has room for", () => {
    const { jobs, tally } = newTally();
    for (let at = 0; at <= pageCountsMax; at += 1) {
      jobs.define(`job-${at}`, { pagesMax: 9 }).counter.add("pages", 1);
    }
    const { pageCounts } = tally.counts();
    expect(pageCounts).toHaveLength(pageCountsMax);
    expect(pageCounts.at(-1)?.job).toBe(`job-${pageCountsMax}`);
  });

  it("tells its own count where it has changed, and all again where a member is new and every ten seconds", async () => {
    const { clock, job, jobs, tally, told, view } = newTally();
    const [free, cancelled] = [jobs.define("free"), jobs.define("over", { pagesMax: 9 })];
    jobs.changeState(cancelled.definition.id, "cancel");
    for (const { counter } of [job, free, cancelled]) counter.add("pages", 3);
    tally.takePast(b, [{ job: job.definition.id, member: gone, pages: 30 }]);
    tally.takePast(b, [{ job: cancelled.definition.id, member: gone, pages: 5 }]);
    const stop = new AbortController();
    const running = tally.run(stop.signal);
    const past = "pastPageCounts";
    await clock.run(clock.sleep(2_500));
    job.counter.add("pages", 1);
    await clock.run(clock.sleep(2_000));
    view.others = [a, b, "c" as MemberId];
    await clock.run(clock.sleep(11_000));
    stop.abort();
    await clock.run(running);
    expect(told).toEqual([
      [1_000, "pageCounts", [3]],
      [1_000, past, [30]],
      [3_000, "pageCounts", [4]],
      [5_000, "pageCounts", [4]],
      [5_000, past, [30]],
      [15_000, "pageCounts", [4]],
      [15_000, past, [30]],
    ]);
  });

  it("tells its own count again as soon as a limit is raised: who knew it may have forgotten it at that limit", async () => {
    const { clock, counts, job, jobs, tally, told } = newTally();
    job.counter.add("pages", 60);
    const other = newTally();
    other.tally.take(b, counts(60));
    other.job.counter.add("pages", 40);
    other.jobs.merge({ ...other.job.definition, limitReached: 100 });
    const stop = new AbortController();
    const running = tally.run(stop.signal);
    await clock.run(clock.sleep(2_500));
    for (const registry of [jobs, other.jobs]) registry.define("news", { pagesMax: 110 });
    // What it fetches before it hears of the others counts within those that the limit was reached by.
    other.job.counter.add("pages", 20);
    expect(isRunnable(other.job)).toBe(true);
    await clock.run(clock.sleep(1_000));
    stop.abort();
    await clock.run(running);
    expect(told).toEqual([
      [1_000, "pageCounts", [60]],
      [3_000, "pageCounts", [60]],
    ]);
    other.tally.take(b, counts(60));
    expect(isRunnable(other.job)).toBe(false);
  });

  it("passes on what more members that are gone had fetched than one message has room for", async () => {
    const { clock, job, tally, told } = newTally();
    const ids = Array.from({ length: 150 }, (_, at) => `gone-${at}` as MemberId);
    tally.takePast(
      b,
      ids.map((member, at) => ({ job: job.definition.id, member, pages: 1 + (at % 90) })),
    );
    const stop = new AbortController();
    const running = tally.run(stop.signal);
    await clock.run(clock.sleep(12_000));
    stop.abort();
    await clock.run(running);
    const [first = [], second = []] = told.map(([, , pages]) => pages);
    expect([first.length, second.length]).toEqual([100, 100]);
    // Fifty that have not been told yet, and then the first ones again.
    expect([first[0], first[99], second[0], second[49], second[50]]).toEqual([1, 10, 11, 60, 1]);
  });

  it("passes them on to all in their turn, whoever asks meanwhile", async () => {
    const { clock, job, tally, told } = newTally();
    const past = Array.from({ length: 200 }, (_, at) => {
      return { job: job.definition.id, member: `gone-${at}` as MemberId, pages: 1 + (at % 90) };
    });
    tally.takePast(b, past);
    const stop = new AbortController();
    const running = tally.run(stop.signal);
    await clock.run(clock.sleep(5_000));
    expect(tally.counts().pastPageCounts).toEqual(past.slice(0, 100));
    await clock.run(clock.sleep(7_000));
    stop.abort();
    await clock.run(running);
    const pages = past.map((count) => count.pages);
    expect(told.map(([, , each]) => each)).toEqual([pages.slice(0, 100), pages.slice(100)]);
  });

  it("tells one member of some without a look at all that is remembered", () => {
    const { job, jobs, tally, view } = newTally();
    const other = jobs.define("other", { pagesMax: 9 });
    for (let at = 0; at < 5_000; at += 1) {
      tally.takePast(b, [{ job: job.definition.id, member: `gone-${at}` as MemberId, pages: 1 }]);
    }
    for (const { definition } of [job, other]) tally.take(a, [{ job: definition.id, pages: 1 }]);
    view.looks = 0;
    expect(tally.counts().pastPageCounts).toHaveLength(pastPageCountsMax);
    expect(view.looks).toBeLessThan(2 * pastPageCountsMax);
  });

  it("counts what members that are gone had fetched before there was a limit, up to that", async () => {
    const { clock, job, tally, told } = newTally();
    const past = [a, gone, "gone-2" as MemberId].map((member, at) => {
      const counts = { ...noJobCounts, pages: at === 2 ? 20 : 300 };
      return { member, generation: 1, upMs: 1, jobs: [{ job: job.definition.id, counts }] };
    });
    tally.past.take(past, new Set());
    const stop = new AbortController();
    const running = tally.run(stop.signal);
    await clock.run(clock.sleep(1_500));
    stop.abort();
    await clock.run(running);
    expect(job.pagesElsewhere).toBe(120);
    expect(told).toEqual([[1_000, "pastPageCounts", [100, 20]]]);
  });

  it("looks through those totals again only where they, a job or a member have changed", async () => {
    const { clock, job, jobs, tally, view } = newTally();
    const counts = { ...noJobCounts, pages: 1 };
    const totals = (member: string, upMs: number) => {
      const totalsOf = [{ job: job.definition.id, counts }];
      return { member: member as MemberId, generation: 1, upMs, jobs: totalsOf };
    };
    const members = Array.from({ length: 100 }, (_, at) => totals(`gone-${at}`, 1));
    tally.past.take([...members, totals("c", 1)], new Set(["c" as MemberId]));
    const stop = new AbortController();
    const running = tally.run(stop.signal);
    await clock.run(clock.sleep(1_500));
    expect(job.pagesElsewhere).toBe(100);
    /** Members that are looked at within the next second, in which counts of pages are passed on to nobody. */
    const looks = async (): Promise<number> => {
      view.looks = 0;
      await clock.run(clock.sleep(1_000));
      return view.looks;
    };
    expect(await looks()).toBe(0);
    // One that is there has other totals each second.
    tally.past.take([totals("c", 2)], new Set(["c" as MemberId]));
    expect(await looks()).toBe(0);
    tally.past.take([totals("gone", 1)], new Set());
    expect(await looks()).toBeGreaterThan(100);
    expect(job.pagesElsewhere).toBe(101);
    jobs.define("news", { pagesMax: 200 });
    expect(await looks()).toBeGreaterThan(100);
    view.others = [a];
    expect(await looks()).toBeGreaterThan(100);
    stop.abort();
    await clock.run(running);
  });

  it("makes room for counts where jobs are at their limit, and tells the log once where there is none", async () => {
    const { clock, jobs, tally, warnings } = newTally();
    const full = Array.from({ length: 10 }, (_, at) => {
      const { definition } = jobs.define(`full-${at}`, { pagesMax: 10_000 });
      for (let one = 0; one < 10_000; one += 1) {
        jobs.countElsewhere({ job: definition.id, member: `gone-${one}` as MemberId, pages: 1 });
      }
      return definition.id;
    });
    const stop = new AbortController();
    const running = tally.run(stop.signal);
    await clock.run(clock.sleep(1_500));
    expect(full.map((id) => jobs.get(id).definition.limitReached).slice(0, 2)).toEqual([
      10_000,
      undefined,
    ]);
    expect(warnings).toEqual([]);
    const { definition } = jobs.define("unlimited");
    for (let one = 0; one < 90_000; one += 1) {
      jobs.countElsewhere({ job: definition.id, member: `gone-${one}` as MemberId, pages: 1 });
    }
    for (const id of full) jobs.changeState(id, "cancel");
    for (let one = 0; one < 100_000; one += 1) {
      jobs.countElsewhere({ job: definition.id, member: `gone-${one}` as MemberId, pages: 1 });
    }
    await clock.run(clock.sleep(3_000));
    stop.abort();
    await clock.run(running);
    expect(warnings).toEqual(["page-counts-full"]);
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
