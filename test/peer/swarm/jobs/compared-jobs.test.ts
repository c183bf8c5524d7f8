import { describe, expect, it } from "vitest";
import { decodeJobs, encodeJobs, type JobNews } from "../../../../src/core/messages/jobs.ts";
import type { JobId, MemberId } from "../../../../src/core/units.ts";
import { JobRegistry } from "../../../../src/peer/jobs/job-registry.ts";
import { timelessStore } from "../../../support/still-process.ts";
import { SpreadBench } from "./spread-bench.ts";

const id = "news" as JobId;

describe("two members that compare what they know of jobs", () => {
  const [member, self] = ["m0" as MemberId, "self" as MemberId];

  /** A peer with a job, among one member that answers with what a second peer makes of its news. */
  function twoPeers() {
    const [one, other] = [new SpreadBench(1), new SpreadBench(1)];
    one.jobs.define(id);
    one.other = (news) => decodeJobs(encodeJobs(other.spread.answer(self, news))) as JobNews;
    /** Definitions on their way to the other and back, in one exchange. */
    const exchanged = async (): Promise<[number, number][]> => {
      const sent: [number, number][] = [];
      const { other: answer } = one;
      one.other = (news) => {
        const reply = answer?.(news) as JobNews;
        sent.push([news.definitions.length, reply.definitions.length]);
        return reply;
      };
      expect(await one.clock.run(one.spread.exchange(member))).toBe(true);
      one.other = answer;
      return sent;
    };
    return { one, other, exchanged };
  }

  it("send each other what the other one does not know, and none where both know the same", async () => {
    const { one, other, exchanged } = twoPeers();
    for (const name of ["a", "b"]) other.jobs.define(name);
    expect(await exchanged()).toEqual([
      [0, 2],
      [1, 0],
    ]);
    const known = ["a", "b", id].map((name) => one.jobs.get(name as JobId).definition);
    expect(other.jobs.all().map(({ definition }) => definition)).toEqual(known);
    expect(await exchanged()).toEqual([[0, 0]]);
    other.jobs.changeState(id, "pause");
    expect((await exchanged()).map(([there]) => there)).toEqual([0]);
    expect(one.jobs.get(id).definition.state).toBe("paused");
    one.jobs.define(id, { priority: 9 });
    expect((await exchanged()).map(([there]) => there)).toEqual([0, 1]);
    expect(other.jobs.get(id).definition.options.priority).toBe(9);
    expect(await exchanged()).toEqual([[0, 0]]);
  });

  it("know the same after a restart, and whatever the order in which they heard of it", async () => {
    const store = timelessStore();
    await store.start();
    const [one, other] = [new JobRegistry(), new JobRegistry()];
    for (const name of ["a", "b"]) one.define(name, { include: ["x"] });
    one.changeState("a" as JobId, "pause");
    for (const { definition } of one.all().toReversed()) other.merge(definition);
    await store.write(one.takeUnsaved(), { sync: true });
    const next = new JobRegistry();
    await next.load(store);
    expect([one.digest === 0n, other.digest, next.digest]).toEqual([false, one.digest, one.digest]);
  });

  it("hear of each other's where one of them is of an earlier version", async () => {
    const { one, other, exchanged } = twoPeers();
    other.jobs.define("a");
    const { other: answer } = one;
    one.other = (news) => {
      const { digest: _, ...reply } = answer?.({ ...news, digest: undefined }) as JobNews;
      return { ...reply, digest: undefined };
    };
    expect((await exchanged()).map(([there]) => there)).toEqual([0, 1]);
    expect([one, other].map(({ jobs }) => jobs.all().length)).toEqual([2, 2]);
    expect((await exchanged()).map(([there]) => there)).toEqual([0]);
    // It sends all that it knows, and hears what it does not.
    one.jobs.define("b");
    const definitions = other.jobs.all().map(({ definition }) => definition);
    const old = { definitions, digest: undefined, pageCounts: [], pastPageCounts: [] };
    const news = one.spread.answer(member, old);
    expect(news.definitions).toEqual([one.jobs.get("b" as JobId).definition]);
  });
});
