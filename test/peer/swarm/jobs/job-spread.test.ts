import { describe, expect, it } from "vitest";
import type { JobDefinition } from "../../../../src/core/jobs/job-definition.ts";
import {
  decodeClaim,
  pageCountsMax,
  pastPageCountsMax,
} from "../../../../src/core/messages/claim.ts";
import { encodeJobs, type JobNews } from "../../../../src/core/messages/jobs.ts";
import { jobSpace } from "../../../../src/core/record/url-keys.ts";
import type { JobId, MemberId } from "../../../../src/core/units.ts";
import { JobRegistry } from "../../../../src/peer/jobs/job-registry.ts";
import { membersOf, SpreadBench } from "./spread-bench.ts";

const id = "news" as JobId;
const messageBytesMax = 4 * 1_048_576;

/** So many jobs, with patterns that nobody compiles here: a dozen of them fit a message. */
function longJobs(count: number): JobRegistry {
  const exclude = Array.from({ length: 100 }, (_, at) => `${at}`.padStart(1_000, "€"));
  const { definition } = new JobRegistry().define(id);
  const options = { ...definition.options, exclude };
  const jobs = Array.from({ length: count }, (_, at) => ({
    definition: { ...definition, id: `job-${at}` as JobId, options },
  }));
  const find = (): undefined => undefined;
  const { length: size } = jobs;
  return { all: () => jobs, find, digest: 1n, hasLeftOut: false, size } as unknown as JobRegistry;
}

describe("a change of a job", () => {
  it("is told to all, and one that is too long for that to a few, from whom it goes on", async () => {
    const bench = new SpreadBench(7);
    const { definition } = bench.jobs.define(id);
    bench.spread.tell(definition);
    expect(bench.published.map((claim) => decodeClaim(claim, 0))).toEqual([
      { jobDefinition: definition },
    ]);
    expect(bench.asked).toEqual([]);
    const long = new SpreadBench(7, "active", longJobs(1));
    const definitions = long.jobs.all().map((job) => job.definition);
    for (const one of definitions) long.spread.tell(one);
    await long.clock.run(long.clock.sleep(100));
    expect(long.published).toEqual([]);
    const told = long.asked.filter((asked) => asked.definitions.length > 0);
    expect([told.length, new Set(long.members).size]).toEqual([5, 5]);
    for (const one of told) expect(one.definitions).toEqual(definitions);
  });

  it("that another member has made is taken in, and what that has not is answered", () => {
    const bench = new SpreadBench(1);
    const [known, newer, same] = ["known", "newer", "same"].map(
      (name) => bench.jobs.define(name).definition,
    ) as [JobDefinition, JobDefinition, JobDefinition];
    const changed = bench.jobs.define("newer", { priority: 9 }).definition;
    const other = { ...known, id };
    const definitions = [newer, same, other];
    const news = { definitions, digest: undefined, pageCounts: [], pastPageCounts: [] };
    const answer = (): JobNews => bench.spread.answer("m0" as MemberId, news);
    expect(answer().definitions).toEqual([known, changed]);
    expect(bench.jobs.find(id)?.definition).toEqual(other);
    expect(bench.merged).toBe(1);
    expect(answer().definitions).toEqual([known, changed]);
    expect(bench.merged).toBe(1);
  });

  it("is taken in with the answer of a member that is asked, and no answer is none", async () => {
    const bench = new SpreadBench(1);
    bench.answer = [new JobRegistry().define(id).definition];
    const [member] = bench.view.others as [MemberId];
    expect(await bench.clock.run(bench.spread.exchange(member))).toBe(true);
    expect([bench.jobs.all().length, bench.merged]).toEqual([1, 1]);
    bench.answer = undefined;
    expect(await bench.clock.run(bench.spread.exchange(member))).toBe(false);
  });

  it("goes with the counts of pages, which are taken in behind it, and before anything goes on by it", async () => {
    const bench = new SpreadBench(1);
    const [member] = bench.view.others as [MemberId];
    const pageCounts = [{ job: id, pages: 3 }];
    const pastPageCounts = [{ job: id, pages: 4, member: "gone" as MemberId }];
    bench.counts = { pageCounts, pastPageCounts };
    bench.answer = [new JobRegistry().define(id).definition];
    await bench.clock.run(bench.spread.exchange(member));
    expect(bench.asked).toEqual([{ member, definitions: [], digest: 0n, ...bench.counts }]);
    const taken = [
      { told: [member, pageCounts], jobs: 1, merged: 0 },
      { told: [member, pastPageCounts], jobs: 1, merged: 0 },
    ];
    expect(bench.counted).toEqual(taken);
    expect(bench.merged).toBe(1);
    const { digest } = bench.jobs;
    const news = { definitions: bench.answer, digest, ...bench.counts };
    expect(bench.spread.answer(member, news)).toEqual({ ...news, definitions: [] });
    expect(bench.counted).toEqual([...taken, ...taken.map((one) => ({ ...one, merged: 1 }))]);
  });

  it("that is not taken for want of room is told of once", () => {
    const full = Object.assign(longJobs(2), { isUncounted: () => false, merge: () => false });
    const bench = new SpreadBench(0, "active", full);
    const [definition] = full.all().map((job) => job.definition);
    if (!definition) throw new Error("a definition");
    bench.spread.take([definition]);
    expect(bench.warned).toEqual([]);
    Object.assign(full, { hasLeftOut: true });
    for (let times = 0; times < 2; times += 1) bench.spread.take([definition]);
    expect(bench.warned).toEqual([["jobs-not-taken", { known: 2 }]]);
    expect(bench.merged).toBe(0);
  });
});

