import { describe, expect, it } from "vitest";
import { boundPatternTime } from "../../node/bounded-patterns.ts";
import { defaultJobOptions } from "../../src/core/jobs/job-definition.ts";
import { compileJobRules } from "../../src/core/jobs/job-rules.ts";
import type { CanonicalUrl, JobId } from "../../src/core/units.ts";

describe("patterns of a job", () => {
  // Each letter doubles the time that they take without a bound: it is some seconds here.
  it.each([
    ["(\\w+[-/.:]*)+\\.pdf$", 19],
    ["(a+)+!$", 25],
  ])("judge a URL at once, however they repeat: %s", (pattern, letters) => {
    boundPatternTime();
    const options = { ...defaultJobOptions, exclude: [pattern] };
    const rules = compileJobRules({
      id: "j" as JobId,
      revision: 1,
      stateRevision: 1,
      state: "running",
      options,
    });
    const startMs = performance.now();
    const url = `http://a.example/${"a".repeat(letters)}-` as CanonicalUrl;
    expect(rules.judgeSeed(url)).toBeUndefined();
    expect(performance.now() - startMs).toBeLessThan(1_000);
  });
});
