import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultJobOptions } from "../../../src/core/jobs/job-definition.ts";
import type { JobDefinition, JobState } from "../../../src/core/jobs/job-definition.ts";
import {
  addsToJobDefinition,
  mergeJobDefinitions,
} from "../../../src/core/jobs/merge-job-definition.ts";
import {
  definitionCharactersMax,
  readJobDefinition,
  writeJobDefinition,
} from "../../../src/core/jobs/read-job-definition.ts";
import type { JobId } from "../../../src/core/units.ts";

const definitions = fc
  .record({
    revision: fc.integer({ min: 1, max: 3 }),
    stateRevision: fc.integer({ min: 1, max: 3 }),
    state: fc.constantFrom<JobState>("running", "paused", "cancelled"),
    priority: fc.integer({ min: 0, max: 2 }),
    limit: fc.constantFrom({}, { limitReached: 1 }, { limitReached: 2 }),
  })
  .map(({ limit, priority, ...part }) => definition({ ...part, ...limit }, priority));

function definition(part: Partial<JobDefinition>, priority = 5): JobDefinition {
  const options = { ...defaultJobOptions, priority };
  const revisions = { revision: 1, stateRevision: 1 };
  return { id: "j" as JobId, ...revisions, state: "running", options, ...part };
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

  it("says whether it has anything new", () => {
    fc.assert(
      fc.property(definitions, definitions, (a, b) => {
        const isNew = JSON.stringify(mergeJobDefinitions(a, b)) !== JSON.stringify(b);
        expect(addsToJobDefinition(a, b)).toBe(isNew);
      }),
    );
  });

  it("takes options for the same that are written in another order", () => {
    const one = definition({});
    const options = Object.fromEntries(Object.entries(one.options).toReversed());
    const other = { ...one, options: options as typeof one.options };
    expect(addsToJobDefinition(one, other)).toBe(false);
    expect(addsToJobDefinition(other, one)).toBe(false);
  });

  it("takes the state and the options of the higher revision each", () => {
    const paused = definition({ state: "paused", stateRevision: 2 }, 1);
    const changed = definition({ revision: 3 }, 9);
    const both = definition({ state: "paused", stateRevision: 2, revision: 3 }, 9);
    expect(mergeJobDefinitions(paused, changed)).toEqual(both);
    const resumed = definition({ stateRevision: 3 }, 1);
    expect(mergeJobDefinitions(both, resumed)).toEqual({ ...both, ...stateOf(resumed) });
  });

  it("takes, of one revision, the state that crawls less", () => {
    const paused = definition({ state: "paused" });
    expect(mergeJobDefinitions(definition({}, 9), paused).state).toBe("paused");
  });

  it("never lets a cancelled job come back by changes that had not heard of it", () => {
    const cancelled = definition({ state: "cancelled", stateRevision: 2 });
    const resumed = definition({ stateRevision: 7 });
    expect(mergeJobDefinitions(resumed, cancelled)).toEqual(cancelled);
  });
});

function stateOf({ state, stateRevision }: JobDefinition) {
  return { state, stateRevision };
}

describe("a job's definition from outside", () => {
  it("is read as it was written", () => {
    fc.assert(
      fc.property(definitions, (one) => {
        expect(readJobDefinition(writeJobDefinition(one))).toEqual(one);
      }),
    );
  });

  it("counts all changes as ones of the state where those are not counted apart", () => {
    const text = { ...definition({ revision: 4, state: "paused" }), stateRevision: undefined };
    expect(readJobDefinition(JSON.stringify(text))).toEqual({ ...text, stateRevision: 4 });
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
    JSON.stringify({ ...definition({}), stateRevision: 0 }),
    JSON.stringify({ ...definition({}), limitReached: 0 }),
    JSON.stringify({ ...definition({}), limitReached: "7" }),
    JSON.stringify({ ...definition({}), limitReached: 1.5 }),
    JSON.stringify({ ...definition({}), limitReached: 1_000_000_000_001 }),
    JSON.stringify({ ...definition({}), stateRevision: null }),
    JSON.stringify({ ...definition({}), revision: 2 ** 40 + 1 }),
    JSON.stringify({ ...definition({}), state: "gone" }),
    JSON.stringify({ ...definition({}), options: { scope: "all" } }),
    JSON.stringify({ ...definition({}), options: null }),
    " ".repeat(definitionCharactersMax) + writeJobDefinition(definition({})),
  ])("is refused when it is none: %.60s", (text) => {
    expect(readJobDefinition(text)).toBeUndefined();
  });
});
