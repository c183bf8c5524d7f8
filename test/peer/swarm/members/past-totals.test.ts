import { expect, it } from "vitest";
import { noJobCounts } from "../../../../src/core/answers/job-counts.ts";
import {
  encodeStatsQuestion,
  pastMembersMax,
  totalsMax,
  type PastTotals,
} from "../../../../src/core/messages/stats-message.ts";
import type { JobId, MemberId } from "../../../../src/core/units.ts";
import { PastTotalsBook } from "../../../../src/peer/swarm/members/past-totals.ts";
import { namedKey } from "../../../../src/core/record/named-keys.ts";
import { tagRange } from "../../../../src/core/record/key-ranges.ts";
import { timelessStore } from "../../../support/still-process.ts";

const nobody: ReadonlySet<MemberId> = new Set();

/** As many totals as one message may have of a member. */
const manyTotals = Array.from({ length: totalsMax }, (_, at) => ({
  job: `job-${at}` as JobId,
  counts: noJobCounts,
}));

function manyOf(member: string, upMs = 1): PastTotals {
  return { member: member as MemberId, generation: 1, upMs, jobs: manyTotals };
}

it("remembers a bounded number of totals, those told of last, however many members it is told of", () => {
  const book = new PastTotalsBook();
  for (let at = 0; at < 30; at += 1) book.take([manyOf(`member-${at}`)], nobody);
  const held = book.all();
  expect(held).toHaveLength(25);
  expect(held.at(-1)?.member).toBe("member-29");
  for (let upMs = 2; upMs < 5; upMs += 1) book.take([manyOf("member-29", upMs)], nobody);
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
  const few = { ...manyOf("any"), jobs: manyTotals.slice(0, 2) };
  const told = Array.from({ length: pastMembersMax + 1 }, (_, at) => {
    return { ...few, member: `member-${at}` as MemberId };
  });
  book.take(told, nobody);
  const latest = told.slice(1).toReversed();
  expect(book.all()).toHaveLength(pastMembersMax);
  expect(book.latest(0)).toEqual(latest);
  expect(book.latest(totalsMax - 5)).toEqual(latest.slice(0, 2));
});

/** Totals of so many jobs with as many made-up reasons as one may tell of. */
function longOf(member: string, jobs: number, reasons: number): PastTotals {
  const names = Array.from({ length: reasons }, (_, at) => [`reason-${at}`, 9e15] as const);
  const counts = { ...noJobCounts, skipped: Object.fromEntries(names) };
  const told = manyTotals.slice(0, jobs);
  return { ...manyOf(member), jobs: told.map(({ job }) => ({ job, counts })) };
}

it("remembers no totals that are longer than members tell", () => {
  const book = new PastTotalsBook();
  book.take([longOf("gone", 2, 18), longOf("made-up", 2, 64), longOf("invented", 900, 64)], nobody);
  expect(book.all().map(({ member }) => member)).toEqual(["gone"]);
  expect(book.changes).toBe(1);
});

it("passes on no more than a message has room for, however few totals that are", () => {
  const book = new PastTotalsBook();
  const told = Array.from({ length: pastMembersMax }, (_, at) => longOf(`member-${at}`, 3, 30));
  book.take(told, nobody);
  expect(book.all()).toHaveLength(pastMembersMax);
  const { length } = encodeStatsQuestion({ past: book.latest(1_000) });
  expect(length).toBeGreaterThan(2_900_000);
  expect(length).toBeLessThan(3_100_000);
});

it("has the totals of members that are gone after a crash, and none that it has forgotten", async () => {
  const store = timelessStore();
  await store.start();
  const book = new PastTotalsBook();
  const isGone = (member: MemberId): boolean => member.startsWith("gone");
  const few = (member: string, upMs: number): PastTotals => {
    return { ...manyOf(member, upMs), jobs: [{ job: "news" as JobId, counts: noJobCounts }] };
  };
  book.take([few("gone", 2), few("here", 1)], nobody);
  await store.write(book.takeUnsaved(isGone), { sync: true });
  expect(book.takeUnsaved(isGone)).toEqual([]);
  book.take([few("gone", 1)], nobody);
  expect(book.takeUnsaved(isGone)).toEqual([]);
  const back = new PastTotalsBook();
  await back.load(store);
  expect(back.all()).toEqual([few("gone", 2)]);
  for (let at = 0; at < 26; at += 1) back.take([manyOf(`gone-${at}`)], nobody);
  const puts = [];
  for (let ops = back.takeUnsaved(isGone); ops.length > 0; ops = back.takeUnsaved(isGone)) {
    puts.push(ops.filter(({ type }) => type === "put").length);
    await store.write(ops, { sync: true });
  }
  // A message has as many totals as one of them.
  expect(puts).toEqual(Array.from({ length: 25 }, () => 1));
  const rows = await store.range(tagRange("pastTotals"), 99);
  expect(rows).toHaveLength(25);
  expect(await store.get(namedKey("pastTotals", "gone"))).toBeUndefined();
});

it("cannot read totals that are none", async () => {
  const store = timelessStore();
  await store.start();
  const key = namedKey("pastTotals", "gone");
  await store.write([{ type: "put", key, value: Uint8Array.of(0x7b) }], { sync: true });
  await expect(new PastTotalsBook().load(store)).rejects.toThrow("totals cannot be read");
});
