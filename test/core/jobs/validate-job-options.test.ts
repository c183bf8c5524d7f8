import { describe, expect, it } from "vitest";
import { CrawlError } from "../../../src/core/errors.ts";
import { defaultJobOptions } from "../../../src/core/jobs/job-definition.ts";
import { jobIdOf, validateJobOptions } from "../../../src/core/jobs/validate-job-options.ts";

function problemsOf(options: unknown): string {
  try {
    validateJobOptions(options);
  } catch (error) {
    if (error instanceof CrawlError && error.code === "CONFIG_INVALID") return error.message;
    throw error;
  }
  return "none";
}

describe("validateJobOptions", () => {
  it("fills in the defaults", () => {
    expect(validateJobOptions({})).toEqual(defaultJobOptions);
    expect(validateJobOptions({ depthMax: 3, delayMs: undefined })).toEqual({
      ...defaultJobOptions,
      depthMax: 3,
    });
  });

  it("freezes what it returns, and keeps no list of the caller", () => {
    const [include, exclude] = [["x"], ["a"]];
    const options = validateJobOptions({ include, exclude });
    include.push("y");
    exclude.push("b");
    expect(options).toMatchObject({ include: ["x"], exclude: ["a"] });
    for (const part of [options, options.include, options.exclude]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it("accepts the defaults themselves", () => {
    expect(problemsOf(defaultJobOptions)).toBe("none");
  });

  it.each([
    [{ scope: "web" }, 'scope must be one of page, host, site, any, got "web"'],
    [{ depthMax: "3" }, 'depthMax must be a whole number from 0 to 1,000,000, got "3"'],
    [{ depthMax: -1 }, "depthMax must be"],
    [{ depthMax: 1.5 }, "depthMax must be"],
    [
      { delayMs: Number.NaN },
      "delayMs must be a whole number of milliseconds from 0 to 86,400,000, got NaN",
    ],
    [{ delayMs: 86_400_001 }, "delayMs must be"],
    [{ pagesMax: null }, "pagesMax must be"],
    [{ pagesPerHostMax: 0 }, "pagesPerHostMax must be"],
    [{ connectionsPerHost: 0 }, "connectionsPerHost must be"],
    [{ priority: 10 }, "priority must be a whole number from 0 to 9, got 10"],
    [{ normalizeQuery: 1 }, "normalizeQuery must be true or false, got 1"],
    [{ otherContent: "" }, "otherContent must be one of archive, skip"],
    [{ urlBytesMax: 16_385 }, "urlBytesMax must be"],
    [{ pathSegmentsMax: 0 }, "pathSegmentsMax must be"],
    [{ segmentRepeatsMax: 0 }, "segmentRepeatsMax must be"],
    [{ queriesPerPathMax: 0 }, "queriesPerPathMax must be"],
    [{ include: "x" }, "include must be a list of at most 100 regular expressions"],
    [{ include: ["("] }, "include has bad patterns: Invalid regular expression: /(/"],
    [{ exclude: [""] }, "exclude has bad patterns: one is empty"],
    [{ exclude: [undefined] }, "undefined is no text"],
    [{ exclude: ["x".repeat(1_001)] }, "is longer than 1000 characters"],
    [{ exclude: Array.from({ length: 101 }, () => "x") }, "exclude must be a list"],
    [{ depth: 3 }, 'unknown job option "depth" (known: scope, include'],
    [JSON.parse('{"__proto__": 1}'), 'unknown job option "__proto__"'],
    [{ constructor: 1 }, 'unknown job option "constructor"'],
    [null, "job options must be an object, got null"],
    [[], "job options must be an object, got a list"],
    ["x", 'job options must be an object, got "x"'],
  ] as [unknown, string][])("refuses %j and says why", (options, message) => {
    expect(problemsOf(options)).toContain(message);
  });

  it("shows of what is nested deeper than the stack only what kind it is", () => {
    const list: unknown = JSON.parse("[".repeat(100_000) + "]".repeat(100_000));
    const object: unknown = JSON.parse('{"a":'.repeat(100_000) + "1" + "}".repeat(100_000));
    expect(problemsOf({ scope: list })).toMatch(/got a list$/);
    expect(problemsOf({ depthMax: object })).toMatch(/got an object$/);
    expect(problemsOf({ include: [list] })).toContain("a list is no text");
  });

  it("names all problems at once", () => {
    const message = problemsOf({
      depthMax: -1,
      scope: 1,
      nonsense: true,
      include: ["(", "[", "ok"],
    });
    expect(message.split("; ")).toHaveLength(4);
    expect(message).toMatch(/depthMax.*scope.*\/\(\/.*\/\[\/.*nonsense/);
    expect(message).not.toContain("ok");
  });

  it("names only some of many unknown options, and those that there are once", () => {
    const unknown = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`x${at}`, at]));
    const message = problemsOf(unknown);
    expect(message).toMatch(/^unknown job options "x0", .*"x7" and 992 more \(known: scope, /);
    expect(message.length).toBeLessThan(500);
  });

  it("does not repeat a long value in full", () => {
    expect(problemsOf({ scope: "x".repeat(10_000) }).length).toBeLessThan(200);
  });
});

describe("jobIdOf", () => {
  it.each(["a", "0", "news-2026", "a.b_c-d", "a".repeat(64)])("accepts %s", (id) => {
    expect(jobIdOf(id)).toBe(id);
  });

  it.each(["", "-a", ".a", "A", "a b", "a/b", "é", "a\n", "a".repeat(65)])("refuses %j", (id) => {
    expect(() => jobIdOf(id)).toThrow("a job's id must be 1 to 64 characters");
  });
});
