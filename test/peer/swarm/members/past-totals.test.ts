import { expect, it } from "vitest";
import { noJobCounts } from "../../../../src/core/answers/job-counts.ts";
import { totalsMax, type PastTotals } from "../../../../src/core/messages/stats-message.ts";
import type { JobId, MemberId } from "../../../../src/core/units.ts";
import { PastTotalsBook } from "../../../../src/peer/swarm/members/past-totals.ts";

const nobody: ReadonlySet<MemberId> = new Set();

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
  for (let at = 0; at < 100; at += 1) book.take([manyOf(`member-${at}`)], nobody);
  const held = book.all();
  expect(held).toHaveLength(25);
  expect(held.at(-1)?.member).toBe("member-99");
  for (let upMs = 2; upMs < 100; upMs += 1) book.take([manyOf("member-99", upMs)], nobody);
  expect(book.all()).toHaveLength(25);
});

it("keeps those of a member that is gone before those of members that can be asked again", () => {
  const book = new PastTotalsBook();
  const present = Array.from({ length: 30 }, (_, at) => manyOf(`member-${at}`));
  book.take([manyOf("gone")], nobody);
  for (const totals of present) book.take([totals], new Set(present.map(({ member }) => member)));
  const members = book.all().map(({ member }) => member);
  expect(members).toHaveLength(25);
  expect(members).toContain("gone");
  expect(members.at(-1)).toBe("member-29");
});
