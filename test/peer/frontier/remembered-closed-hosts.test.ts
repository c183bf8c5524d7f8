import { describe, expect, it } from "vitest";
import { HostQueue } from "../../../src/core/frontier/host-queue.ts";
import { HostVisit } from "../../../src/core/frontier/host-visit.ts";
import { HostGate } from "../../../src/core/politeness/host-gate.ts";
import { defaultPolitenessOptions } from "../../../src/core/politeness/politeness-options.ts";
import { ArcSet } from "../../../src/core/ring/arc-set.ts";
import type { HostName, JobId, SiteName } from "../../../src/core/units.ts";
import { ClosedHosts } from "../../../src/peer/frontier/closed-hosts.ts";
import { Host } from "../../../src/peer/frontier/host.ts";
import { LongClosed } from "../../../src/peer/frontier/long-closed.ts";
import { JobRegistry } from "../../../src/peer/jobs/job-registry.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";

const forever = new AbortController().signal;
const restMs = 600_000;
const testJob = "test" as JobId;

/** A host that opens then. */
function closedHost(name: string, untilMs: number, haltedUntilMs = 0): Host {
  const none = { nextFetchAtMs: 0, failuresInRow: 0, breakerBuckets: [] };
  const gate = new HostGate(defaultPolitenessOptions, { ...none, haltedUntilMs });
  gate.restUntil(untilMs);
  const parts = { host: name as HostName, site: name as SiteName, gate, queue: new HostQueue(8) };
  return new Host(new HostVisit({ ...parts, connectionsMax: 1, delayMs: 0 }), undefined);
}

