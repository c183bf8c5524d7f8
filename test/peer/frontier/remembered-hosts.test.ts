import { describe, expect, it } from "vitest";
import { HostQueue } from "../../../src/core/frontier/host-queue.ts";
import { HostVisit } from "../../../src/core/frontier/host-visit.ts";
import { HostGate } from "../../../src/core/politeness/host-gate.ts";
import { defaultPolitenessOptions } from "../../../src/core/politeness/politeness-options.ts";
import { ArcSet } from "../../../src/core/ring/arc-set.ts";
import type { HostName, SiteName } from "../../../src/core/units.ts";
import { ClosedHosts } from "../../../src/peer/frontier/closed-hosts.ts";
import { Host } from "../../../src/peer/frontier/host.ts";
import { JobRegistry } from "../../../src/peer/jobs/job-registry.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";

const forever = new AbortController().signal;
const first = "a.example" as HostName;
const restMs = 600_000;

/** A host that opens then. */
function closedHost(name: string, untilMs: number): Host {
  const gate = new HostGate(defaultPolitenessOptions);
  gate.restUntil(untilMs);
  return hostOf(name, gate);
}

function hostOf(name: string, gate: HostGate): Host {
  const parts = { host: name as HostName, site: name as SiteName, gate, queue: new HostQueue(8) };
  return new Host(new HostVisit({ ...parts, connectionsMax: 1, delayMs: 0 }), undefined);
}

describe("ClosedHosts", () => {
  it("forgets those of arcs that are held no longer", async () => {
    const clock = new VirtualClock();
    const told: HostName[] = [];
    const closed = new ClosedHosts(clock, 1, {
      signal: forever,
      onOpen: (names) => Promise.resolve(void told.push(...names)),
    });
    closed.add(closedHost(first, clock.nowMs() + 1_000));
    closed.keepWithin(ArcSet.whole);
    expect(closed.has(first)).toBe(true);
    closed.keepWithin(ArcSet.empty);
    expect(closed.has(first)).toBe(false);
    await clock.run(clock.sleep(10_000));
    expect(told).toEqual([]);
  });

  it("takes a host for halted no longer when its halt is over, though it is not back yet", async () => {
    const clock = new VirtualClock();
    const job = new JobRegistry().define("j");
    const { id } = job.definition;
    // It finds no place as it opens.
    const onOpen = (): Promise<void> => clock.sleep(restMs);
    const closed = new ClosedHosts(clock, 1, { signal: forever, onOpen });
    const haltedUntilMs = clock.nowMs() + 1_000;
    const state = { nextFetchAtMs: haltedUntilMs, haltedUntilMs, politeUntilMs: 0 };
    const gate = { ...state, failuresInRow: 50, breakerBuckets: [] };
    const host = hostOf(first, new HostGate(defaultPolitenessOptions, gate));
    host.jobs.add(job);
    host.visit.queue.expectOnDisk(id);
    closed.add(host);
    expect(closed.areHalted(job)).toBe(true);
    await clock.run(clock.sleep(2_000));
    expect(closed.has(first)).toBe(true);
    expect(closed.areHalted(job)).toBe(false);
  });

  it("keeps URLs that are put off until then, though the host's gate has moved", () => {
    const clock = new VirtualClock();
    const onOpen = (): Promise<void> => Promise.resolve();
    const closed = new ClosedHosts(clock, 1, { signal: forever, onOpen });
    const nowMs = clock.nowMs();
    const host = closedHost(first, nowMs);
    closed.add(host, nowMs + restMs);
    host.visit.gate.restUntil(nowMs + 1_000);
    closed.moved(host);
    expect(closed.backAtMs(first)).toBe(nowMs + restMs);
    host.visit.gate.restUntil(nowMs + 2 * restMs);
    closed.moved(host);
    expect(closed.backAtMs(first)).toBe(nowMs + 2 * restMs);
  });
});
