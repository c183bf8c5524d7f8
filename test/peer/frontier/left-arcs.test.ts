import { describe, expect, it, vi } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { Dice } from "../../../sim/world/dice.ts";
import { VirtualDisk } from "../../../sim/world/virtual-disk.ts";
import { VirtualProcess } from "../../../sim/world/virtual-process.ts";
import { VirtualStore } from "../../../sim/world/virtual-store.ts";
import { packLinks } from "../../../src/core/page/packed-links.ts";
import { ArcSet } from "../../../src/core/ring/arc-set.ts";
import { tagRange } from "../../../src/core/record/key-ranges.ts";
import { positionOf, type RingPosition } from "../../../src/core/ring/ring-position.ts";
import type { CanonicalUrl, HostName } from "../../../src/core/units.ts";
import { siteOfHost } from "../../../src/core/url/site-of.ts";
import { Admission } from "../../../src/peer/admission/admission.ts";
import { seedsOf } from "../../../src/peer/admission/seed-judge.ts";
import { SieveKeeper } from "../../../src/peer/admission/sieve-keeper.ts";
import { Journal } from "../../../src/peer/durability/journal.ts";
import type { Lease } from "../../../src/peer/frontier/lease.ts";
import { Sequence } from "../../../src/peer/durability/sequence.ts";
import { Frontier } from "../../../src/peer/frontier/frontier.ts";
import { JobRegistry } from "../../../src/peer/jobs/job-registry.ts";
import type { Job } from "../../../src/peer/jobs/job-registry.ts";
import { defaultPeerOptions } from "../../../src/peer/peer-options.ts";
import { noMetrics } from "../../../src/ports/metrics.ts";
import { MemoryArchive } from "../../support/memory-archive.ts";
import { silentLogger } from "../../support/silent-logger.ts";
import { TableWeb } from "../../support/table-web.ts";

const [left, kept] = ["a.example", "b.example"] as [HostName, HostName];

/** The arc of the first host's site, which is given up, and all others. */
const at = positionOf(siteOfHost(left));
const leftArcs = ArcSet.of([{ from: at, to: (at + 1) as RingPosition }]);
const keptArcs = ArcSet.whole.subtract(leftArcs);

const hourMs = 3_600_000;

/** A frontier with one place for hosts, and what admits URLs to it. */
class Bench {
  readonly clock = new VirtualClock();
  readonly disk = new VirtualDisk();
  readonly frontier: Frontier;
  readonly job: Job;
  readonly stop = new AbortController();
  readonly #admission: Admission;
  readonly #start: () => Promise<unknown>;

  constructor() {
    const { clock } = this;
    const process = new VirtualProcess("peer-1", 1, clock);
    const store = new VirtualStore(this.disk, process, new Dice(1));
    const archive = new MemoryArchive();
    this.#start = () => Promise.all([store.start(), archive.start(undefined)]);
    const web = new TableWeb(clock, () => undefined);
    const ports = { archive, clock, metrics: noMetrics, resolver: web, store };
    const onFailure = (error: unknown): void => {
      throw error;
    };
    const journal = new Journal(ports, defaultPeerOptions.journal, onFailure);
    const jobs = new JobRegistry();
    this.frontier = new Frontier(
      ports,
      { jobs, journal },
      { ...defaultPeerOptions, frontier: { activeHostsMax: 1, headUrlsMax: 10 } },
      { signal: this.stop.signal, onDue: () => undefined, onFailure },
    );
    const sieve = new SieveKeeper(defaultPeerOptions.sieve, silentLogger);
    const parts = { journal, frontier: this.frontier, sieve, sequence: new Sequence() };
    this.#admission = new Admission(ports, parts, defaultPeerOptions, onFailure);
    this.job = jobs.define("test");
  }

  async run<T>(test: () => Promise<T>): Promise<T> {
    return this.clock.run(
      (async () => {
        await this.#start();
        this.frontier.start();
        return test();
      })(),
    );
  }

  /** Queues URLs, and waits until they are on disk. */
  async admit(...urls: string[]): Promise<void> {
    await this.#admission.admit(seedsOf(this.job, packLinks(urls as CanonicalUrl[], false)));
    await this.clock.sleep(1_000);
  }

  /** The URL that is to be asked for now. */
  take(): Lease {
    const lease = this.frontier.take();
    if (!lease) throw new Error("no URL may be asked for");
    return lease;
  }
}

