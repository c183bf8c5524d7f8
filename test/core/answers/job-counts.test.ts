import { expect, it } from "vitest";
import { noJobCounts, sumJobCounts } from "../../../src/core/answers/job-counts.ts";

it("adds what a member tells under a name that every object has", () => {
  const told = { ...noJobCounts, skipped: { ["constructor" as "scope"]: 2 } };
  const twice = sumJobCounts([told, told]);
  expect(twice.skipped).toEqual({ constructor: 4 });
});

it("names reasons and status classes in one order, whoever tells first", () => {
  const one = { ...noJobCounts, skipped: { scope: 2 }, statuses: { "4xx": 1, "2xx": 3 } };
  const other = { ...noJobCounts, skipped: { depth: 1 }, statuses: { "3xx": 5 } };
  for (const told of [
    [one, other],
    [other, one],
  ]) {
    const { skipped, statuses } = sumJobCounts(told);
    expect(Object.entries(skipped)).toEqual([
      ["depth", 1],
      ["scope", 2],
    ]);
    expect(Object.entries(statuses)).toEqual([
      ["2xx", 3],
      ["3xx", 5],
      ["4xx", 1],
    ]);
  }
});

it("counts the time in which members crawl together once", () => {
  const told = [3_000, 5_000, 4_000].map((activeMs) => ({ ...noJobCounts, pages: 1, activeMs }));
  expect(sumJobCounts(told)).toMatchObject({ pages: 3, activeMs: 5_000 });
});
