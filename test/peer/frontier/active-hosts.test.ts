import { describe, expect, it } from "vitest";
import { HostQueue } from "../../../src/core/frontier/host-queue.ts";
import { HostVisit } from "../../../src/core/frontier/host-visit.ts";
import { HostGate } from "../../../src/core/politeness/host-gate.ts";
import { defaultPolitenessOptions } from "../../../src/core/politeness/politeness-options.ts";
import { HostRecord } from "../../../src/core/record/record.pb.ts";
import type { HostName, JobId, SiteName } from "../../../src/core/units.ts";
import { ActiveHosts } from "../../../src/peer/frontier/active-hosts.ts";
import { ClosedHosts } from "../../../src/peer/frontier/closed-hosts.ts";
import { Host } from "../../../src/peer/frontier/host.ts";
import { JobRegistry, type Job } from "../../../src/peer/jobs/job-registry.ts";
import type { Peer } from "../../../src/peer/peer.ts";
import type { Store, StoreOp } from "../../../src/ports/store.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { queued } from "../../core/frontier/queue-model.ts";
import { htmlPage } from "../../support/table-web.ts";
import type { Pages } from "../../support/table-web.ts";
import { VirtualPeer } from "../../support/virtual-peer.ts";

const forever = new AbortController().signal;
const [old, next] = ["old", "next"] as [JobId, JobId];

const homePages: Pages = (url) => (/^http:\/\/\w+\.example\/$/.test(url) ? htmlPage() : undefined);

/** A peer with fewer places for hosts than the old job has of them. */
function smallMachine(): VirtualPeer {
  return new VirtualPeer(homePages, { frontier: { activeHostsMax: 10, headUrlsMax: 5_000 } });
}

function injectOld(peer: Peer, options: { delayMs: number; pagesMax?: number }): Promise<unknown> {
  const urls = Array.from({ length: 30 }, (_, number) => `http://a${number}.example/`);
  return peer.inject(old, urls, options);
}

/** How the next job stands after ten minutes. */
async function crawlNext(machine: VirtualPeer, peer: Peer): Promise<unknown> {
  await peer.inject(next, ["http://b.example/"], { delayMs: 100 });
  await machine.clock.sleep(600_000);
  return peer.job(next);
}

const done = { finished: true, counts: { pages: 1 } };

/** A single place for a host, or more, with a journal that writes nothing as yet, and a database that has nothing. */
class PlaceBench {
  readonly clock = new VirtualClock();
  readonly closed = new ClosedHosts(this.clock, 1, {
    signal: forever,
    onOpen: () => Promise.resolve(),
  });
  readonly flushed = Promise.withResolvers<undefined>();
  readonly appended: StoreOp[] = [];
  readonly hosts: ActiveHosts;

  constructor(frontier = { activeHostsMax: 1, headUrlsMax: 8 }) {
    const store = { getMany: () => Promise.resolve([undefined]) } as unknown as Store;
    const append = (ops: readonly StoreOp[]): Promise<void> => {
      this.appended.push(...ops);
      return this.#written();
    };
    const journal = { append, flushed: () => this.#written() };
    this.hosts = new ActiveHosts(
      { clock: this.clock, store },
      { closed: this.closed, journal },
      { frontier, politeness: defaultPolitenessOptions },
      () => undefined,
    );
  }

  #written(): Promise<void> {
    return this.flushed.promise.then(() => undefined);
  }

  /** A host that opens in ten minutes. */
  host(name: string): Host {
    const gate = new HostGate(defaultPolitenessOptions);
    gate.restUntil(this.clock.nowMs() + 600_000);
    const parts = { host: name as HostName, site: name as SiteName, gate, queue: new HostQueue(8) };
    return new Host(new HostVisit({ ...parts, connectionsMax: 1, delayMs: 0 }), undefined);
  }

  /** Makes a host active of which nothing is to be done before it opens. */
  fill(): Host {
    const host = this.host("first.example");
    this.hosts.add(host);
    this.hosts.close(host, 0);
    return host;
  }
}

function jobOf(id: JobId, state: "paused" | "running"): Job {
  const job = new JobRegistry().define(id);
  job.definition = { ...job.definition, state };
  return job;
}

