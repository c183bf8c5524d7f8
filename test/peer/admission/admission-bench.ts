import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { Dice } from "../../../sim/world/dice.ts";
import { VirtualDisk } from "../../../sim/world/virtual-disk.ts";
import { VirtualProcess } from "../../../sim/world/virtual-process.ts";
import { VirtualStore } from "../../../sim/world/virtual-store.ts";
import { packLinks } from "../../../src/core/page/packed-links.ts";
import { noLinks } from "../../../src/core/page/parsed-page.ts";
import { idOf } from "../../../src/core/record/id-of.ts";
import type { OutboxEntry } from "../../../src/core/record/record.pb.ts";
import type { SieveOptions } from "../../../src/core/sieve/sieve.ts";
import type { CanonicalUrl, HostName } from "../../../src/core/units.ts";
import { siteOfHost } from "../../../src/core/url/site-of.ts";
import { Admission } from "../../../src/peer/admission/admission.ts";
import type { AdmissionRequest } from "../../../src/peer/admission/admission.ts";
import { seedsOf } from "../../../src/peer/admission/seed-judge.ts";
import { MergedUrls } from "../../../src/peer/admission/merged-urls.ts";
import { SieveKeeper } from "../../../src/peer/admission/sieve-keeper.ts";
import { urlRow } from "../../../src/peer/admission/url-row.ts";
import { Journal } from "../../../src/peer/durability/journal.ts";
import { Sequence } from "../../../src/peer/durability/sequence.ts";
import { Frontier } from "../../../src/peer/frontier/frontier.ts";
import type { Host } from "../../../src/peer/frontier/host.ts";
import type { JobOptions } from "../../../src/core/jobs/job-definition.ts";
import { JobRegistry, type Job } from "../../../src/peer/jobs/job-registry.ts";
import { defaultPeerOptions } from "../../../src/peer/peer-options.ts";
import { noMetrics } from "../../../src/ports/metrics.ts";
import { MemoryArchive } from "../../support/memory-archive.ts";
import { silentLogger } from "../../support/silent-logger.ts";
import { TableWeb } from "../../support/table-web.ts";

type Links = AdmissionRequest["links"];

export const none = (): void => undefined;

export function linksTo(...urls: string[]): Links {
  return packLinks(urls as CanonicalUrl[], false);
}

interface BenchOptions {
  readonly allowPrivate?: boolean;
  readonly pendingOpsMax?: number;
  readonly sieve?: Partial<SieveOptions>;
  readonly job?: Partial<JobOptions>;
}

/** Admission on a disk of its own, which is slow enough for others to come between. */
export class AdmissionBench {
  readonly clock = new VirtualClock();
  readonly disk = new VirtualDisk();
  readonly merged = new MergedUrls();
  /** Whether all links leave for other members. */
  leaves = false;
  /** Rows, at their owners, of what has left before, and of what leaves now. */
  readonly known = new Set<string>();
  readonly sent: string[] = [];
  readonly failures: unknown[] = [];
  readonly #jobs = new JobRegistry();
  readonly job: Job;
  readonly #ports;
  readonly #frontier: Frontier;
  readonly journal: Journal;
  readonly sieve: SieveKeeper;
  readonly admission: Admission;

  constructor({
    allowPrivate = false,
    pendingOpsMax = 10_000,
    sieve = {},
    job = {},
  }: BenchOptions = {}) {
    this.job = this.#jobs.define("test", job);
    const process = new VirtualProcess("peer-1", 1, this.clock);
    const times = { writeMs: 1, syncMedianMs: 30, syncTail: 0 };
    const store = new VirtualStore(this.disk, process, new Dice(1), times);
    const { clock, merged } = this;
    const resolver = new TableWeb(clock, () => undefined);
    const archive = new MemoryArchive();
    this.#ports = { archive, clock, metrics: noMetrics, resolver, store };
    const journalOptions = { ...defaultPeerOptions.journal, pendingOpsMax };
    const onFailure = (error: unknown): void => void this.failures.push(error);
    const journal = new Journal(this.#ports, journalOptions, onFailure);
    this.journal = journal;
    this.#frontier = new Frontier(this.#ports, { jobs: this.#jobs, journal }, defaultPeerOptions, {
      signal: new AbortController().signal,
      onDue: none,
      onFailure,
    });
    const outlet = {
      takes: () => this.leaves,
      knows: (rowKey: Uint8Array) => this.known.has(idOf(rowKey)),
      send: ({ entry }: { entry: OutboxEntry }) => void this.sent.push(entry.url),
    };
    this.sieve = new SieveKeeper({ ...defaultPeerOptions.sieve, ...sieve }, silentLogger);
    const parts = {
      journal,
      frontier: this.#frontier,
      sieve: this.sieve,
      sequence: new Sequence(),
      outlet,
      merged,
    };
    this.admission = new Admission(this.#ports, parts, { allowPrivate }, onFailure);
  }

  async run(test: () => Promise<void>): Promise<void> {
    const { archive, store } = this.#ports;
    await this.clock.run(Promise.all([store.start(), archive.start(undefined)]).then(test));
  }

  /** What the next start reads of the sieve. */
  async restarted(): Promise<SieveKeeper> {
    const keeper = new SieveKeeper(defaultPeerOptions.sieve, silentLogger);
    await keeper.load(this.#ports.store);
    return keeper;
  }

  seeds(...urls: string[]): AdmissionRequest {
    return seedsOf(this.job, linksTo(...urls));
  }

  /** Links of a page of a host. */
  async linksOn(name: string, urls: Partial<AdmissionRequest>): Promise<AdmissionRequest> {
    const host = name as HostName;
    const hosts = await this.#frontier.hostsFor(new Map([[host, siteOfHost(host)]]));
    const source = hosts.get(host) as Host;
    const base = { job: this.job, source, depth: 1, redirectChain: [] };
    return { ...base, links: noLinks, excluded: [], ...urls };
  }

  /** The key of the row that a URL has, or is to have. */
  rowKey(url: string): Uint8Array {
    return urlRow(url as CanonicalUrl, this.job).key;
  }
}
