import { expect, it } from "vitest";
import { noJobCounts } from "../../../../src/core/answers/job-counts.ts";
import { totalsMax, type PastTotals } from "../../../../src/core/messages/stats-message.ts";
import type { JobId, MemberId } from "../../../../src/core/units.ts";
import { SwarmFigures } from "../../../../src/peer/swarm/answers/swarm-figures.ts";
import { PastTotalsBook } from "../../../../src/peer/swarm/members/past-totals.ts";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";

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
function memberAmong(others: readonly string[], past: PastTotalsBook): SwarmFigures {
  const parts = {
    ...{ calls: {}, spread: {}, past },
    homecoming: { isDone: true },
    view: { self: "self", others, generation: 1 },
  };
  return new SwarmFigures(
    new VirtualClock(),
    { jobs: {}, stats: () => figures } as unknown as ConstructorParameters<typeof SwarmFigures>[1],
    parts as unknown as ConstructorParameters<typeof SwarmFigures>[2],
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
