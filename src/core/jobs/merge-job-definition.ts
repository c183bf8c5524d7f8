import type { JobDefinition, JobState } from "./job-definition.ts";

const stateRanks: Readonly<Record<JobState, number>> = { running: 0, paused: 1, cancelled: 2 };

/**
 * What holds of two definitions of a job. Of the states: a cancelled one, as that is final; then the one of the higher
 * revision; then the one that crawls less. Of the options: those of the higher revision; then those of the greater text.
 * Of the limits that were reached: the greatest.
 *
 * Invariant: a triple of maxima of total orders, so commutative, associative and idempotent.
 */
export function mergeJobDefinitions(one: JobDefinition, other: JobDefinition): JobDefinition {
  const { state, stateRevision } = compareStates(one, other) >= 0 ? one : other;
  const { id, revision, options } = compareOptions(one, other) >= 0 ? one : other;
  const limitReached = Math.max(limitReachedOf(one), limitReachedOf(other));
  const merged = { id, revision, stateRevision, state, options };
  return limitReached > 0 ? { ...merged, limitReached } : merged;
}

/** Whether who knows `other` learns something from `one`. */
export function addsToJobDefinition(one: JobDefinition, other: JobDefinition): boolean {
  if (limitReachedOf(one) > limitReachedOf(other)) return true;
  return compareStates(one, other) > 0 || compareOptions(one, other) > 0;
}

function limitReachedOf({ limitReached = 0 }: JobDefinition): number {
  return limitReached;
}

function compareStates(one: JobDefinition, other: JobDefinition): number {
  const finals = Number(one.state === "cancelled") - Number(other.state === "cancelled");
  if (finals !== 0) return finals;
  if (one.stateRevision !== other.stateRevision) return one.stateRevision - other.stateRevision;
  return stateRanks[one.state] - stateRanks[other.state];
}

function compareOptions(one: JobDefinition, other: JobDefinition): number {
  if (one.revision !== other.revision) return one.revision - other.revision;
  // Most are alike, and written in the same order.
  if (JSON.stringify(one.options) === JSON.stringify(other.options)) return 0;
  const [text, otherText] = [textOf(one), textOf(other)];
  return text < otherText ? -1 : Number(text > otherText);
}

/** Equal for equal options, whatever the order in which they were written. */
function textOf({ options }: JobDefinition): string {
  return JSON.stringify(Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1)));
}
