import type { JobDefinition, JobState } from "../jobs/job-definition.ts";

/** A job's definition as those are told it who ask: its state says too whether anything is left to do. */
export interface ReportedDefinition extends Omit<JobDefinition, "state"> {
  /** `finished`: it is to run, and nothing of it is queued or in flight. Another injection makes it run again. */
  readonly state: JobState | "finished";
}

export function reportedDefinition(
  definition: ReportedDefinition,
  finished: boolean,
): ReportedDefinition {
  const isOver = finished && definition.state === "running";
  return isOver ? { ...definition, state: "finished" } : definition;
}
