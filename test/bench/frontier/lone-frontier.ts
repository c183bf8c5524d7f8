import { join } from "node:path";
import { LeaseFile } from "../../../src/adapters/lease-file/lease-file.ts";
import { LevelStore } from "../../../src/adapters/level/level-store.ts";
import { PrometheusMetrics } from "../../../src/adapters/metrics/prometheus-metrics.ts";
import { SystemClock } from "../../../src/adapters/system/system-clock.ts";
import type { JobOptions } from "../../../src/core/jobs/job-definition.ts";
import type { IpAddress } from "../../../src/core/units.ts";
import { Admission } from "../../../src/peer/admission/admission.ts";
import { countInterrupted } from "../../../src/peer/durability/count-interrupted.ts";
import { Frontier } from "../../../src/peer/frontier/frontier.ts";
import type { FrontierOptions } from "../../../src/peer/frontier/frontier-options.ts";
import { JobRegistry, type Job } from "../../../src/peer/jobs/job-registry.ts";
import { Journal } from "../../../src/peer/durability/journal.ts";
import { LeaseLog } from "../../../src/peer/durability/lease-log.ts";
import { defaultPeerOptions } from "../../../src/peer/peer-options.ts";
import { Sequence } from "../../../src/peer/durability/sequence.ts";
import { SieveKeeper } from "../../../src/peer/admission/sieve-keeper.ts";
import { noMetrics, type Metrics } from "../../../src/ports/metrics.ts";
import type { Resolver } from "../../../src/ports/resolver.ts";
import { MemoryArchive } from "../../support/memory-archive.ts";
import { silentLogger } from "../../support/silent-logger.ts";

export const loneJob = "alone";

/** Where a peer under measurement keeps its database and its leases. */
export function dataPaths(directory: string): { readonly state: string; readonly leases: string } {
  return { state: join(directory, "state"), leases: join(directory, "leases") };
}

/** Names without a network: each new one gets the next address of 10.0.0.0/8, for ever. */
export class CountingResolver implements Resolver {
  readonly #numbers = new Map<string, number>();

  resolve(host: string): ReturnType<Resolver["resolve"]> {
    const number = this.#numbers.get(host) ?? this.#numbers.size;
    this.#numbers.set(host, number);
    const address = `10.${(number >>> 16) & 0xff}.${(number >>> 8) & 0xff}.${number & 0xff}`;
    return Promise.resolve({
      kind: "addresses",
      addresses: [address as IpAddress],
      expiresAtMs: Infinity,
    });
  }
}

export interface LoneFrontierOptions {
  readonly directory: string;
  /** Measurements as a peer with an API takes them, or none, as a one-shot crawl. */
  readonly counts: boolean;
  readonly job: Partial<JobOptions>;
  readonly frontier?: FrontierOptions;
  readonly onDue?: () => void;
}

/**
 * What admits, keeps and gives out URLs in a peer, wired as `src/peer/peer.ts` wires it, with its database, its journal and
 * its lease file, but without what fetches, parses and archives.
 */
export class LoneFrontier {
  readonly clock = new SystemClock();
  readonly metrics: Metrics;
  readonly store: LevelStore;
  readonly journal: Journal;
  readonly frontier: Frontier;
  readonly admission: Admission;
  readonly leases: LeaseLog;
  readonly job: Job;
  readonly #leaseFile: LeaseFile;
  readonly #sieve: SieveKeeper;
  readonly #abort = new AbortController();
  #failure: { readonly error: unknown } | undefined;

  private constructor(
    { directory, counts, job, frontier, onDue = () => undefined }: LoneFrontierOptions,
    opened: {
      readonly store: LevelStore;
      readonly archive: MemoryArchive;
      readonly jobs: JobRegistry;
      readonly sequence: Sequence;
      readonly sieve: SieveKeeper;
    },
  ) {
    const { clock } = this;
    const { store, archive, jobs, sequence, sieve } = opened;
    const metrics = counts ? new PrometheusMetrics() : noMetrics;
    const onFailure = (error: unknown): void => {
      this.#failure ??= { error };
    };
    const ports = { archive, clock, metrics, resolver: new CountingResolver(), store };
    this.metrics = metrics;
    this.store = store;
    this.journal = new Journal(ports, defaultPeerOptions.journal, onFailure);
    this.#leaseFile = new LeaseFile(dataPaths(directory).leases);
    this.leases = new LeaseLog(this.#leaseFile, onFailure);
    this.#sieve = sieve;
    this.frontier = new Frontier(
      ports,
      { jobs, journal: this.journal },
      { ...defaultPeerOptions, ...(frontier && { frontier }) },
      { signal: this.#abort.signal, onDue, onFailure },
    );
    this.admission = new Admission(
      ports,
      { journal: this.journal, frontier: this.frontier, sieve, sequence },
      defaultPeerOptions,
      onFailure,
    );
    this.journal.contribute(() => jobs.takeUnsaved());
    this.journal.contribute(() => sequence.takeUnsaved());
    this.job = jobs.define(loneJob, job);
    void this.journal.append(jobs.takeUnsaved());
  }

  /** Opens the directory, new or left by an earlier process, and brings in the hosts that wait in it. */
  static async open(options: LoneFrontierOptions): Promise<LoneFrontier> {
    const store = new LevelStore({ directory: dataPaths(options.directory).state });
    const archive = new MemoryArchive();
    const jobs = new JobRegistry();
    const sequence = new Sequence();
    const sieve = new SieveKeeper(defaultPeerOptions.sieve, silentLogger);
    await store.start();
    await archive.start(undefined);
    for (const part of [jobs, sequence, sieve]) await part.load(store);
    const lone = new LoneFrontier(options, { store, archive, jobs, sequence, sieve });
    const { journal, leases } = lone;
    await countInterrupted({ logger: silentLogger, store }, { jobs, journal, leases });
    lone.frontier.start();
    return lone;
  }

  /** What a peer looks after four times a second. Errors: what made a part fail. */
  readonly tick = (): void => {
    if (this.#failure) throw this.#failure.error;
    if (this.#sieve.snapshotDue) void this.journal.append(this.#sieve.snapshotPart());
  };

  async close(): Promise<void> {
    this.#abort.abort();
    await this.admission.idle();
    await this.journal.flushed();
    await this.#leaseFile.stop();
    await this.store.stop();
  }
}
