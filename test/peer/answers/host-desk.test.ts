import { describe, expect, it } from "vitest";
import type { HostStatus } from "../../../src/core/answers/host-status.ts";
import { HostGate } from "../../../src/core/politeness/host-gate.ts";
import { defaultPolitenessOptions } from "../../../src/core/politeness/politeness-options.ts";
import { hostAddress } from "../../../src/core/record/host-keys.ts";
import { queueRange } from "../../../src/core/record/queue-keys.ts";
import { QueueBundle } from "../../../src/core/record/queue-bundle.ts";
import type { HostName, JobId } from "../../../src/core/units.ts";
import { siteOfHost } from "../../../src/core/url/site-of.ts";
import { JobRegistry } from "../../../src/peer/jobs/job-registry.ts";
import { HostDesk } from "../../../src/peer/answers/host-desk.ts";
import type { KeyRange, StoreEntry } from "../../../src/ports/store.ts";
import { noOutages } from "../../support/no-outages.ts";
import { silentLogger } from "../../support/silent-logger.ts";
import { htmlPage, type TablePage } from "../../support/table-web.ts";
import { testJob, VirtualPeer } from "../../support/virtual-peer.ts";

const seed = "http://site.example/";
const links = Array.from({ length: 20 }, (_, at) => `/${at}`);

/** What a peer says of the host of a page with links after `scene` was played there. */
function hostAfter(
  scene: (machine: VirtualPeer) => Promise<unknown>,
  robots?: TablePage,
): Promise<HostStatus> {
  const machine = new VirtualPeer((url) =>
    url.endsWith("robots.txt") ? robots : htmlPage(...links),
  );
  return machine.clock.run(
    (async () => {
      const peer = await machine.start();
      await scene(machine);
      await machine.clock.sleep(2_000);
      return peer.host("site.example");
    })(),
  );
}

