import type { Millis } from "../../src/core/units.ts";
import type { Dice } from "../world/dice.ts";
import type { PlannedInjection, PlannedJobChange } from "./plan.ts";

/** Time between two changes of the job's state, on average. */
const jobChangeMs: Millis = 6_000;
/** A change waits for the first seeds: without a job there is nothing to change. */
const firstChangeMs: Millis = 1_000;

/** Pauses of some seconds, and ends of pauses: of one that was made at another member, of none, or of one that was ended before. */
export function drawJobChanges(dice: Dice, untilMs: Millis): readonly PlannedJobChange[] {
  const changes: PlannedJobChange[] = [];
  for (let atMs = firstChangeMs; atMs < untilMs; atMs += dice.exponential(jobChangeMs)) {
    changes.push({ atMs: Math.round(atMs), change: dice.pick(["pause", "resume"]) });
  }
  return changes;
}

/** Half of the calls give the job another priority. */
export function withPriorities(
  injections: readonly PlannedInjection[],
  dice: Dice,
): readonly PlannedInjection[] {
  return injections.map((injection) =>
    dice.chance(0.5) ? { ...injection, priority: dice.integer(0, 9) } : injection,
  );
}
