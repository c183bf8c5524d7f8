import { expect, it } from "vitest";
import type { RunView, SeenHit } from "../../../sim/checkers/checker.ts";
import { Chronicle } from "../../../sim/checkers/chronicle.ts";
import { JobStates } from "../../../sim/checkers/job-states.ts";
import { Findings } from "../../../sim/checkers/violation.ts";
import type { JobId, Millis } from "../../../src/core/units.ts";

it("a paused job's URL may be fetched from when a member is asked to let it go on, and not before", () => {
  let nowMs: Millis = 0;
  const findings = new Findings();
  const chronicle = new Chronicle(() => nowMs, 2);
  const view = { chronicle, findings, world: { machines: [] } } as unknown as RunView;
  const states = new JobStates(view, "news" as JobId);
  const fetched = (atMs: Millis): void => {
    nowMs = atMs;
    states.onHit({ sentAtMs: atMs, atMs, endMs: atMs, url: "http://a.example/" } as SeenHit);
  };
  states.acknowledged("paused", 0);
  nowMs = 20_000;
  states.asked("running");
  fetched(20_010);
  expect(findings.total).toBe(0);
  // It was not made.
  states.answered();
  fetched(20_030);
  expect(findings.total).toBe(1);
});

it.each([
  ["nothing where all say what was changed last", ["paused", "paused"], 0],
  ["that members do not agree", ["paused", "running"], 1],
  ["that a change does not hold", ["running", "finished"], 1],
])("what members say of the job in the end tells %s", (_, told, violations) => {
  const findings = new Findings();
  const chronicle = new Chronicle(() => 0, 2);
  const running = told.map((state, at) => ({
    id: `peer-${at}`,
    peer: { job: () => ({ definition: { state } }) },
  }));
  const view = { chronicle, findings, world: { machines: [], running } } as unknown as RunView;
  const states = new JobStates(view, "news" as JobId);
  states.acknowledged("paused", 0);
  states.settled();
  expect(findings.total).toBe(violations);
});