describe("arcs that are given up", () => {
  it("leave their hosts' places to those of other arcs that wait on disk", async () => {
    const bench = new Bench();
    const { clock, frontier } = bench;
    const active = await bench.run(async () => {
      await bench.admit(`http://${left}/`, `http://${kept}/`);
      expect(frontier.hostNamed(left)).toBeDefined();
      frontier.crawl(keptArcs);
      await clock.sleep(10_000);
      return [left, kept].filter((name) => frontier.hostNamed(name));
    });
    expect(active).toEqual([kept]);
  });

  it("have no other URL asked for while a page of theirs is on its way to its end", async () => {
    const bench = new Bench();
    const { clock, frontier } = bench;
    await bench.run(async () => {
      await bench.admit(`http://${left}/`, `http://${left}/next`);
      const lease = bench.take();
      frontier.closeRequest(lease);
      frontier.crawl(keptArcs);
      const told = vi.fn<(isLeft: boolean) => void>();
      void frontier.left(leftArcs).then(told);
      await clock.sleep(60_000);
      expect(frontier.take()).toBeUndefined();
      expect(told).not.toHaveBeenCalled();
      frontier.putBack(lease);
      await clock.sleep(1_000);
      expect(told).toHaveBeenCalledWith(true);
    });
  });

  it("are left though a URL of theirs is put off for long", async () => {
    const bench = new Bench();
    const { clock, frontier } = bench;
    await bench.run(async () => {
      await bench.admit(`http://${left}/`);
      const lease = bench.take();
      const beganAtMs = clock.nowMs();
      frontier.closeRequest(lease);
      frontier.putOff(lease, beganAtMs + hourMs);
      frontier.crawl(keptArcs);
      expect(await frontier.left(leftArcs)).toBe(true);
      expect(clock.nowMs()).toBeLessThan(beganAtMs + hourMs);
    });
  });

  it("keep the rows by which their hosts are found, and have no URL put off from then on", async () => {
    const bench = new Bench();
    const { frontier } = bench;
    await bench.run(async () => {
      await bench.admit(`http://${left}/`);
      const lease = bench.take();
      expect(frontier.mayPutOff(lease)).toBe(true);
      frontier.crawl(keptArcs);
      // What is queued from now on is not known here.
      await bench.admit(`http://${left}/next`);
      expect(frontier.lastEnds(lease.host)).toEqual([]);
      expect(frontier.mayPutOff(lease)).toBe(false);
    });
  });

  it("are left though the peer goes on with hosts of other arcs", async () => {
    const bench = new Bench();
    const { clock, frontier } = bench;
    await bench.run(async () => {
      await bench.admit(`http://${kept}/`);
      frontier.crawl(keptArcs);
      const told = vi.fn<(isLeft: boolean) => void>();
      void frontier.left(leftArcs).then(told);
      await clock.sleep(1_000);
      expect(frontier.hostNamed(kept)).toBeDefined();
      expect(told.mock.calls).toEqual([[true]]);
    });
  });

  it("are not left when the peer stops before", async () => {
    const bench = new Bench();
    const { clock, frontier, stop } = bench;
    await bench.run(async () => {
      await bench.admit(`http://${left}/`);
      bench.take();
      frontier.crawl(keptArcs);
      const told = vi.fn<(isLeft: boolean) => void>();
      void frontier.left(leftArcs).then(told);
      await clock.sleep(1_000);
      expect(told).not.toHaveBeenCalled();
      stop.abort();
      await clock.sleep(1_000);
      expect(told.mock.calls).toEqual([[false]]);
    });
  });

  it("are not left when they are taken back before", async () => {
    const bench = new Bench();
    const { frontier } = bench;
    await bench.run(async () => {
      await bench.admit(`http://${left}/`);
      bench.take();
      frontier.crawl(keptArcs);
      const isLeft = frontier.left(leftArcs);
      frontier.crawl(ArcSet.whole);
      expect(await isLeft).toBe(false);
    });
  });

  it("have none of their hosts remembered until its URLs come back that are put off", async () => {
    const bench = new Bench();
    const { clock, frontier } = bench;
    await bench.run(async () => {
      await bench.admit(`http://${left}/`);
      const lease = bench.take();
      frontier.closeRequest(lease);
      frontier.putOff(lease, clock.nowMs() + hourMs);
      await bench.admit(`http://${kept}/`);
      expect(frontier.hostNamed(left)).toBeUndefined();
      expect(frontier.allPutOffUntilMs(left)).toBeDefined();
      frontier.crawl(keptArcs);
      expect(frontier.allPutOffUntilMs(left)).toBeUndefined();
    });
  });
});

describe("arcs that are taken back", () => {
  it("have their hosts found on disk", async () => {
    const bench = new Bench();
    const { clock, frontier } = bench;
    await bench.run(async () => {
      await bench.admit(`http://${left}/`);
      frontier.crawl(keptArcs);
      expect(await frontier.left(leftArcs)).toBe(true);
      await clock.sleep(10_000);
      frontier.crawl(ArcSet.whole);
      await clock.sleep(1_000);
      expect(frontier.hostNamed(left)).toBeDefined();
    });
  });

  it("have those URLs asked for that were queued meanwhile", async () => {
    const bench = new Bench();
    const { clock, frontier } = bench;
    await bench.run(async () => {
      await bench.admit(`http://${left}/`);
      const lease = bench.take();
      frontier.crawl(keptArcs);
      await bench.admit(`http://${left}/meanwhile`);
      frontier.crawl(ArcSet.whole);
      await clock.sleep(1_000);
      frontier.closeRequest(lease);
      await clock.sleep(60_000);
      expect(bench.take().url.entry.url).toBe(`http://${left}/meanwhile`);
    });
  });

  it("have a start find their hosts, though another member has deleted the rows for that", async () => {
    const bench = new Bench();
    const { disk, frontier } = bench;
    const waiting = tagRange("waiting");
    await bench.run(async () => {
      await bench.admit(`http://${left}/`);
      bench.take();
      frontier.crawl(keptArcs);
      disk.apply(disk.entries(waiting).map(({ key }) => ({ type: "del", key })));
      frontier.crawl(ArcSet.whole);
      await bench.admit(`http://${left}/next`);
      expect(disk.entries(waiting)).toHaveLength(1);
    });
  });
});

describe("a host of which another member has queued URLs", () => {
  it("is found on disk though no host was known to wait there", async () => {
    const other = new Bench();
    await other.run(() => other.admit(`http://${left}/`));
    const bench = new Bench();
    const { clock, disk, frontier, job } = bench;
    await bench.run(async () => {
      await clock.sleep(1_000);
      const rows = [...other.disk.entries(tagRange("queue"))];
      for (const row of [...rows, ...other.disk.entries(tagRange("waiting"))]) {
        disk.apply([{ type: "put", ...row }]);
      }
      for (const row of rows) frontier.arrived(left, { ...row, job: job.definition.id });
      await clock.sleep(1_000);
      expect(bench.take().url.entry.url).toBe(`http://${left}/`);
    });
  });
});
