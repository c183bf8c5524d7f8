import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultJobOptions } from "../../../src/core/jobs/job-definition.ts";
import type { JobDefinition, JobState } from "../../../src/core/jobs/job-definition.ts";
import { mergeJobDefinitions } from "../../../src/core/jobs/merge-job-definition.ts";
import {
  definitionCharactersMax,
  readJobDefinition,
  writeJobDefinition,
} from "../../../src/core/jobs/read-job-definition.ts";
import type { JobId } from "../../../src/core/units.ts";

const definitions = fc
  .record({
    revision: fc.integer({ min: 1, max: 3 }),
    state: fc.constantFrom<JobState>("running", "paused", "cancelled"),
    priority: fc.integer({ min: 0, max: 2 }),
  })
  .map(({ revision, state, priority }) => definition({ revision, state }, priority));

function definition(part: Partial<JobDefinition>, priority = 5): JobDefinition {
  const options = { ...defaultJobOptions, priority };
  return { id: "j" as JobId, revision: 1, state: "running", options, ...part };
}

describe("merging a job's definitions", () => {
  it("is commutative, associative and idempotent", () => {
    fc.assert(
      fc.property(definitions, definitions, definitions, (a, b, c) => {
        const ab = mergeJobDefinitions(a, b);
        expect(mergeJobDefinitions(b, a)).toEqual(ab);
        expect(mergeJobDefinitions(ab, c)).toEqual(
          mergeJobDefinitions(a, mergeJobDefinitions(b, c)),
        );
        expect(mergeJobDefinitions(ab, a)).toEqual(ab);
        expect(mergeJobDefinitions(a, a)).toEqual(a);
      }),
    );
  });

  it("takes the higher revision", () => {
    const [older, newer] = [definition({ state: "paused" }), definition({ revision: 2 })];
    expect(mergeJobDefinitions(older, newer)).toBe(newer);
  });

  it("takes, of one revision, the state that crawls less", () => {
    const paused = definition({ state: "paused" });
    expect(mergeJobDefinitions(definition({}, 9), paused)).toBe(paused);
  });

  it("never lets a cancelled job come back by changes that had not heard of it", () => {
    const cancelled = definition({ state: "cancelled", revision: 2 });
    expect(mergeJobDefinitions(definition({ revision: 7 }), cancelled)).toBe(cancelled);
  });
});

describe("a job's definition from outside", () => {
  it("is read as it was written", () => {
    fc.assert(
      fc.property(definitions, (one) => {
        expect(readJobDefinition(writeJobDefinition(one))).toEqual(one);
      }),
    );
  });

  it.each([
    "",
    "null",
    "[]",
    '"text"',
    "{}",
    JSON.stringify({ ...definition({}), id: "No Id" }),
    JSON.stringify({ ...definition({}), revision: 0 }),
    JSON.stringify({ ...definition({}), revision: 1.5 }),
    JSON.stringify({ ...definition({}), revision: 2 ** 40 + 1 }),
    JSON.stringify({ ...definition({}), state: "gone" }),
    JSON.stringify({ ...definition({}), options: { scope: "all" } }),
    JSON.stringify({ ...definition({}), options: null }),
    " ".repeat(definitionCharactersMax) + writeJobDefinition(definition({})),
  ])("is refused when it is none: %.60s", (text) => {
    expect(readJobDefinition(text)).toBeUndefined();
  });
});
