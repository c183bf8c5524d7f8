import { describe, expect, it } from "vitest";
import { jobsMax } from "../../../../src/core/jobs/job-definition.ts";
import { LeftRows } from "../../../../src/peer/swarm/exchange/left-rows.ts";

describe("rows of the outbox that are on disk alone", () => {
  it("may be of any job that was known, once one of those was left", () => {
    const left = new LeftRows(() => []);
    expect(left.isEmpty).toBe(true);
    left.add(1, false);
    expect(left.isEmpty).toBe(false);
    expect(left.mayHave(2, false)).toBe(true);
    expect(left.mayHave(2, true)).toBe(false);
    expect(left.mayHaveKnown(() => true)).toBe(true);
  });

  it("are of the very jobs that were unknown, which may be known by now", () => {
    const left = new LeftRows(() => []);
    left.add(1, true);
    expect(left.isEmpty).toBe(false);
    expect([true, false].map((isUnheard) => left.mayHave(1, isUnheard))).toEqual([true, true]);
    expect([true, false].map((isUnheard) => left.mayHave(2, isUnheard))).toEqual([false, false]);
    expect(left.mayHaveKnown((space) => space === 1)).toBe(false);
    expect(left.mayHaveKnown(() => false)).toBe(true);
  });

  it("may be of each job that has become known since, where too many were unknown", () => {
    const known = [-1];
    const left = new LeftRows(() => known);
    for (let space = 0; space <= jobsMax; space += 1) left.add(space, true);
    const isUnheard = (space: number): boolean => !known.includes(space);
    expect([jobsMax - 1, jobsMax, -2].map((space) => left.mayHave(space, true))).toEqual([
      true,
      true,
      true,
    ]);
    expect([left.mayHave(-1, false), left.mayHaveKnown(isUnheard)]).toEqual([false, false]);
    known.push(jobsMax);
    expect([left.mayHave(jobsMax, false), left.mayHaveKnown(isUnheard)]).toEqual([true, true]);
    expect(left.mayHave(-1, false)).toBe(false);
  });

  it("may be of a job that became known between the first one too many and another one", () => {
    const known: number[] = [];
    const left = new LeftRows(() => known);
    for (let space = 0; space <= jobsMax; space += 1) left.add(space, true);
    known.push(jobsMax);
    left.add(jobsMax + 1, true);
    expect(left.mayHave(jobsMax, false)).toBe(true);
    expect(left.mayHaveKnown((space) => !known.includes(space))).toBe(true);
  });

  it("are remembered one by one of as many unknown jobs as there may be", () => {
    const left = new LeftRows(() => []);
    for (let space = 0; space < jobsMax; space += 1) left.add(space, true);
    left.add(jobsMax - 1, true);
    expect([jobsMax - 1, jobsMax].map((space) => left.mayHave(space, true))).toEqual([true, false]);
  });
});
