import { describe, expect, it } from "vitest";
import type { RunReport } from "../../../sim/report/run-log.ts";
import type { Plan } from "../../../sim/scenarios/plan.ts";
import { planOf } from "../../../sim/scenarios/scenarios.ts";
import type { Tampering } from "../../../sim/scenarios/virtual-swarm.ts";
import { Simulation } from "../../../sim/simulate.ts";
import type { PeerOptions } from "../../../src/peer/peer-options.ts";
import { explainRun } from "./explain-run.ts";

/** Whose disk hangs, from soon after the beginning until long after all that copy to it have lost patience. */
const stuck = 1;
const stuckAtMs = 3_000;
const mendedAtMs = 95_000;
/** From when on it is counted what the others do meanwhile. */
const countedFromMs = 75_000;
/** What they do then at least, each by itself, if they do anything. */
const pagesMin = 10;

/** A steady crawl, of which more is to be copied within a minute than may be on its way. */
function plan(): Plan {
  const drawn = planOf("steady", { seed: 1, peers: 4, sites: 8, pages: 330 });
  return {
    ...drawn,
    settings: {
      ...drawn.settings,
      sampleWeb: { ...drawn.settings.sampleWeb, hostsPerSite: 1, pagesExponent: 0 },
      jobDelayMs: 1_000,
      replicas: 2,
      queues: { pendingMax: 100, queuedRowsMax: 60, pendingOpsMax: 500 },
    },
    faults: [
      {
        kind: "fail-disk",
        machine: stuck,
        how: "stuck",
        parts: ["store", "archive", "leases"],
        atMs: stuckAtMs,
      },
      { kind: "mend-disk", machine: stuck, atMs: mendedAtMs },
    ],
    healAtMs: mendedAtMs + 1_000,
  };
}

function waitingFor(patienceMs: number): (options: PeerOptions) => PeerOptions {
  return (options) => {
    const { swarm } = options;
    return { ...options, swarm: { ...swarm, stream: { ...swarm.stream, patienceMs } } };
  };
}

/** The whole run, and how many pages each member was given while all others had lost patience and the disk hung. */
async function run(tampering: Tampering): Promise<{ report: RunReport; fetched: number[] }> {
  const report = await new Simulation(plan(), { tampering }).run();
  const during = report.samples.filter(({ atMs }) => atMs > countedFromMs && atMs < mendedAtMs);
  const [before = [], after = []] = [during[0]?.answered, during.at(-1)?.answered];
  return { report, fetched: after.map((count, machine) => count - (before[machine] ?? 0)) };
}

describe("a disk that hangs", { timeout: 60_000 }, () => {
  it("keeps the others from crawling for a minute, and no longer", async () => {
    const { report, fetched } = await run({});
    expect(report.passed, explainRun(report)).toBe(true);
    expect(fetched[stuck]).toBe(0);
    expect(fetched.filter((count) => count > pagesMin).length).toBeGreaterThanOrEqual(2);
  });

  it("keeps everybody from crawling where nobody loses patience, until it takes something", async () => {
    const { report, fetched } = await run({ options: waitingFor(Infinity) });
    expect(report.passed, explainRun(report)).toBe(true);
    expect(fetched).toEqual([0, 0, 0, 0]);
  });
});
