import { expect, it } from "vitest";
import { noJobCounts, sumJobCounts } from "../../../src/core/answers/job-counts.ts";

it("adds what a member tells under a name that every object has", () => {
  const told = { ...noJobCounts, skipped: { ["constructor" as "scope"]: 2 } };
  const twice = sumJobCounts([told, told]);
  expect(twice.skipped).toEqual({ constructor: 4 });
});