describe("ActiveHosts", () => {
  it("have no room where a host is closed for long that may not give its place up", () => {
    const bench = new PlaceBench();
    bench.fill();
    expect(bench.hosts.room).toBe(1);
    for (let count = 0; bench.closed.room > 0; count += 1) {
      bench.closed.add(bench.host(`h${count}.example`));
    }
    expect(bench.hosts.room).toBe(0);
    expect(bench.hosts.add(bench.host("next.example"))).toBe(false);
  });

  it("count those that something keeps back, and those that gave their place up for that", () => {
    const bench = new PlaceBench();
    const none = { backoff: 0, breaker: 0, halted: 0, closed: 0 };
    const countHeld = () => bench.hosts.countHeld(bench.clock.nowMs());
    expect(countHeld()).toEqual(none);
    const { gate } = bench.fill().visit;
    expect(countHeld()).toEqual({ ...none, backoff: 1 });
    const nowMs = bench.clock.nowMs();
    const failure = { kind: "failed", startedAtMs: nowMs, finishedAtMs: nowMs } as const;
    while (gate.hold(nowMs) !== "halted") gate.record(failure, 0);
    expect(countHeld()).toEqual({ ...none, halted: 1 });
    gate.release();
    expect(countHeld()).toEqual(none);
    gate.restUntil(nowMs + 600_000);
    expect(bench.hosts.add(bench.host("next.example"))).toBe(true);
    expect(countHeld()).toEqual({ ...none, backoff: 1, closed: 1 });
  });

  it("give the place of one away while it rests", () => {
    const bench = new PlaceBench();
    const [host, other] = ["first.example", "next.example"].map((name) => bench.host(name)) as [
      Host,
      Host,
    ];
    bench.hosts.add(host);
    bench.hosts.rest(other);
    expect(bench.hosts.close(other, 0)).toBe(false);
    expect(bench.hosts.room).toBe(0);
    bench.hosts.rest(host);
    expect(bench.hosts.room).toBe(1);
    bench.hosts.rouse(host);
    expect(bench.hosts.room).toBe(0);
    expect(bench.hosts.add(other)).toBe(false);
    expect(bench.hosts.takeDisplaced()).toBe(false);
    bench.hosts.rest(host);
    expect(bench.hosts.add(other)).toBe(true);
    expect([bench.hosts.has(host), bench.hosts.has(other)]).toEqual([false, true]);
  });

  it("tell of those that gave their places away when a job of theirs may run again, and once", () => {
    const bench = new PlaceBench();
    const host = bench.host("first.example");
    const paused = jobOf(old, "paused");
    for (const job of [paused, jobOf(next, "running")]) host.jobs.add(job);
    host.visit.queue.expectOnDisk(old);
    bench.hosts.add(host);
    bench.hosts.rest(host);
    bench.hosts.add(bench.host("next.example"));
    expect(bench.hosts.takeDisplaced()).toBe(false);
    paused.definition = { ...paused.definition, state: "running" };
    expect([bench.hosts.takeDisplaced(), bench.hosts.takeDisplaced()]).toEqual([true, false]);
  });

  it("know one that gave its place up as it was, until the database has its latest row", async () => {
    const bench = new PlaceBench();
    const host = bench.fill();
    host.save();
    expect(bench.hosts.add(bench.host("next.example"))).toBe(true);
    const { host: name, site } = host.visit;
    const names = new Map([[name, site]]);
    expect((await bench.hosts.loadAll(names)).get(name)).toBe(host);
    bench.flushed.resolve(undefined);
    await new Promise(setImmediate);
    expect((await bench.hosts.loadAll(names)).get(name)).not.toBe(host);
  });

  it("write when one opens that gives its place up, so that the next process asks it no sooner", () => {
    const bench = new PlaceBench();
    const { gate } = bench.fill().visit;
    bench.hosts.add(bench.host("next.example"));
    const rows = bench.appended.map((op) => op.type === "put" && HostRecord.decode(op.value));
    expect(rows).toMatchObject([{ host: "first.example", nextFetchAtMs: gate.nextFetchAtMs }]);
  });
});

describe("the room for URLs in memory", () => {
  /** URLs of the host that are in memory where more of it are queued than there is room for. */
  function held({ visit }: Host): number {
    for (let at = 0; at < 100; at += 1) visit.queue.add(queued(old, 0, at));
    return visit.queue.heldCount;
  }

  it("is shared out among the active hosts, anew when one comes and when one goes", () => {
    const bench = new PlaceBench({ activeHostsMax: 4, headUrlsMax: 32 });
    const [first, ...others] = ["a", "b", "c", "d"].map((name) => bench.host(`${name}.example`));
    if (!first) throw new Error("there are four");
    bench.hosts.add(first);
    expect(held(first)).toBe(32);
    for (const host of others) bench.hosts.add(host);
    expect(held(first)).toBe(8);
    const last = others.pop();
    if (!last) throw new Error("there are three");
    for (const host of [first, ...others]) bench.hosts.delete(host);
    expect(held(last)).toBe(32);
  });
});

describe("the places of hosts in memory", () => {
  it("are free for other jobs when a job is cancelled", async () => {
    const machine = smallMachine();
    const state = await machine.clock.run(
      (async () => {
        const peer = await machine.start();
        await injectOld(peer, { delayMs: 60_000 });
        await peer.changeJob(old, "cancel");
        return crawlNext(machine, peer);
      })(),
    );
    expect(state).toMatchObject(done);
  });

  it("are free for other jobs while a job is paused, which goes on when it is resumed", async () => {
    const machine = smallMachine();
    const states = await machine.clock.run(
      (async () => {
        const peer = await machine.start();
        await injectOld(peer, { delayMs: 60_000 });
        await peer.changeJob(old, "pause");
        const state = await crawlNext(machine, peer);
        await peer.changeJob(old, "resume");
        await peer.jobFinished(old, forever);
        return [state, peer.job(old)];
      })(),
    );
    expect(states).toMatchObject([done, { finished: true, counts: { pages: 30, queued: 0 } }]);
    expect(new Set(machine.web.counts().values())).toEqual(new Set([1]));
  });

  it("are free for other jobs when a job has the pages that it asks for", async () => {
    const machine = smallMachine();
    const state = await machine.clock.run(
      (async () => {
        const peer = await machine.start();
        await injectOld(peer, { delayMs: 1_000, pagesMax: 3 });
        await peer.jobFinished(old, forever);
        return crawlNext(machine, peer);
      })(),
    );
    expect(state).toMatchObject(done);
  });
});
