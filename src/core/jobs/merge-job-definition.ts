import type { JobDefinition, JobState } from "./job-definition.ts";

const stateRanks: Readonly<Record<JobState, number>> = { running: 0, paused: 1, cancelled: 2 };

/**
 * The one of two definitions of a job that holds: a cancelled one, as that is final; then the higher revision; then the
 * state that crawls less; then the greater text.
 *
 * Invariant: the maximum of a total order, so commutative, associative and idempotent.
 */
export function mergeJobDefinitions(one: JobDefinition, other: JobDefinition): JobDefinition {
  return compareJobDefinitions(one, other) >= 0 ? one : other;
}

/** Positive when `one` holds and not `other`; 0 when they are equal. */
export function compareJobDefinitions(one: JobDefinition, other: JobDefinition): number {
  const finals = Number(one.state === "cancelled") - Number(other.state === "cancelled");
  if (finals !== 0) return finals;
  if (one.revision !== other.revision) return one.revision - other.revision;
  if (one.state !== other.state) return stateRanks[one.state] - stateRanks[other.state];
  const [text, otherText] = [textOf(one), textOf(other)];
  return text < otherText ? -1 : Number(text > otherText);
}

/** Equal for equal definitions, whatever the order in which their options were written. */
function textOf({ id, options }: JobDefinition): string {
  return JSON.stringify([id, Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1))]);
}
