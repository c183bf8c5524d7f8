import { describe, expect, it } from "vitest";
import {
  byName,
  defaultJobOptions,
  patternCharacters,
} from "../../../src/core/jobs/job-definition.ts";
import type { JobDefinition } from "../../../src/core/jobs/job-definition.ts";
import type { JobId } from "../../../src/core/units.ts";

describe("jobs", () => {
  it("are seen in the order of their names", () => {
    const jobs = ["b", "c", "a"].map((id) => ({ definition: definition(id as JobId) }));
    expect(byName(jobs).map((job) => job.definition.id)).toEqual(["a", "b", "c"]);
  });
});

describe("patternCharacters", () => {
  it("counts the patterns of both kinds, and none where there are no options", () => {
    const options = { ...defaultJobOptions, include: ["ab", "c"], exclude: ["defg"] };
    expect(patternCharacters(options)).toBe(7);
    expect(patternCharacters(undefined)).toBe(0);
  });
});

function definition(id: JobId): JobDefinition {
  return { id, revision: 1, stateRevision: 1, state: "running", options: defaultJobOptions };
}