describe("a peer that is asked for a host", () => {
  it("says why its robots.txt did not come", async () => {
    const host = await hostAfter((machine) => machine.inject([seed]), {
      failure: "connect-refused",
    });
    expect(host).toMatchObject({
      hold: "backoff",
      robots: [{ verdict: "disallow-all", httpStatus: 0, failure: "connect-refused" }],
    });
  });

  it.each([
    [{ status: 503 }, { httpStatus: 503 }],
    [{ failure: "connect-refused" }, { httpStatus: 0, failure: "connect-refused" }],
  ] as const)(
    "says how a page of it failed last, until one does not: %o",
    async (page, failure) => {
      let isWell = false;
      const machine = new VirtualPeer((url) => {
        if (url.endsWith("robots.txt")) return { status: 404 };
        return isWell ? htmlPage() : page;
      });
      await machine.clock.run(
        (async () => {
          const peer = await machine.start();
          await machine.inject([seed]);
          await machine.clock.sleep(2_000);
          const told = await peer.host("site.example");
          expect(told).toMatchObject({ hold: "backoff", lastFailure: failure });
          isWell = true;
          await peer.jobFinished(testJob, new AbortController().signal);
          expect((await peer.host("site.example")).lastFailure).toBeUndefined();
        })(),
      );
    },
  );

  it("says that a request to the host is in flight while one is", async () => {
    const machine = new VirtualPeer((url) => (url.endsWith("robots.txt") ? {} : htmlPage()));
    await machine.clock.run(
      (async () => {
        const peer = await machine.start();
        await machine.inject([seed]);
        const pageIsAsked = () => machine.web.requests.some(({ url }) => url === seed);
        while (!pageIsAsked()) await machine.clock.sleep(5);
        const host = await peer.host("site.example");
        expect(host).toMatchObject({ queued: [{ urls: 1 }], hold: "in-flight" });
        const reason = "in-flight";
        expect(await peer.status([seed])).toMatchObject([{ state: "queued", reason }]);
      })(),
    );
  });

  it("tells when its robots.txt was fetched, however long the machine was asleep since", async () => {
    const dayMs = 86_400_000;
    const machine = new VirtualPeer((url) => (url.endsWith("robots.txt") ? {} : htmlPage()));
    const robots = async () => (await machine.peer.host("site.example")).robots;
    await machine.clock.run(
      (async () => {
        await machine.start();
        await machine.inject([seed]);
        await machine.clock.sleep(2_000);
        const [first] = await robots();
        const fetchedAtMs = Date.parse(first?.fetchedAt ?? "");
        machine.setClockForward(dayMs);
        expect(await robots()).toEqual([first]);
        await machine.inject([`${seed}1`]);
        await machine.clock.sleep(2_000);
        const [second] = await robots();
        expect(Date.parse(second?.fetchedAt ?? "") - fetchedAtMs).toBeGreaterThan(dayMs);
      })(),
    );
  });

  it.each([
    [40, { urls: 40, orMore: false }],
    [1_000, { urls: 1_000, orMore: false }],
    [1_001, { urls: 1_000, orMore: true }],
  ])("counts the URLs that it has queued, here %i", async (count, counted) => {
    const host = await hostAfter(async ({ peer }) => {
      const urls = Array.from({ length: count }, (_, number) => `${seed}${number}`);
      await peer.inject(testJob, [], {});
      await peer.changeJob(testJob, "pause");
      await peer.inject(testJob, urls, {});
    });
    expect(host).toMatchObject({ queued: [{ job: testJob, ...counted }] });
  });

  it("tells nothing as queued of a cancelled job, though the host is known", async () => {
    const host = await hostAfter(async (machine) => {
      await machine.inject([seed], { delayMs: 1_000 });
      await machine.clock.sleep(5_500);
      await machine.peer.changeJob(testJob, "cancel");
    });
    expect(host).toMatchObject({ known: true, queued: [] });
    expect(host).not.toHaveProperty("hold");
  });

  it("gives the reason of a job that has its pages, as it does for a URL of it", async () => {
    const host = await hostAfter(async (machine) => {
      await machine.inject([seed], { delayMs: 100, pagesMax: 3 });
      await machine.peer.jobFinished(testJob, new AbortController().signal);
    });
    expect(host).toMatchObject({ queued: [{ job: testJob }], hold: "page-limit" });
  });

  it("tells of each job that has URLs queued there, in the order in which they were made", async () => {
    const ids = ["b", "a", "done", "c"] as JobId[];
    const host = await hostAfter(async ({ peer }) => {
      for (const id of ids) {
        await peer.inject(id, [], {});
        await peer.changeJob(id, "pause");
        await peer.inject(id, id === "c" ? [] : [`${seed}${id}`, seed], {});
      }
      await peer.changeJob("done" as JobId, "cancel");
    });
    expect(host.queued).toEqual(["b", "a"].map((job) => ({ job, urls: 2, orMore: false })));
  });

  it("names the hold that a user can end, unless a job goes on", async () => {
    const paused = "paused" as JobId;
    const addPaused = async ({ peer }: VirtualPeer): Promise<void> => {
      await peer.inject(paused, ["http://site.example/50"], { delayMs: 60_000 });
      await peer.changeJob(paused, "pause");
    };
    const held = await hostAfter(async (machine) => {
      await machine.inject([seed], { delayMs: 100, pagesMax: 3 });
      await machine.peer.jobFinished(testJob, new AbortController().signal);
      await addPaused(machine);
    });
    expect(held).toMatchObject({ hold: "job-paused" });
    const going = await hostAfter(async (machine) => {
      await machine.inject([seed], { delayMs: 60_000 });
      await addPaused(machine);
    });
    expect(going).toMatchObject({ hold: "politeness" });
  });

  it("lets a halted host back before its time, also after a restart, and no other", async () => {
    const politeness = { ...defaultPolitenessOptions, haltFailuresInRow: 3 };
    let isWell = false;
    const machine = new VirtualPeer((url) => (isWell ? htmlPage(...links) : answerOf(url)), {
      politeness,
    });
    const never = new AbortController().signal;
    await machine.clock.run(
      (async () => {
        await machine.start();
        await machine.inject([seed]);
        await machine.clock.sleep(2_000);
        // A backoff ends by itself.
        expect(await machine.peer.host("site.example", "release")).toMatchObject({
          hold: "backoff",
        });
        await machine.inject([`${seed}1`, `${seed}2`]);
        await machine.peer.jobFinished(testJob, never);
        expect(await machine.peer.host("site.example")).toMatchObject({ hold: "halted" });
        machine.kill();
        isWell = true;
        const startedAtMs = machine.clock.nowMs();
        const peer = await machine.start();
        const released = await peer.host("site.example", "release");
        expect(released).toMatchObject({ failuresInRow: 0 });
        expect(released.lastFailure).toBeUndefined();
        expect(released.hold).not.toBe("halted");
        await peer.jobFinished(testJob, never);
        expect(peer.job(testJob).counts.queued).toBe(0);
        expect(machine.clock.nowMs() - startedAtMs).toBeLessThan(60_000);
      })(),
    );
  });
});

