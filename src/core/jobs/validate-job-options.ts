import { CrawlError, errorText } from "../errors.ts";
import type { JobId } from "../units.ts";
import { defaultJobOptions } from "./job-definition.ts";
import type { JobOptions } from "./job-definition.ts";
import { formatCount } from "../text/human.ts";
import { admittedUrlBytesMax } from "../url/canonicalize-url.ts";

/** Patterns of one kind in a job, at most: each is tried on every link. */
const patternsMax = 100;

/** Longest pattern, in characters. */
const patternCharactersMax = 1_000;

/** The greatest limit of a job's pages. */
export const pagesMaxMax = 1_000_000_000_000;

const shownCharactersMax = 80;

/** Unknown options that are named, at most. */
const unknownNamedMax = 8;

/** What a job's id is, for people. */
export const jobIdForm =
  '1 to 64 characters of a-z, 0-9, ".", "_" and "-", a letter or digit first';

const jobId = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** What is wrong with a value, to be read after its key; undefined: nothing. */
type Check = (value: unknown) => string | undefined;

/** Bounds: as far as the thing makes sense, so that a slip of the keyboard is noticed. */
const checks: Readonly<Record<keyof JobOptions, Check>> = {
  scope: oneOf(["page", "host", "site", "any"]),
  include: patterns,
  exclude: patterns,
  depthMax: integer(0, 1_000_000),
  pagesMax: integer(0, pagesMaxMax),
  pagesPerHostMax: integer(1, 1_000_000_000),
  delayMs: integer(0, 86_400_000, "of milliseconds "),
  connectionsPerHost: integer(1, 1_024),
  priority: integer(0, 9),
  normalizeQuery: yesOrNo,
  otherContent: oneOf(["archive", "skip"]),
  sitemaps: yesOrNo,
  urlBytesMax: integer(16, admittedUrlBytesMax),
  pathSegmentsMax: integer(1, 1_000),
  segmentRepeatsMax: integer(1, 1_000),
  queriesPerPathMax: integer(1, 1_000_000_000),
};

/**
 * Options of a job from anywhere (a command line, a request, the database): checked, completed by the defaults, frozen. A
 * key without a value counts as absent.
 *
 * Errors: one `CONFIG_INVALID` that names every problem.
 */
export function validateJobOptions(partial: unknown): JobOptions {
  if (typeof partial !== "object" || partial === null || Array.isArray(partial)) {
    throw invalid([`job options must be an object, got ${shown(partial)}`]);
  }
  const given = Object.entries(partial).filter(([, value]) => value !== undefined);
  const unknown = given.flatMap(([key]) => (isOption(key) ? [] : key));
  const problems = given.flatMap(([key, value]) => problemOf(key, value) ?? []);
  if (unknown.length > 0) problems.push(unknownText(unknown));
  if (problems.length > 0) throw invalid(problems);

  const options = { ...defaultJobOptions, ...(Object.fromEntries(given) as Partial<JobOptions>) };
  return Object.freeze({
    ...options,
    include: Object.freeze([...options.include]),
    exclude: Object.freeze([...options.exclude]),
  });
}

export function isJobId(value: unknown): value is JobId {
  return typeof value === "string" && jobId.test(value);
}

/** The id that `text` is: 1 to 64 of `a-z 0-9 . _ -`, a letter or digit first. Errors: `CONFIG_INVALID`. */
export function jobIdOf(text: string): JobId {
  if (isJobId(text)) return text;
  throw invalid([`a job's id must be ${jobIdForm}, got ${shown(text)}`]);
}

/** What is wrong with one option's value, to be read after its name; undefined: nothing. */
export function jobOptionProblem(key: keyof JobOptions, value: unknown): string | undefined {
  return checks[key](value);
}

function problemOf(key: string, value: unknown): string | undefined {
  const problem = isOption(key) ? checks[key](value) : undefined;
  return problem === undefined ? undefined : `${key} ${problem}`;
}

function isOption(key: string): key is keyof JobOptions {
  return Object.hasOwn(checks, key);
}

function unknownText(keys: readonly string[]): string {
  const names = keys.slice(0, unknownNamedMax).map(shown).join(", ");
  const more = keys.length > unknownNamedMax ? ` and ${keys.length - unknownNamedMax} more` : "";
  const known = Object.keys(checks).join(", ");
  return `unknown job option${keys.length === 1 ? "" : "s"} ${names}${more} (known: ${known})`;
}

/** `of`: what it is a number of, where its key need not say so. */
function integer(min: number, max: number, of = ""): Check {
  return (value) =>
    Number.isInteger(value) && Number(value) >= min && Number(value) <= max
      ? undefined
      : mustBe(`a whole number ${of}from ${formatCount(min)} to ${formatCount(max)}`, value);
}

function yesOrNo(value: unknown): string | undefined {
  return typeof value === "boolean" ? undefined : mustBe("true or false", value);
}

function oneOf(words: readonly string[]): Check {
  return (value) =>
    typeof value === "string" && words.includes(value)
      ? undefined
      : mustBe(`one of ${words.join(", ")}`, value);
}

function patterns(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length > patternsMax) {
    return mustBe(`a list of at most ${patternsMax} regular expressions`, value);
  }
  const problems = Array.from<unknown, string[]>(value, patternProblem).flat();
  return problems.length === 0 ? undefined : `has bad patterns: ${problems.join(", ")}`;
}

function patternProblem(pattern: unknown): string[] {
  if (typeof pattern !== "string") return [`${shown(pattern)} is no text`];
  if (pattern === "") return ["one is empty"];
  if (pattern.length > patternCharactersMax) {
    return [`${shown(pattern)} is longer than ${patternCharactersMax} characters`];
  }
  try {
    new RegExp(pattern);
    return [];
  } catch (error) {
    return [errorText(error)];
  }
}

function mustBe(expected: string, value: unknown): string {
  return `must be ${expected}, got ${shown(value)}`;
}

function invalid(problems: readonly string[]): CrawlError {
  return new CrawlError("CONFIG_INVALID", problems.join("; "), { problems: problems.length });
}

/**
 * A value as it was given, cut to what keeps a message readable. Of a list or an object only that it is one: they come from
 * strangers too, and may be nested deeper than the stack.
 */
function shown(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length > shownCharactersMax ? `${text.slice(0, shownCharactersMax)}...` : text;
}
