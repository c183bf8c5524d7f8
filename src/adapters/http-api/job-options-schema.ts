import type { JobOptions, JobScope, OtherContent } from "../../core/jobs/job-definition.ts";

/** Every value of {@link JobScope}, narrow to wide. */
export const jobScopes = ["page", "host", "site", "any"] as const satisfies readonly JobScope[];

/** Every value of {@link OtherContent}. */
export const otherContents = ["archive", "skip"] as const satisfies readonly OtherContent[];

/** Job names are parts of keys, of file names and of URLs. */
export const jobIdPattern = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$";

/** Patterns of one list, and characters of one pattern: each is tried on every discovered link. */
export const patternsMax = 100;
export const patternCharactersMax = 1_000;

type NumberOption = {
  [K in keyof JobOptions]: JobOptions[K] extends number ? K : never;
}[keyof JobOptions];

export interface WholeRange {
  readonly min: number;
  readonly max: number;
}

/** What each numeric option of a job may be; all are whole numbers. */
export const jobOptionRanges: Readonly<Record<NumberOption, WholeRange>> = {
  depthMax: { min: 0, max: 1_000_000 },
  pagesMax: { min: 0, max: 1_000_000_000_000 },
  pagesPerHostMax: { min: 1, max: 1_000_000_000 },
  delayMs: { min: 0, max: 86_400_000 },
  connectionsPerHost: { min: 1, max: 1_000 },
  priority: { min: 0, max: 9 },
  urlBytesMax: { min: 16, max: 8_192 },
  pathSegmentsMax: { min: 1, max: 1_000 },
  segmentRepeatsMax: { min: 1, max: 1_000 },
  queriesPerPathMax: { min: 1, max: 1_000_000_000 },
};

const whole = (range: WholeRange) => ({
  type: "integer",
  minimum: range.min,
  maximum: range.max,
});

const patterns = {
  type: "array",
  maxItems: patternsMax,
  items: { type: "string", minLength: 1, maxLength: patternCharactersMax, format: "regex" },
};

/** JSON schema of a part of {@link JobOptions}. */
export const jobOptionsSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    scope: { enum: jobScopes },
    include: patterns,
    exclude: patterns,
    normalizeQuery: { type: "boolean" },
    otherContent: { enum: otherContents },
    ...Object.fromEntries(
      Object.entries(jobOptionRanges).map(([name, range]) => [name, whole(range)]),
    ),
  },
};