describe("ClosedHosts", () => {
  const [first, second] = ["a.example", "b.example"] as [HostName, HostName];

  it("tells of hosts when they open, and of one that gives its place up again once more", async () => {
    const clock = new VirtualClock();
    const startMs = clock.nowMs();
    const told: [names: readonly HostName[], afterMs: number][] = [];
    const closed: ClosedHosts = new ClosedHosts(clock, 1, {
      signal: forever,
      onOpen: async (names) => {
        told.push([names, clock.nowMs() - startMs]);
        for (const name of names) closed.delete(name);
        if (told.length > 1) return;
        closed.add(closedHost(first, startMs + 5_000));
        await clock.sleep(2_500);
      },
    });
    closed.add(closedHost(second, startMs + 3_000));
    closed.add(closedHost(first, startMs + 1_000));
    await clock.run(clock.sleep(10_000));
    expect(told).toEqual([
      [[first], 1_000],
      // Not before the first has been brought back.
      [[second], 3_500],
      [[first], 5_000],
    ]);
    expect([first, second].map((name) => closed.has(name))).toEqual([false, false]);
  });

  it("tells of none when the peer has stopped", async () => {
    const clock = new VirtualClock();
    const stop = new AbortController();
    const told: HostName[] = [];
    const closed: ClosedHosts = new ClosedHosts(clock, 1, {
      signal: stop.signal,
      onOpen: (names) => {
        told.push(...names);
        for (const name of names) closed.delete(name);
        return Promise.resolve();
      },
    });
    closed.add(closedHost(first, clock.nowMs() + 3_000));
    stop.abort();
    closed.add(closedHost(second, clock.nowMs() + 1_000));
    await clock.run(clock.sleep(10_000));
    expect(told).toEqual([]);
  });

  it("lets so many go of which nothing is remembered, and no more until they are looked for", async () => {
    const clock = new VirtualClock();
    let lookedForMs = 0;
    const closed = new ClosedHosts(clock, 1, {
      signal: forever,
      onOpen: (_, hasForgotten) => {
        if (hasForgotten) lookedForMs = clock.nowMs();
        return Promise.resolve();
      },
    });
    const startMs = clock.nowMs();
    let count = 0;
    for (; closed.room > 0; count += 1) {
      closed.add(closedHost(`h${count}.example`, startMs + restMs));
    }
    expect(count).toBe(8 + 256);
    expect(closed.hasForgotten).toBe(true);
    // Where one that is remembered has its place again, another one may be.
    closed.delete("h0.example" as HostName);
    expect(closed.room).toBe(1);
    closed.add(closedHost("next.example", startMs + restMs));
    expect(closed.room).toBe(0);
    await clock.run(clock.sleep(restMs / 2));
    expect(lookedForMs - startMs).toBe(60_000);
    expect([closed.hasForgotten, closed.room]).toEqual([false, 256]);
  });

  it("counts a job whose URLs are found on a halted host as one that waits for it", () => {
    const clock = new VirtualClock();
    const onOpen = () => Promise.resolve();
    const closed = new ClosedHosts(clock, 1, { signal: forever, onOpen });
    const host = closedHost(first, clock.nowMs() + restMs, clock.nowMs() + restMs);
    const job = new JobRegistry().define("later");
    closed.add(host);
    expect(closed.areHalted(job)).toBeUndefined();
    expect(closed.queued(first, [job.definition.id])).toBe(true);
    expect(closed.areHalted(job)).toBe(true);
  });

  it("lets a host go whose URLs are put off when others of it are found, for which a place is free or not", () => {
    const clock = new VirtualClock();
    const closed = new ClosedHosts(clock, 1, { signal: forever, onOpen: () => Promise.resolve() });
    closed.add(closedHost(first, clock.nowMs()), clock.nowMs() + restMs);
    expect(closed.backAtMs(first)).toBe(clock.nowMs() + restMs);
    expect(closed.queued(first, [testJob])).toBe(false);
    expect(closed.has(first)).toBe(false);
  });

  it("tells of hosts whose gates have moved when they open by then, and of URLs that are put off in their time", async () => {
    const clock = new VirtualClock();
    const startMs = clock.nowMs();
    const told: [names: readonly HostName[], afterMs: number][] = [];
    const closed: ClosedHosts = new ClosedHosts(clock, 1, {
      signal: forever,
      onOpen: (names) => {
        told.push([names, clock.nowMs() - startMs]);
        for (const name of names) closed.delete(name);
        return Promise.resolve();
      },
    });
    const [third] = ["c.example" as HostName];
    closed.add(closedHost(first, startMs), startMs + 4_000);
    closed.add(closedHost(second, startMs + 5_000));
    closed.add(closedHost(third, startMs + 2_000));
    closed.moved(closedHost(first, startMs + 1_000));
    closed.moved(closedHost(second, startMs + 1_500));
    closed.moved(closedHost(third, startMs + 3_000));
    await clock.run(clock.sleep(10_000));
    expect(told).toEqual([
      [[second], 1_500],
      [[third], 3_000],
      [[first], 4_000],
    ]);
  });

  it("counts a host as halted as long as its gate says so", async () => {
    const clock = new VirtualClock();
    const closed = new ClosedHosts(clock, 1, { signal: forever, onOpen: () => Promise.resolve() });
    const job = new JobRegistry().define("later");
    const untilMs = clock.nowMs() + 1_000;
    closed.add(closedHost(first, untilMs));
    closed.queued(first, [job.definition.id]);
    expect(closed.areHalted(job)).toBe(false);
    closed.moved(closedHost(first, untilMs, untilMs));
    expect(closed.areHalted(job)).toBe(true);
    await clock.run(clock.sleep(1_000));
    expect(closed.areHalted(job)).toBe(false);
  });

  it("brings few hosts back at a time, however many open together", async () => {
    const clock = new VirtualClock();
    const told: number[] = [];
    const closed: ClosedHosts = new ClosedHosts(clock, 50, {
      signal: forever,
      onOpen: (names) => {
        told.push(names.length);
        for (const name of names) closed.delete(name);
        return Promise.resolve();
      },
    });
    for (let n = 0; n < 300; n += 1) closed.add(closedHost(`h${n}.example`, clock.nowMs() + 1_000));
    await clock.run(clock.sleep(2_000));
    expect(told).toEqual([256, 44]);
  });

  it("looks for those of which nothing is remembered a minute after the first of them has gone", async () => {
    const clock = new VirtualClock();
    const startMs = clock.nowMs();
    const lookedForMs: number[] = [];
    const closed = new ClosedHosts(clock, 0, {
      signal: forever,
      onOpen: (_, hasForgotten) => {
        if (hasForgotten) lookedForMs.push(clock.nowMs() - startMs);
        return Promise.resolve();
      },
    });
    closed.add(closedHost(first, startMs + restMs));
    await clock.run(clock.sleep(30_000));
    closed.add(closedHost(second, startMs + restMs));
    await clock.run(clock.sleep(restMs));
    expect(lookedForMs).toEqual([60_000]);
  });

  it("forgets those that are not crawled here, and waits for none longer than a timer can", () => {
    const waits: number[] = [];
    const clock = new VirtualClock();
    const call = clock.call.bind(clock);
    clock.call = (ms, callback) => {
      waits.push(ms);
      return call(ms, callback);
    };
    const closed = new ClosedHosts(clock, 1, { signal: forever, onOpen: () => Promise.resolve() });
    closed.add(closedHost(first, clock.nowMs() + 2 ** 40));
    expect(waits).toEqual([3_600_000]);
    closed.keepWithin(ArcSet.whole);
    expect(closed.has(first)).toBe(true);
    closed.keepWithin(ArcSet.empty);
    expect(closed.has(first)).toBe(false);
  });
});

describe("LongClosed", () => {
  it("has those that open later than in 45 seconds, and none of them longer than that", () => {
    const closed = new LongClosed();
    const opensAtMs = [45_000, 60_000, 90_000];
    const hosts = opensAtMs.map((atMs) => closedHost(`${atMs}.example`, atMs));
    expect(hosts.map((host) => closed.add(host, 0, 0))).toEqual([false, true, true]);
    const [, later, last] = hosts as [Host, Host, Host];
    expect([closed.count(0), closed.last]).toEqual([2, { host: last, opensAtMs: 90_000 }]);
    closed.delete(last);
    expect([closed.count(14_999), closed.last]).toEqual([1, { host: later, opensAtMs: 60_000 }]);
    expect([closed.count(15_000), closed.last]).toEqual([0, undefined]);
  });
});
