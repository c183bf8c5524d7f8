import { expect, it } from "vitest";
import { noJobCounts } from "../../../../src/core/answers/job-counts.ts";
import {
  pastMembersMax,
  totalsMax,
  type PastTotals,
} from "../../../../src/core/messages/stats-message.ts";
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

it("holds of two tellings of one member the later one, in whatever order they come", () => {
  const [earlierRun, earlier, latest] = [
    { ...manyOf("gone", 9), generation: 1 },
    { ...manyOf("gone", 1), generation: 2 },
    { ...manyOf("gone", 2), generation: 2 },
  ];
  for (const told of [
    [earlierRun, earlier, latest],
    [latest, earlier, earlierRun],
    [earlier, latest, earlierRun],
  ]) {
    const book = new PastTotalsBook();
    for (const totals of told) book.take([totals], nobody);
    expect(book.all()).toEqual([latest]);
  }
});

it("passes on the latest, as many as have room beside what a message has already", () => {
  const book = new PastTotalsBook();
  const few = { ...manyOf("any"), jobs: manyOf("any").jobs.slice(0, 2) };
  const told = Array.from({ length: pastMembersMax + 1 }, (_, at) => {
    return { ...few, member: `member-${at}` as MemberId };
  });
  book.take(told, nobody);
  const latest = told.slice(1).toReversed();
  expect(book.all()).toHaveLength(pastMembersMax);
  expect(book.latest(0)).toEqual(latest);
  expect(book.latest(totalsMax - 5)).toEqual(latest.slice(0, 2));
});