/** A host whose pages fail. */
function answerOf(url: string): TablePage {
  return { status: url.endsWith("robots.txt") ? 404 : 500 };
}

/** A desk that knows of one host, in a database without rows; what it does to the host, in its order. */
class Bench {
  readonly nowMs = 1_000_000;
  readonly done: string[] = [];
  readonly gate = new HostGate({ ...defaultPolitenessOptions, haltFailuresInRow: 1 });
  /** Until when nobody is to ask it for a robots.txt. */
  restUntilMs = 0;
  /** Times that a range of the database was read. */
  ranges = 0;
  /** In the order of their keys. */
  readonly rows: StoreEntry[] = [];
  readonly desk: HostDesk;

  constructor(isStored = true) {
    const note = (what: string) => (): void => void this.done.push(what);
    const visit = { gate: this.gate, delayMs: 5_000 };
    const host = {
      visit,
      isStored,
      crawlDelayMs: 7_000,
      lastFailure: { httpStatus: 503 },
      save: () => ({ type: "del", key: new Uint8Array(0) }),
    };
    const doubts = {
      restUntilMs: () => this.restUntilMs,
      asked: (_: HostName, __: number, untilMs: number) => (this.restUntilMs = untilMs),
    };
    const frontier = {
      doubts,
      hostsFor: (names: ReadonlyMap<HostName, unknown>) =>
        Promise.resolve(new Map([...names.keys()].map((name) => [name, host]))),
      hostNamed: () => host,
      allPutOffUntilMs: () => undefined,
      saved: note("saved"),
      jobsChanged: note("told"),
    };
    const journal = {
      append: () => Promise.resolve(this.done.push("appended")),
      flushed: () => new Promise(setImmediate).then(note("durable")),
    };
    const range = ({ gte, lt }: KeyRange, limit: number): Promise<StoreEntry[]> => {
      this.ranges += 1;
      const found = this.rows.filter(
        ({ key }) => Buffer.compare(key, gte) >= 0 && Buffer.compare(key, lt) < 0,
      );
      return Promise.resolve(found.slice(0, limit));
    };
    const store = { hasMany: () => Promise.resolve([true]), range };
    const clock = { nowMs: () => this.nowMs, wallMs: () => this.nowMs };
    const ports = { clock, logger: silentLogger, store };
    const missed = { since: () => 0 };
    const parts = { frontier, journal, missed, outages: noOutages, peerId: "me" };
    this.desk = new HostDesk(
      ports as unknown as ConstructorParameters<typeof HostDesk>[0],
      parts as unknown as ConstructorParameters<typeof HostDesk>[1],
      { ...defaultPolitenessOptions, retryAfterMaxMs: 60_000 },
    );
  }

  /** Lets a URL be queued in each of these spaces of jobs. */
  queue(spaces: readonly number[]): void {
    const value = QueueBundle.encode({
      urls: [seed],
      depth: 0,
      attempts: 0,
      unseen: 0,
      redirectChain: [],
      discoveredAtMs: 1,
      taken: 0,
    });
    const name = "site.example" as HostName;
    const address = hostAddress(siteOfHost(name), name);
    const keys = spaces
      .map((space) => queueRange(address, space).gte)
      .sort((a, b) => Buffer.compare(a, b));
    this.rows.push(...keys.map((key) => ({ key, value })));
  }

