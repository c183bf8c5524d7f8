import type { JobOptions } from "./job-definition.ts";

/** An option of a job that was changed. */
export interface OptionChange {
  readonly option: keyof JobOptions;
  readonly before: JobOptions[keyof JobOptions];
  readonly after: JobOptions[keyof JobOptions];
}

/** What is different in `after`. */
export function optionChanges(before: JobOptions, after: JobOptions): OptionChange[] {
  return (Object.keys(after) as (keyof JobOptions)[])
    .map((option) => ({ option, before: before[option], after: after[option] }))
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after));
}
