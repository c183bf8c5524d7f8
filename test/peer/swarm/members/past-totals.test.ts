import { expect, it } from "vitest";
import { noJobCounts } from "../../../../src/core/answers/job-counts.ts";
import { totalsMax, type PastTotals } from "../../../../src/core/messages/stats-message.ts";
import type { JobId, MemberId } from "../../../../src/core/units.ts";
import { PastTotalsBook } from "../../../../src/peer/swarm/members/past-totals.ts";

/** As many totals as one message may have of a member. */
function manyOf(member: string, upMs = 1): PastTotals {
  const jobs = Array.from({ length: totalsMax }, (_, at) => ({
    job: `job-${at}` as JobId,
    counts: noJobCounts,
  }));
  return { member: member as MemberId, generation: 1, upMs, jobs };
}

it("remembers a bounded number of totals, those told of last, however many members it is told of", () => {
  const book = new PastTotalsBook();
  for (let at = 0; at < 100; at += 1) book.take([manyOf(`member-${at}`)]);
  const held = book.all();
  expect(held).toHaveLength(25);
  expect(held.at(-1)?.member).toBe("member-99");
  for (let upMs = 2; upMs < 100; upMs += 1) book.take([manyOf("member-99", upMs)]);
  expect(book.all()).toHaveLength(25);
});