  known() {
    return this.desk.known("site.example" as HostName, [new JobRegistry().define("other")]);
  }
}

describe("HostDesk", () => {
  const name = "site.example" as HostName;

  it("does not look for the queue of each of a thousand jobs", async () => {
    const registry = new JobRegistry();
    for (let n = 0; n < 1_000; n += 1) registry.define(`job-${n}`);
    const bench = new Bench();
    expect(await bench.desk.known(name, registry.all())).toMatchObject({ queued: [] });
    expect(bench.ranges).toBeLessThan(10);
  });

  it("tells of a hundred jobs, whatever jobs that it does not know have queued before them", async () => {
    const registry = new JobRegistry();
    const jobs = Array.from({ length: 101 }, (_, n) => registry.define(`job-${n}`));
    const spaces = jobs.map(({ space }) => space);
    const unknown = Array.from({ length: 150 }, (_, space) => space);
    expect(Math.min(...spaces)).toBeGreaterThan(150);
    const bench = new Bench();
    bench.queue([...unknown, ...spaces]);
    const { queued } = await bench.desk.known(name, jobs);
    const first = spaces.toSorted((a, b) => a - b).slice(0, 100);
    const told = jobs.filter(({ space }) => first.includes(space));
    expect(queued).toEqual(
      told.map(({ definition }) => ({ job: definition.id, urls: 1, orMore: false })),
    );
  });

  it.each([
    ["may be asked", 0, 0, undefined],
    ["rests", 30_000, 0, 30_000],
    ["rests, and longer for robots.txts", 30_000, 40_000, 40_000],
    ["rests longer than for robots.txts", 30_000, 20_000, 30_000],
    ["rests for robots.txts alone", 0, 20_000, 20_000],
    ["rests longer than anybody would wait", 100_000_000, 0, 86_400_000],
  ])("tells when a host opens that %s", async (_, gateMs, robotsMs, opensInMs) => {
    const bench = new Bench();
    const { nowMs } = bench;
    if (gateMs > 0) bench.gate.restUntil(nowMs + gateMs);
    bench.restUntilMs = nowMs + robotsMs;
    const known = await bench.known();
    expect(known).toMatchObject({ known: true, queued: [], crawlDelayMs: 7_000 });
    expect(known.opensInMs).toBe(opensInMs);
    const nextFetchAt = gateMs > 0 ? new Date(nowMs + gateMs).toISOString() : undefined;
    expect(known.nextFetchAt).toBe(nextFetchAt);
  });

  it.each([
    ["is kept", true, 20_000, 20_000, ["appended", "saved"]],
    ["is cut where it is too long", true, 100_000, 60_000, ["appended", "saved"]],
    ["of none leaves the host its delay", true, 0, 5_000, []],
    ["is kept in no row that the host has not", false, 20_000, 5_000, []],
  ])("tells its host of a rest that another member heard of, which %s", async (...row) => {
    const [, isStored, restMs, opensInMs, done] = row;
    const bench = new Bench(isStored);
    await bench.desk.rests(name, restMs);
    expect(bench.gate.nextFetchAtMs - bench.nowMs).toBe(opensInMs);
    expect(bench.restUntilMs - bench.nowMs).toBe(Math.min(restMs, 60_000));
    expect(bench.done).toEqual(done);
  });

  it("has let a halted host back for good on return, and told all who wait for it", async () => {
    const bench = new Bench();
    const { nowMs: at } = bench;
    bench.gate.record({ kind: "failed", startedAtMs: at, finishedAtMs: at }, 0, 0);
    expect((await bench.known()).lastFailure).toBeDefined();
    await bench.desk.release(name);
    expect((await bench.known()).lastFailure).toBeUndefined();
    expect(bench.done).toEqual(["appended", "saved", "told", "durable"]);
    await bench.desk.release(name);
    expect(bench.done).toHaveLength(4);
  });
});
