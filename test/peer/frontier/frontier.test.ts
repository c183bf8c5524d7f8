import { describe, expect, it } from "vitest";
import { invariant } from "../../../src/core/errors.ts";
import type { VirtualClock } from "../../../sim/virtual-clock.ts";
import { ArcSet } from "../../../src/core/ring/arc-set.ts";
import type { HostName, OriginName } from "../../../src/core/units.ts";
import type { Host } from "../../../src/peer/frontier/host.ts";
import { JobRegistry } from "../../../src/peer/jobs/job-registry.ts";

import { addressHoldsMs, delayMs, FrontierBench, settled, testJob } from "./frontier-bench.ts";

const tenMinutesMs = 600_000;

/** So many of the host's requests fail that it is left alone. */
function halt({ visit }: Host, clock: VirtualClock): void {
  const nowMs = clock.nowMs();
  while (visit.gate.hold(nowMs) !== "halted") {
    visit.gate.record({ kind: "failed", startedAtMs: nowMs, finishedAtMs: nowMs }, delayMs);
  }
}

describe("the frontier", () => {
  it("says so when a host is in its place, as it may be due", async () => {
    const bench = await FrontierBench.open(2);
    await bench.queue("a.example");
    expect(bench.due).toBeGreaterThan(0);
    const before = bench.due;
    bench.frontier.jobsChanged();
    expect(bench.due).toBe(before + 1);
    expect(bench.frontier.take()?.url.entry.url).toBe("http://a.example/");
  });

  it("holds no URL in memory of a job that is held back, and reads them again when it may run", async () => {
    const bench = await FrontierBench.open(2);
    const { queue } = (await bench.queue("a.example")).visit;
    const heldAfter = async (change: () => unknown): Promise<number> => {
      change();
      bench.frontier.jobsChanged();
      await settled();
      return queue.heldCount;
    };
    expect(await heldAfter(() => bench.jobs.changeState(testJob, "pause"))).toBe(0);
    expect(await heldAfter(() => bench.jobs.changeState(testJob, "resume"))).toBe(1);
    bench.job.counter.add("pages");
    expect(await heldAfter(() => bench.jobs.define(testJob, { pagesMax: 1 }))).toBe(0);
    expect(await heldAfter(() => bench.jobs.define(testJob, { pagesMax: 2 }))).toBe(1);
    expect(bench.frontier.take()?.url.entry.url).toBe("http://a.example/");
  });

  it("holds no URL in memory of a job whose last lease has brought it to its limit", async () => {
    const bench = await FrontierBench.open(2);
    bench.jobs.define(testJob, { pagesMax: 1 });
    const hosts = [await bench.queue("a.example"), await bench.queue("b.example")];
    const lease = bench.frontier.take();
    invariant(lease !== undefined, "a host is due");
    await settled();
    bench.job.counter.add("pages");
    bench.frontier.closeRequest(lease);
    bench.frontier.settle(lease, Promise.resolve());
    expect(hosts.map(({ visit }) => Math.max(0, visit.queue.heldCount))).toEqual([0, 0]);
  });

  it("goes on where the last lease of a job that is cancelled ends while a host's queues are being read", async () => {
    const bench = await FrontierBench.open(2);
    const { frontier, jobs } = bench;
    const other = jobs.define("other", { delayMs });
    await bench.queue("b.example", bench.find("b.example"), other);
    const lease = frontier.take();
    invariant(lease !== undefined, "a host is due");
    for (const job of [bench.job, other]) {
      await bench.queue("a.example", bench.find("a.example"), job);
    }
    for (const change of ["pause", "resume"] as const) {
      for (const id of [testJob, other.definition.id]) jobs.changeState(id, change);
      frontier.jobsChanged();
    }
    jobs.changeState(other.definition.id, "cancel");
    frontier.jobsChanged();
    frontier.closeRequest(lease);
    frontier.putBack(lease);
    await settled();
    expect(bench.failures).toEqual([]);
    expect(frontier.take()?.url.job).toBe(testJob);
  });

  it("lets a host rest that others may have asked a moment ago, when it was not known here", async () => {
    const bench = await FrontierBench.open(1);
    bench.frontier.doubts.add(ArcSet.whole, 300);
    await bench.queue("a.example");
    expect(bench.frontier.take()).toBeUndefined();
    expect(bench.frontier.nextDueAtMs()).toBe(bench.clock.nowMs() - 300 + delayMs);
  });

  it("looks a name up again whose address holds no longer, before its host is asked", async () => {
    const bench = await FrontierBench.open(1);
    const { clock, frontier } = bench;
    await bench.queue("a.example");
    await clock.run(clock.sleep(addressHoldsMs));
    bench.address = "192.0.2.2";
    frontier.jobsChanged();
    expect(frontier.take()).toBeUndefined();
    await settled();
    expect(frontier.take()?.address).toBe("192.0.2.2");
  });

  it("opens no more requests to a host than its pace allows by then", async () => {
    const bench = await FrontierBench.open(1);
    const { clock, frontier, jobs } = bench;
    jobs.define(testJob, { connectionsPerHost: 2 });
    for (let count = 0; count < 2; count += 1) await bench.queue("a.example");
    const host = frontier.take()?.host;
    if (!host) throw new Error("the host is due");
    await clock.run(clock.sleep(delayMs));
    frontier.setPace(host);
    expect(frontier.nextDueAtMs()).toBe(clock.nowMs());
    host.askedOrigins.add("http://a.example" as OriginName);
    frontier.setPace(host);
    expect(frontier.nextDueAtMs()).toBeUndefined();
    expect(frontier.take()).toBeUndefined();
  });

  it.each(["nothing", "something"])(
    "takes the place of no host whose page is on its way to its end, and %s is left of it that may not be asked for",
    async (left) => {
      const bench = await FrontierBench.open(1);
      const { frontier, jobs } = bench;
      await bench.queue("a.example");
      if (left === "something") await bench.queue("a.example");
      const lease = frontier.take();
      if (!lease) throw new Error("the host is due");
      jobs.changeState(testJob, "pause");
      for (const end of [() => undefined, () => frontier.closeRequest(lease)]) {
        end();
        frontier.jobsChanged();
        await bench.queue("b.example");
        expect(frontier.hostNamed("a.example" as HostName)).toBe(lease.host);
        expect(frontier.hostNamed("b.example" as HostName)).toBeUndefined();
      }
    },
  );

  it("tells of a queue that cannot be read, and does not read it over and over", async () => {
    const bench = await FrontierBench.open(1);
    // Of more jobs it is not taken for granted that they have URLs of the host.
    for (let count = 0; count < 3; count += 1) bench.jobs.define(`other-${count}`);
    bench.failure = new Error("the disk is full");
    await bench.queue("a.example");
    expect(bench.failures).toEqual([bench.failure]);
  });

  it("has one object of a host that is read for two who wait for others that are read still", async () => {
    const bench = await FrontierBench.open(2);
    const { frontier, store } = bench;
    frontier.crawl(ArcSet.empty);
    for (const name of ["a.example", "b.example"]) await bench.queue(name);
    const getMany = store.getMany.bind(store);
    const slow = Promise.withResolvers<undefined>();
    store.getMany = (keys) => slow.promise.then(() => getMany(keys));
    const other = bench.find("b.example");
    store.getMany = getMany;
    // It finds both on disk, to make them active.
    frontier.crawl(ArcSet.whole);
    await settled();
    const both = bench.find("a.example", "b.example");
    await settled();
    slow.resolve(undefined);
    await other;
    const host = await bench.queue("a.example", both);
    expect(frontier.hostNamed("a.example" as HostName)).toBe(host);
    await bench.visit();
    expect(bench.failures).toEqual([]);
  });

  it("takes the place of a host that rests for another one, and of one whose job goes on again for none", async () => {
    const bench = await FrontierBench.open(1);
    const { frontier, jobs } = bench;
    await bench.queue("a.example");
    jobs.changeState(testJob, "pause");
    frontier.jobsChanged();
    jobs.changeState(testJob, "resume");
    frontier.jobsChanged();
    await bench.queue("b.example");
    expect(frontier.hostNamed("a.example" as HostName)).toBeDefined();
    expect(frontier.hostNamed("b.example" as HostName)).toBeUndefined();
    jobs.changeState(testJob, "pause");
    frontier.jobsChanged();
    await settled();
    expect(frontier.hostNamed("b.example" as HostName)).toBeDefined();
  });

  it("leaves a host on disk that gave its place up until it opens, though more of it is queued", async () => {
    const bench = await FrontierBench.open(1);
    const { clock, frontier } = bench;
    const { gate } = (await bench.queue("a.example")).visit;
    gate.restUntil(clock.nowMs() + tenMinutesMs);
    frontier.jobsChanged();
    await bench.queue("b.example");
    await bench.visit();
    await bench.queue("a.example");
    expect(frontier.activeHosts).toBe(0);
    await clock.run(clock.sleep(tenMinutesMs));
    await settled();
    expect(frontier.take()?.url.entry.url).toBe("http://a.example/");
    expect(frontier.hostNamed("a.example" as HostName)?.visit.queue.liveCount).toBe(2);
  });

  it("hands a URL out once that was put off when its host gave its place up", async () => {
    const bench = await FrontierBench.open(2);
    const { clock, frontier } = bench;
    await bench.queue("a.example");
    const lease = frontier.take();
    invariant(lease !== undefined, "a host is due");
    frontier.closeRequest(lease, { finishedAtMs: clock.nowMs() });
    frontier.putOff(lease, clock.nowMs() + tenMinutesMs);
    for (const name of ["b.example", "c.example"]) await bench.queue(name);
    expect(frontier.hostNamed("a.example" as HostName)).toBeUndefined();
    // What waits for its time is the host, and no URL of it any more.
    expect(clock.sleepers).toBe(1);
    for (let count = 0; count < 2; count += 1) await bench.visit();
    await clock.run(clock.sleep(tenMinutesMs));
    await settled();
    expect(frontier.take()?.url.entry.url).toBe("http://a.example/");
    await clock.run(clock.sleep(delayMs));
    expect(frontier.take()).toBeUndefined();
  });

  it("keeps a host's delay where it is found by who waits for others that are read still", async () => {
    const bench = await FrontierBench.open(2);
    const { clock, frontier, store } = bench;
    const getMany = store.getMany.bind(store);
    const slow = Promise.withResolvers<undefined>();
    const alone = bench.find("a.example");
    store.getMany = (keys) => slow.promise.then(() => getMany(keys));
    const both = bench.find("a.example", "b.example");
    store.getMany = getMany;
    await alone;
    await bench.queue("a.example");
    await bench.visit();
    expect(frontier.hostNamed("a.example" as HostName)).toBeUndefined();
    slow.resolve(undefined);
    await bench.queue("a.example", both);
    expect(frontier.take()).toBeUndefined();
    expect(frontier.nextDueAtMs()).toBe(clock.nowMs() + delayMs);
  });

  it("keeps the row of a host of which others may have queued URLs that are not read yet", async () => {
    const bench = await FrontierBench.open(1);
    const [host] = (await bench.find("a.example")).values();
    invariant(host !== undefined, "every host is found");
    host.expectOnDisk();
    expect(bench.frontier.lastEnds(host)).toEqual([]);
    host.beginRead()([]);
    expect(bench.frontier.lastEnds(host)).toHaveLength(1);
  });

  it("asks no host that others may have asked a moment ago, as another that rests for that is placed", async () => {
    const bench = await FrontierBench.open(2);
    const { frontier } = bench;
    for (const name of ["a.example", "b.example"]) await bench.queue(name);
    const taken: unknown[] = [];
    bench.onDue = () => void taken.push(frontier.take());
    frontier.doubts.add(ArcSet.whole, 0);
    expect(taken).toEqual([undefined, undefined]);
  });

  it("takes up what another member brings of a host that is active, and nothing of one that others crawl", async () => {
    const bench = await FrontierBench.open(1);
    const { frontier, job } = bench;
    const host = await bench.queue("a.example");
    frontier.arrived("a.example" as HostName, { ...bench.write(host, job), job: testJob });
    expect(host.visit.queue.liveCount).toBe(2);

    const others = await FrontierBench.open(1);
    others.frontier.crawl(ArcSet.empty);
    const [there] = (await others.find("a.example")).values();
    invariant(there !== undefined, "every host is found");
    others.frontier.added(there, [{ ...others.write(there, others.job), job: testJob }]);
    expect(others.frontier.activeHosts).toBe(0);
  });

  it("goes on with a host that is crawled here again before it was forgotten", async () => {
    const bench = await FrontierBench.open(1);
    await bench.queue("a.example");
    bench.frontier.crawl(ArcSet.empty);
    bench.frontier.crawl(ArcSet.whole);
    await settled();
    expect(bench.frontier.take()?.url.entry.url).toBe("http://a.example/");
  });

  it("forgets no host that others crawl before its last changes can be read from the database", async () => {
    const bench = await FrontierBench.open(1);
    const host = await bench.queue("a.example");
    bench.frontier.crawl(ArcSet.empty);
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    expect(bench.frontier.hostNamed("a.example" as HostName)).toBe(host);
    await settled();
    expect(bench.frontier.activeHosts).toBe(0);
  });

  it("finds what was queued of a job before that became known, on a host that is active", async () => {
    const bench = await FrontierBench.open(1);
    const late = new JobRegistry().define("late");
    const host = await bench.queue("a.example");
    bench.write(host, late);
    bench.jobs.addQueued(late.space, 1);
    const known = bench.jobs.define("late");
    expect(host.mayHave(known)).toBe(false);
    bench.frontier.jobsChanged();
    await settled();
    expect([host.isUnread, host.mayHave(known)]).toEqual([false, true]);
  });

  it("takes no job for stalled while hosts of it may wait on disk that nobody has looked at", async () => {
    const bench = await FrontierBench.open(2);
    halt(await bench.queue("a.example"), bench.clock);
    expect(bench.frontier.isStalled(bench.job)).toBe(false);
    bench.frontier.start();
    await settled();
    expect(bench.frontier.isStalled(bench.job)).toBe(true);
  });

  it("forgets a host that has run dry, with the row by which it is found", async () => {
    const bench = await FrontierBench.open(1);
    const { frontier } = bench;
    await bench.queue("a.example");
    expect(bench.waiting).toBe(1);
    await bench.visit();
    expect([frontier.activeHosts, bench.waiting]).toEqual([0, 0]);
  });
});
