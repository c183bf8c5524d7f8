import { CrawlError } from "../../core/errors.ts";
import { patternCharactersOfAllMax, revisionMax } from "../../core/jobs/job-definition.ts";
import type { JobDefinition } from "../../core/jobs/job-definition.ts";
import type { JobId } from "../../core/units.ts";

/** Errors: `JOB_CANCELLED`. */
export function refuseCancelled({ id, state }: JobDefinition): void {
  if (state !== "cancelled") return;
  const problem = `job "${id}" was cancelled, which is final; inject under another name`;
  throw new CrawlError("JOB_CANCELLED", problem, { job: id });
}

/** Errors: `CONFIG_INVALID`. */
export function refuseOtherUrls(before: JobDefinition, after: JobDefinition): void {
  const { normalizeQuery } = before.options;
  if (normalizeQuery === after.options.normalizeQuery) return;
  const problem = `normalizeQuery (--no-normalize-query) of job "${before.id}" is ${normalizeQuery}, and stays so, as its URLs are known by it; inject under another name`;
  throw new CrawlError("CONFIG_INVALID", problem, { job: before.id });
}

export function tooManyPatterns(id: JobId): CrawlError {
  const problem = `the patterns of all jobs together have more than ${patternCharactersOfAllMax} characters with those of job "${id}"; give it fewer`;
  return new CrawlError("CONFIG_INVALID", problem, { job: id });
}

export function endlessPattern(id: JobId, cause: CrawlError): CrawlError {
  const problem = `a pattern of exclude (--exclude) of job "${id}" takes too long on one of these URLs; repeat nothing in it that repeats itself`;
  return new CrawlError("CONFIG_INVALID", problem, { job: id }, { cause });
}

/** Errors: `CONFIG_INVALID`. */
export function nextRevision(id: JobId, revision: number): number {
  if (revision < revisionMax) return revision + 1;
  const problem = `job "${id}" has been changed ${revisionMax} times, the most there may be`;
  throw new CrawlError("CONFIG_INVALID", problem, { job: id });
}
