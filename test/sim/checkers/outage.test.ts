import { describe, expect, it } from "vitest";
import type { RunReport } from "../../../sim/report/run-log.ts";
import type { Plan } from "../../../sim/scenarios/plan.ts";
import { planOf } from "../../../sim/scenarios/scenarios.ts";
import type { Tampering } from "../../../sim/scenarios/virtual-swarm.ts";
import { Simulation } from "../../../sim/simulate.ts";
import type { PeerPorts } from "../../../src/peer/peer-ports.ts";

/** A swarm that loses its way to the web for minutes; half of its seeds come in meanwhile, at hosts that it has never asked. */
function outage(tampering: Tampering): Promise<RunReport> {
  const drawn = planOf("offline", { seed: 2, peers: 2, sites: 30, pages: 200 });
  const seeds = drawn.injections.flatMap(({ pages }) => pages);
  const half = Math.ceil(seeds.length / 2);
  const plan: Plan = {
    ...drawn,
    injections: [
      { atMs: 0, pages: seeds.slice(0, half) },
      { atMs: 30_000, pages: seeds.slice(half) },
    ],
    faults: [{ kind: "no-web", machines: [0, 1], atMs: 6_000 }],
    healAtMs: 450_000,
  };
  return new Simulation(plan, { tampering }).run();
}

describe("a swarm without a way to the web", { timeout: 60_000 }, () => {
  it("loses nothing, however long", async () => {
    const { coverage, violationCounts } = await outage({});
    expect([...violationCounts]).toEqual([]);
    expect(coverage.done).toBe(coverage.must);
  });

  it("is caught where it takes the outage for the end of hosts", async () => {
    const isThere = (): Promise<boolean> => Promise.resolve(true);
    const probe = { reaches: isThere, resolves: isThere, hasNameServer: isThere };
    const ports = (given: PeerPorts): PeerPorts => ({ ...given, probe });
    const { violationCounts } = await outage({ ports });
    expect([...violationCounts.keys()]).toContain("coverage");
  });
});
