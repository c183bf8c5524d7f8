import { expect, it } from "vitest";
import { noJobCounts } from "../../../../src/core/answers/job-counts.ts";
import { totalsMax, type PastTotals } from "../../../../src/core/messages/stats-message.ts";
import type { JobId, MemberId } from "../../../../src/core/units.ts";
import { SwarmFigures } from "../../../../src/peer/swarm/answers/swarm-figures.ts";
import { PastTotalsBook } from "../../../../src/peer/swarm/members/past-totals.ts";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";

type DeskParts = ConstructorParameters<typeof SwarmFigures>[1];
type FiguresParts = ConstructorParameters<typeof SwarmFigures>[2];

/** As many totals as one message may have of a member. */
function manyOf(member: string): PastTotals {
  const jobs = Array.from({ length: totalsMax }, (_, at) => ({
    job: `job-${at}` as JobId,
    counts: noJobCounts,
  }));
  return { member: member as MemberId, generation: 1, upMs: 1, jobs };
}

const figures = {
  version: "1.0.0",
  ...{ upMs: 1, openRequests: 0, activeHosts: 0, pagesPerSecond: 0 },
  jobs: [],
};

/** A member of a swarm with these others. */
function memberAmong(
  others: readonly string[],
  past: PastTotalsBook,
  more: { calls?: object; spread?: object; jobs?: object; members?: () => readonly object[] } = {},
): SwarmFigures {
  const { calls = {}, spread = {}, jobs = {}, members } = more;
  const parts = {
    ...{ calls, spread, past },
    exchange: { pendingOf: () => 0 },
    homecoming: { isDone: true },
    view: { self: "self", others, generation: 1, members, ring: { sharesOf: () => new Map() } },
  };
  return new SwarmFigures(
    new VirtualClock(),
    { jobs, stats: () => figures } as unknown as DeskParts,
    parts as unknown as FiguresParts,
  );
}

it("keeps what others told of a member that is gone before what they told of those that are there", () => {
  const others = Array.from({ length: 30 }, (_, at) => `member-${at}`);
  const past = new PastTotalsBook();
  const member = memberAmong(others, past);
  member.answer({ past: [manyOf("gone")] });
  for (const other of others) member.answer({ past: [manyOf(other)] });
  expect(past.all()).toHaveLength(25);
  expect(past.all().map(({ member: known }) => known)).toContain("gone");
});

it("takes nobody's word for its own totals", () => {
  const past = new PastTotalsBook();
  const { past: told } = memberAmong(["other"], past).answer({
    past: [manyOf("self"), { ...manyOf("gone"), jobs: [] }],
  });
  expect(told.map(({ member }) => member)).toEqual(["gone"]);
});

it.each([true, false])(
  "tells of jobs that go on where there are more than a message has room for, and has all of its own, home: %s",
  async (isDone) => {
    const jobs = Array.from({ length: totalsMax + 2 }, (_, at) => ({
      definition: { id: `job-${at}` as JobId, state: "running" },
      counts: { ...noJobCounts, queued: at > totalsMax ? 1 : 0, pages: at === totalsMax ? 1 : 0 },
      finished: at <= totalsMax,
    }));
    const view = { self: "self", others: [], generation: 1 };
    const exchange = { pendingOf: () => 0 };
    const parts = { ...{ calls: {}, spread: {} }, past: new PastTotalsBook(), exchange, view };
    const member = new SwarmFigures(
      new VirtualClock(),
      {
        jobs: { all: () => jobs, find: () => jobs[0] },
        stats: () => ({ ...figures, jobs }),
      } as unknown as DeskParts,
      { ...parts, homecoming: { isDone } } as unknown as FiguresParts,
    );
    const told = member.answer({ past: [] }).jobs;
    expect(told).toHaveLength(totalsMax);
    expect(told.slice(0, 2)).toMatchObject([
      { job: `job-${totalsMax + 1}`, finished: false, counts: { queued: 1 } },
      { job: `job-${totalsMax}`, counts: { pages: 1 } },
    ]);
    const { queued, jobs: reports } = await member.stats();
    expect(queued).toBe(1);
    const last = reports.find(({ definition }) => definition.id === `job-${totalsMax + 1}`);
    expect(last).toMatchObject({ finished: false, counts: { queued: 1 } });
  },
);

it("asks all others, learns of jobs that it does not know, and remembers what those say who answer", async () => {
  const past = new PastTotalsBook();
  const learnt: string[] = [];
  const told = { ...manyOf("gone"), jobs: [] };
  const { jobs } = manyOf("new");
  const stats = (member: string): object | undefined => {
    if (member === "silent") return undefined;
    return { ...figures, generation: 1, jobs: member === "new" ? jobs : [], past: [told] };
  };
  const member = memberAmong(["new", "old", "silent"], past, {
    calls: { stats: (name: string) => Promise.resolve(stats(name)) },
    spread: { exchange: (name: string) => Promise.resolve(learnt.push(name)) },
    jobs: { all: () => [], find: () => undefined },
  });
  const { members, silent } = await member.stats();
  expect(members.map(({ peer }) => peer)).toEqual(["self", "new", "old"]);
  expect(silent).toEqual(["silent"]);
  expect(learnt).toEqual(["new"]);
  expect(past.all().map(({ member: known }) => known)).toEqual(
    expect.arrayContaining(["new", "old", "gone"]),
  );
});

it("hands its totals, and those that it remembers, to two members that stay, before it goes", async () => {
  const past = new PastTotalsBook();
  past.take([{ ...manyOf("gone"), jobs: [] }], new Set());
  const told: [string, string[]][] = [];
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const stats = (heir: string, question: { readonly past: readonly PastTotals[] }): object => {
    told.push([heir, question.past.map(({ member }) => member)]);
    return promise;
  };
  const leaver = memberAmong(["b", "c", "d", "e"], past, {
    calls: { stats },
    members: () => [{ id: "b", role: "leaving" }],
  });
  let isOver = false;
  const handingOver = leaver.handOver().then(() => {
    isOver = true;
  });
  await Promise.resolve();
  expect(told).toEqual(["c", "d"].map((heir) => [heir, ["self", "gone"]]));
  expect(isOver).toBe(false);
  resolve(undefined);
  await handingOver;
});

it("names itself first, and the others in the order of their names", () => {
  const member = memberAmong(["a", "b"], new PastTotalsBook(), {
    members: () => ["self", "b", "a"].map((id) => ({ id, role: "active", weight: 1 })),
  });
  expect(member.members().map(({ id }) => id)).toEqual(["self", "a", "b"]);
});