describe("a peer that asks others for jobs", () => {
  it("asks a member whose job is unknown here once at a time, and never itself", async () => {
    const bench = new SpreadBench(1);
    const [member] = bench.view.others as [MemberId];
    await bench.clock.run(
      (async () => {
        await Promise.all([bench.spread.learn(member), bench.spread.learn(member)]);
        expect(bench.members).toEqual([member]);
        await bench.spread.learn("self" as MemberId);
        await bench.spread.learn(member);
        expect(bench.members).toEqual([member, member]);
      })(),
    );
  });

  it("asks for none that it knows, and waits a little for its swarm", async () => {
    const knowing = new SpreadBench(3);
    knowing.jobs.define(id);
    await knowing.clock.run(knowing.spread.hearOf(id));
    expect(knowing.asked).toEqual([]);
    await knowing.clock.run(knowing.spread.hearLatest(id));
    expect(new Set(knowing.members).size).toBe(3);
    const bench = new SpreadBench(0, "joining");
    const startMs = bench.clock.nowMs();
    await bench.clock.run(bench.spread.hearOf(id));
    expect(bench.clock.nowMs() - startMs).toBe(4_000);
    await bench.clock.run(
      (async () => {
        const heard = bench.spread.hearOf(id);
        await bench.clock.sleep(1_000);
        bench.view.others = membersOf(1);
        await heard;
      })(),
    );
    expect(bench.asked).toHaveLength(1);
  });

  it("makes and changes none where it has not found its swarm in time, nor where it has left", async () => {
    const looking = new SpreadBench(0, "joining");
    const startMs = looking.clock.nowMs();
    const heard = looking.clock.run(looking.spread.hearLatest(id));
    await expect(heard).rejects.toMatchObject({ code: "SWARM_BUSY", details: { job: id } });
    expect(looking.clock.nowMs() - startMs).toBe(20_000);
    for (const gone of [new SpreadBench(2, "left"), new SpreadBench(0, "leaving")]) {
      await expect(gone.spread.hearLatest(id)).rejects.toMatchObject({ code: "PEER_STOPPED" });
      expect(gone.asked).toEqual([]);
    }
    const alone = new SpreadBench();
    await alone.spread.hearLatest(id);
    const leaving = new SpreadBench(2, "leaving");
    await leaving.clock.run(leaving.spread.hearLatest(id));
    expect(leaving.asked).toHaveLength(2);
  });

  it("compares with one of them now and then, until it stops", async () => {
    const bench = new SpreadBench(4);
    const stop = new AbortController();
    await bench.clock.run(
      (async () => {
        const running = bench.spread.run(stop.signal);
        await bench.clock.sleep(100_000);
        expect(bench.asked.length).toBeGreaterThan(10);
        expect(bench.asked.length).toBeLessThan(40);
        expect(new Set(bench.members).size).toBe(4);
        bench.view.others = [];
        const { length } = bench.asked;
        await bench.clock.sleep(20_000);
        expect(bench.asked).toHaveLength(length);
        stop.abort();
        await running;
      })(),
    );
  });

  it("says as much as fits a message, and all of it in a few of them", async () => {
    const bench = new SpreadBench(1, "active", longJobs(14));
    const [member] = bench.view.others as [MemberId];
    const told = new Set<JobId>();
    for (let times = 0; times < 3; times += 1) {
      await bench.clock.run(bench.spread.exchange(member));
      const said = bench.asked.at(-1)?.definitions ?? [];
      expect(said.length).toBe(12);
      for (const definition of said) told.add(definition.id);
    }
    const first = bench.asked.at(-1);
    const most = { job: "j".repeat(64) as JobId, pages: Number.MAX_SAFE_INTEGER };
    const pastOne = { ...most, member: "m".repeat(128) as MemberId };
    const fullest = {
      digest: 2n ** 64n - 1n,
      definitions: first?.definitions ?? [],
      pageCounts: Array.from({ length: pageCountsMax }, () => most),
      pastPageCounts: Array.from({ length: pastPageCountsMax }, () => pastOne),
    };
    expect(encodeJobs(fullest).length).toBeLessThan(messageBytesMax);
    expect(told.size).toBe(14);
  });
});

