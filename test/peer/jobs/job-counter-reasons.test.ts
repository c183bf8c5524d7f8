import { expect, it } from "vitest";
import { noJobCounts } from "../../../src/core/answers/job-counts.ts";
import { JobCounter } from "../../../src/peer/jobs/job-counter.ts";

it("counts a reason that is the name of something which every object has", () => {
  const counter = new JobCounter(undefined);
  counter.addSkipped("constructor" as "scope", 3);
  expect(counter.counts().skipped).toEqual({ constructor: 3 });
});

it("keeps few of the unknown reasons that an earlier version has saved, so that others can read the totals", () => {
  const strange = Array.from({ length: 70 }, (_, at) => [`strange-${"x".repeat(at)}`, 1]);
  const named = Object.fromEntries(strange) as Record<string, number>;
  const skipped = { scope: 2, ...named };
  const saved = new TextEncoder().encode(JSON.stringify({ ...noJobCounts, skipped }));
  const counter = new JobCounter(saved);
  expect(Object.keys(counter.counts().skipped)).toHaveLength(1 + 16);
  expect(counter.counts().skipped).toHaveProperty("scope", 2);
  expect(counter.takesReason("strange-y")).toBe(false);
});
