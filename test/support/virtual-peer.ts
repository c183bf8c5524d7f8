import { CrawlError } from "../../src/core/errors.ts";
import { hash64 } from "../../src/core/hash/hash64.ts";
import { defaultJobOptions } from "../../src/core/jobs/job-definition.ts";
import type { JobOptions } from "../../src/core/jobs/job-definition.ts";
import type { JobId } from "../../src/core/units.ts";
import { Peer } from "../../src/peer/peer.ts";
import { defaultPeerOptions } from "../../src/peer/peer-options.ts";
import type { PeerOptions } from "../../src/peer/peer-options.ts";
import type { Entropy } from "../../src/ports/entropy.ts";
import type { Logger } from "../../src/ports/logger.ts";
import type { Metrics } from "../../src/ports/metrics.ts";
import { VirtualClock } from "../../sim/virtual-clock.ts";
import { InlineParser } from "./inline-parser.ts";
import { MemoryArchive, MemoryArchiveDisk } from "./memory-archive.ts";
import { MemoryLeaseSlots } from "./memory-lease-slots.ts";
import type { MemorySlots } from "./memory-lease-slots.ts";
import { MemoryDisk, MemoryStore } from "./memory-store.ts";
import { TableWeb } from "./table-web.ts";
import type { Pages } from "./table-web.ts";

const silent: Logger & Metrics = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  count: () => undefined,
  gauge: () => undefined,
  observe: () => undefined,
};

/** Chance as a function of a seed. */
class SeededEntropy implements Entropy {
  #draws = 0n;

  random(): number {
    this.#draws += 1n;
    return Number(hash64("entropy", this.#draws) >> 11n) / 2 ** 53;
  }
}

/** How long a write takes on the virtual disk. */
const writeMs = 3;

export const testJob = "test" as JobId;

/** A machine with one peer after the other on it, in virtual time, before a web that is a table. */
export class VirtualPeer {
  readonly clock = new VirtualClock();
  readonly disk = new MemoryDisk();
  readonly #leaseSlots: MemorySlots = new Map();
  readonly web: TableWeb;
  #archiveDisk = new MemoryArchiveDisk();
  readonly #options: Partial<PeerOptions>;
  #archive: MemoryArchive | undefined;
  #peer: Peer | undefined;
  #store: MemoryStore | undefined;
  #leases: MemoryLeaseSlots | undefined;

  constructor(pages: Pages, options: Partial<PeerOptions> = {}) {
    this.web = new TableWeb(this.clock, pages);
    this.#options = options;
  }

  get peer(): Peer {
    if (!this.#peer) throw new Error("the peer has not been started");
    return this.#peer;
  }

  /** Starts the next process on this machine's disk. */
  async start(): Promise<Peer> {
    const { clock, disk, web } = this;
    this.#store = new MemoryStore({ disk, beforeWrite: () => clock.sleep(writeMs) });
    this.#leases = new MemoryLeaseSlots(this.#leaseSlots);
    this.#archive = new MemoryArchive(this.#archiveDisk);
    this.#peer = new Peer(
      {
        archive: this.#archive,
        clock,
        entropy: new SeededEntropy(),
        fetcher: web,
        leases: this.#leases,
        logger: silent,
        metrics: silent,
        parser: new InlineParser(),
        resolver: web,
        store: this.#store,
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

  /** Ends the process as `kill -9` does: what it goes on doing in memory reaches no disk. */
  kill(): void {
    this.#store?.kill();
    this.#leases?.kill();
    this.#archiveDisk = this.#archiveDisk.copy();
  }

  /** Lets this process's archive fail from now on as it does on a full disk. */
  fillArchiveDisk(): void {
    this.#archive?.failWith(new CrawlError("DISK_FULL", "no room for the archive"));
  }

  /** Injects seeds into the test's job. */
  inject(seeds: readonly string[], options: Partial<JobOptions> = {}): Promise<unknown> {
    return this.peer.inject(testJob, seeds, { ...defaultJobOptions, ...options });
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