describe("a job of which perhaps something is queued here that is not counted", () => {
  /** Three jobs that are unknown at a peer, which counts what is queued of some within a second. */
  function newBench() {
    const bench = new SpreadBench(1);
    // More numbers than there may be jobs.
    for (let space = 0; space <= 65_536; space += 1) bench.jobs.addQueued(space, 1);
    const counted: (readonly JobId[])[] = [];
    bench.count = async (ids) => {
      counted.push(ids);
      await bench.clock.sleep(1_000);
      for (const each of ids) bench.jobs.setUnheard(jobSpace(each), 2);
    };
    const [a, b, c] = ["a", "b", "c"].map((name) => new JobRegistry().define(name).definition) as [
      JobDefinition,
      JobDefinition,
      JobDefinition,
    ];
    return { bench, counted, a, b, c };
  }

  it("is taken in when that is counted, with all that have come meanwhile", async () => {
    const { bench, counted, a, b, c } = newBench();
    for (const definition of [a, b, c]) bench.spread.take([definition]);
    bench.spread.take([b]);
    expect([bench.jobs.all(), bench.merged]).toEqual([[], 0]);
    await bench.clock.run(bench.clock.sleep(1_500));
    expect(bench.jobs.all().map(({ counter }) => counter.queued)).toEqual([2]);
    // Nine times as long as the count has taken.
    await bench.clock.run(bench.clock.sleep(8_400));
    expect(counted).toEqual([[a.id]]);
    bench.spread.take([b]);
    expect(counted).toEqual([[a.id]]);
    await bench.clock.run(bench.clock.sleep(200));
    bench.spread.take([b]);
    await bench.clock.run(bench.clock.sleep(1_000));
    expect(bench.jobs.all().map(({ counter }) => counter.queued)).toEqual([2, 2, 2]);
    expect(counted).toEqual([[a.id], [b.id, c.id]]);
    expect([bench.merged, bench.failures]).toEqual([2, []]);
  });

  it("is taken in as all that was said of it meanwhile has it, in whatever order that came", async () => {
    const bench = new SpreadBench(1);
    for (let space = 0; space <= 65_536; space += 1) bench.jobs.addQueued(space, 1);
    bench.count = async (ids) => {
      await bench.clock.sleep(1_000);
      for (const each of ids) bench.jobs.setUnheard(jobSpace(each), 0);
    };
    const other = new JobRegistry().define("other").definition;
    const { definition } = new JobRegistry().define(id);
    // The first count is under way when they come.
    const cancelled = { ...definition, state: "cancelled", stateRevision: 2 } as const;
    for (const each of [other, cancelled, definition]) bench.spread.take([each]);
    await bench.clock.run(bench.spread.hearOf(id));
    expect(bench.jobs.get(id).definition).toEqual(cancelled);
  });

  it("is taken in after a rest also where nobody tells of it again", async () => {
    const { bench, a, b } = newBench();
    const stop = new AbortController();
    const running = bench.spread.run(stop.signal);
    bench.spread.take([a]);
    bench.spread.take([b]);
    await bench.clock.run(bench.clock.sleep(30_000));
    stop.abort();
    await bench.clock.run(running);
    expect(bench.jobs.all().map(({ definition }) => definition)).toEqual([a, b]);
  });

  it("is counted at once where it is asked for or changed here", async () => {
    const { bench, counted, a, b, c } = newBench();
    bench.spread.take([a]);
    await bench.clock.run(bench.clock.sleep(1_500));
    bench.answer = [b, c];
    await bench.clock.run(bench.spread.hearOf(b.id));
    expect(bench.jobs.all().map(({ definition }) => definition)).toEqual([a, b]);
    await bench.clock.run(bench.spread.hearLatest(c.id));
    expect(bench.jobs.all().map(({ definition }) => definition)).toEqual([a, b, c]);
    expect(counted).toEqual([[a.id], [b.id], [c.id]]);
  });

  it("stays unknown where that cannot be counted", async () => {
    const bench = new SpreadBench(1);
    for (let space = 0; space <= 65_536; space += 1) bench.jobs.addQueued(space, 1);
    bench.count = () => Promise.reject(new Error("no disk"));
    bench.spread.take([new JobRegistry().define(id).definition]);
    await bench.clock.run(bench.clock.sleep(1));
    expect([bench.jobs.all(), bench.failures]).toEqual([[], [new Error("no disk")]]);
  });
});
