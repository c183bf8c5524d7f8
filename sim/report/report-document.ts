import type { Millis } from "../../src/core/units.ts";
import type { RunReport } from "./run-log.ts";

/** A run as a document for programs: plain objects, arrays and numbers. */
export function reportDocument(report: RunReport, wallMs: Millis): Record<string, unknown> {
  const { plan, passed, replay, traceHash, violations, violationCounts, events, ...rest } = report;
  const { samples, lives, splits, thins, holdingsBefore, holdingsAfter, ...counts } = rest;
  return {
    scenario: plan.scenario,
    seed: plan.size.seed,
    passed,
    replay,
    traceHash,
    figures: { ...counts, wallMs },
    violationCounts: Object.fromEntries(violationCounts),
    violations,
    plan,
    events,
    lives,
    splits,
    thins,
    samples,
    holdingsBefore,
    holdingsAfter,
  };
}
