import { beforeEach, describe, expect, it } from "vitest";
import type { RunView } from "../../../sim/checkers/checker.ts";
import { Chronicle } from "../../../sim/checkers/chronicle.ts";
import { Coverage } from "../../../sim/checkers/coverage.ts";
import { Findings } from "../../../sim/checkers/violation.ts";
import type { JobId, Millis } from "../../../src/core/units.ts";

let nowMs: Millis;
let chronicle: Chronicle;

beforeEach(() => {
  nowMs = 0;
  chronicle = new Chronicle(() => nowMs, 2);
  for (const machine of [0, 1]) chronicle.started(machine, 1);
  nowMs = 60_000;
});

/** What is held against two members that have acknowledged a seed, by whether each has it on its disk. */
function violations(...durableAt: readonly boolean[]): number {
  const findings = new Findings();
  const swarm = { view: { ring: { members: ["peer-0", "peer-1"] } } };
  const view = {
    chronicle,
    findings,
    plan: { settings: { replicas: 2 } },
    world: {
      sampleWeb: { urlOf: () => "http://www.site-0000.example/" },
      running: durableAt.map(() => ({ peer: { swarm } })),
      machines: durableAt.map((isDurable) => ({ disk: { isDurable: () => isDurable } })),
    },
  } as unknown as RunView;
  new Coverage(view, "sim" as JobId).acknowledged([0]);
  return findings.total;
}

describe("a seed that is acknowledged", () => {
  it("is durable at as many members as there are to be copies", () => {
    expect([violations(true, true), violations(true, false)]).toEqual([0, 1]);
  });

  it("is durable at one where the other one ended while the word was on its way", () => {
    chronicle.ended(1, "kill");
    nowMs += 1_000;
    expect(violations(true, false)).toBe(0);
  });

  it("is durable at one where the other one stood still, and was taken for lost, until just now", () => {
    chronicle.stoodStill(1);
    nowMs += 8_000;
    chronicle.wentOn(1);
    nowMs += 1_000;
    expect(violations(true, false)).toBe(0);
    nowMs += 20_000;
    expect(violations(true, false)).toBe(1);
  });
});
