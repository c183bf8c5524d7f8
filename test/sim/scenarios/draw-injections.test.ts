import { describe, expect, it } from "vitest";
import { planOf } from "../../../sim/scenarios/scenarios.ts";
import { simulate } from "../../../sim/simulate.ts";
import { explainRun } from "./explain-run.ts";

const size = { seed: 1, peers: 4, sites: 8, pages: 150 };
const seeds = [1, 2, 3, 4, 5];
const momentMs = 500;

describe("seeds that are given at the last moment", { timeout: 60_000 }, () => {
  it.each(seeds)(
    "go to machines that are about to end or have just begun, with the seed %i",
    (seed) => {
      const { faults, injections } = planOf("last-words", { ...size, seed });
      const aimed = injections.filter(({ machine }) => machine !== undefined);
      expect(aimed).toHaveLength(injections.length - 1);
      for (const { atMs, machine } of aimed) {
        const near = faults.filter((fault) => {
          if (!("machine" in fault) || fault.machine !== machine) return false;
          const afterMs = fault.kind === "start" ? atMs - fault.atMs : fault.atMs - atMs;
          return afterMs >= 0 && afterMs <= momentMs;
        });
        expect(near).not.toHaveLength(0);
      }
      expect(injections).toEqual(injections.toSorted((one, other) => one.atMs - other.atMs));
    },
  );

  it("are asked of the machine that the plan names", async () => {
    const report = await simulate("last-words", size);
    expect(report.passed, explainRun(report)).toBe(true);
    const asked = report.events
      .filter(({ kind }) => kind === "inject")
      .map(({ machine }) => machine);
    const named = report.plan.injections.flatMap(({ machine }) => machine ?? []);
    expect(named).not.toHaveLength(0);
    // Before the first one any machine is asked.
    expect(asked.slice(1)).toEqual(named);
  });
});
