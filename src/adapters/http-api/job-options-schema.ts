import { defaultJobOptions } from "../../core/jobs/job-definition.ts";

/**
 * JSON schema of a part of the job options: names and types, both read from the defaults. Bounds are checked by
 * `validateJobOptions`, the one place that knows them.
 */
export const jobOptionsSchema = {
  type: "object",
  additionalProperties: false,
  properties: Object.fromEntries(
    Object.entries(defaultJobOptions).map(([name, value]) => [name, { type: typeName(value) }]),
  ),
};

/** Longest name of a job that is looked at. */
export const jobNameSchema = { type: "string", maxLength: 64 };

function typeName(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "number" ? "integer" : typeof value;
}
