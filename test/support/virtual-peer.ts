import { CrawlError } from "../../src/core/errors.ts";
import { defaultJobOptions } from "../../src/core/jobs/job-definition.ts";
import type { JobOptions } from "../../src/core/jobs/job-definition.ts";
import type { JobId, Millis } from "../../src/core/units.ts";
import { Peer } from "../../src/peer/peer.ts";
import { defaultPeerOptions } from "../../src/peer/peer-options.ts";
import type { PeerOptions } from "../../src/peer/peer-options.ts";
import type { Fetcher } from "../../src/ports/fetcher.ts";
import type { LogFields, Logger } from "../../src/ports/logger.ts";
import { noMetrics, type Metrics } from "../../src/ports/metrics.ts";
import { VirtualClock } from "../../sim/virtual-clock.ts";
import { Dice } from "../../sim/world/dice.ts";
import { SeededEntropy } from "../../sim/world/seeded-entropy.ts";
import { SkewedClock } from "../../sim/world/skewed-clock.ts";
import { VirtualDisk } from "../../sim/world/virtual-disk.ts";
import { VirtualLeaseSlots, VirtualSlots } from "../../sim/world/virtual-lease-slots.ts";
import { VirtualProcess } from "../../sim/world/virtual-process.ts";
import { type DiskTimes, VirtualStore } from "../../sim/world/virtual-store.ts";
import { InlineParser } from "./inline-parser.ts";
import { MemoryArchive, MemoryArchiveDisk } from "./memory-archive.ts";
import { silentLogger } from "./silent-logger.ts";
import { TableWeb } from "./table-web.ts";
import type { Pages } from "./table-web.ts";

const silent: Logger & Metrics = { ...silentLogger, ...noMetrics };

/** A write takes three milliseconds. */
const quickDisk: Partial<DiskTimes> = { writeMs: 0.1, syncMedianMs: 2.9, syncTail: 0 };

export const testJob = "test" as JobId;

/** A machine with one peer after the other on it, in virtual time, before a web that is a table. */
export class VirtualPeer {
  readonly clock = new VirtualClock();
  readonly disk = new VirtualDisk();
  readonly #leaseSlots = new VirtualSlots();
  readonly web: TableWeb;
  /** What the log was told at info, with its fields. */
  readonly logged: [event: string, fields: LogFields | undefined][] = [];
  /** What has been counted, and how often something was observed, by the metric's name. */
  readonly counted = new Map<string, number>();
  /** Captures that the archive of the next process takes without a flush. */
  archivePendingMax = Infinity;
  #archiveDisk = new MemoryArchiveDisk();
  readonly #options: Partial<PeerOptions>;
  readonly #diskTimes: Partial<DiskTimes>;
  #machineClock = new SkewedClock(this.clock);
  #archive: MemoryArchive | undefined;
  #leases: VirtualLeaseSlots | undefined;
  #parser: InlineParser | undefined;
  #peer: Peer | undefined;
  #process: VirtualProcess | undefined;
  #generation = 0;

  constructor(pages: Pages, options: Partial<PeerOptions> = {}, diskTimes = quickDisk) {
    this.web = new TableWeb(this.clock, pages);
    this.#options = options;
    this.#diskTimes = diskTimes;
  }

  get peer(): Peer {
    if (!this.#peer) throw new Error("the peer has not been started");
    return this.#peer;
  }

  /** Starts the next process on this machine's disk. */
  async start(): Promise<Peer> {
    const { disk, web } = this;
    this.#machineClock = this.#machineClock.begunAnew();
    const shown = this.#machineClock;
    const process = new VirtualProcess("peer-1", ++this.#generation, this.clock, shown);
    this.#process = process;
    this.#archive = new MemoryArchive(this.#archiveDisk, this.archivePendingMax);
    this.#leases = new VirtualLeaseSlots(this.#leaseSlots, process);
    this.#parser = new InlineParser();
    this.#peer = new Peer(
      {
        archive: this.#archive,
        clock: process.clock,
        entropy: new SeededEntropy(new Dice(1)),
        fetcher: fetcherOf(process, web),
        leases: this.#leases,
        logger: { ...silent, info: (event, fields) => void this.logged.push([event, fields]) },
        metrics: {
          ...silent,
          count: (name, by = 1) => this.#count(name, by),
          observe: (name) => this.#count(name, 1),
        },
        parser: this.#parser,
        probe: web,
        resolver: web,
        store: new VirtualStore(disk, process, new Dice(1), this.#diskTimes),
      },
      {
        ...defaultPeerOptions,
        peerId: "peer-1",
        version: "0.0.0",
        productToken: "orbweaver",
        sieve: { capacity: 1_000, cacheCapacity: 4_096, unsettledOffersMax: 4_096 },
        ...this.#options,
      },
    );
    await this.#peer.start();
    return this.#peer;
  }

  /** Ends the process as `kill -9` does: nothing that it does afterwards reaches a disk. */
  kill(): void {
    this.#process?.end();
    this.#archiveDisk = this.#archiveDisk.copy();
  }

  /** Sets the machine's clock forward by so much; the process does not see that it was, as where the machine was asleep. */
  setClockForward(ms: Millis): void {
    this.#machineClock.set(this.#machineClock.wallMs() - this.clock.nowMs() + ms);
  }

  /** URLs of all records in the archive, in their order. */
  archived(): string[] {
    return this.#archiveDisk.urls();
  }

  /** Takes all files of the archive off this machine, between two processes. */
  carryArchiveAway(): void {
    this.#archiveDisk.files.splice(0);
  }

  /** Damages all files of the archive that are there now. */
  damageArchive(): void {
    this.#archiveDisk.damaged = new Set(this.#archiveDisk.files.map(({ name }) => name));
  }

  /** Lets this process's archive fail from now on as it does on a full disk. */
  fillArchiveDisk(): void {
    this.#archive?.failWith(new CrawlError("DISK_FULL", "no room for the archive"));
  }

  /** Lets this process's leases fail from now on as they do on a broken disk. */
  breakLeases(): void {
    this.#leases?.failWith(new CrawlError("STORE_IO", "the leases cannot be written"));
  }

  /** Lets this process's parser take no page any more, as where its threads cannot be started again. */
  endParser(): Promise<void> | undefined {
    return this.#parser?.stop();
  }

  /** Injects seeds into the test's job. */
  inject(seeds: readonly string[], options: Partial<JobOptions> = {}): Promise<unknown> {
    return this.peer.inject(testJob, seeds, { ...defaultJobOptions, ...options });
  }

  #count(name: string, by: number): void {
    this.counted.set(name, (this.counted.get(name) ?? 0) + by);
  }

  /** Runs the crawl of these seeds to its end in virtual time. */
  crawl(seeds: readonly string[], options: Partial<JobOptions> = {}): Promise<Peer> {
    return this.clock.run(
      (async () => {
        const peer = await this.start();
        await this.inject(seeds, options);
        await peer.jobFinished(testJob, new AbortController().signal);
        return peer;
      })(),
    );
  }
}

/** Whoever has ended sends nothing any more, and is told nothing. */
function fetcherOf(process: VirtualProcess, web: TableWeb): Fetcher {
  return {
    fetch: async (request, signal) => {
      const outcome = process.isAlive && (await web.fetch(request, signal));
      return process.isAlive && outcome ? outcome : new Promise(() => undefined);
    },
    stop: () => web.stop(),
  };
}
