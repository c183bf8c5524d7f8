import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { Dice } from "../../../sim/world/dice.ts";
import { VirtualDisk } from "../../../sim/world/virtual-disk.ts";
import { VirtualProcess } from "../../../sim/world/virtual-process.ts";
import { VirtualStore } from "../../../sim/world/virtual-store.ts";
import { packLinks } from "../../../src/core/page/packed-links.ts";
import { noLinks } from "../../../src/core/page/parsed-page.ts";
import { idOf } from "../../../src/core/record/id-of.ts";
import { readOutboxKey, tagRange } from "../../../src/core/record/keys.ts";
import { OutboxEntry, UrlRecord } from "../../../src/core/record/record.pb.ts";
import type { SieveOptions } from "../../../src/core/sieve/sieve.ts";
import type { CanonicalUrl, HostName } from "../../../src/core/units.ts";
import { siteOfHost } from "../../../src/core/url/site-of.ts";
import { Admission } from "../../../src/peer/admission/admission.ts";
import type { AdmissionRequest } from "../../../src/peer/admission/admission.ts";
import { seedsOf } from "../../../src/peer/admission/judge-seeds.ts";
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

const none = (): void => undefined;
const newValue = Uint8Array.of(1);
const privateUrl = "http://10.0.0.1/";

function linksTo(...urls: string[]): Links {
  return packLinks(urls as CanonicalUrl[], false);
}

interface BenchOptions {
  readonly allowPrivate?: boolean;
  readonly pendingOpsMax?: number;
  readonly sieve?: Partial<SieveOptions>;
  readonly job?: Partial<JobOptions>;
}

/** Admission on a disk of its own, which is slow enough for others to come between. */
class Bench {
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

describe("a request to admission", () => {
  it("passes over a URL of which a row came in while it was looked up", async () => {
    const bench = new Bench();
    await bench.run(async () => {
      const url = "http://a.example/";
      const admitted = bench.admission.admit(bench.seeds(url, "http://b.example/"));
      bench.merged.add(idOf(bench.rowKey(url)));
      const { added, durable } = await admitted;
      await durable;
      expect(added).toEqual([1]);
      expect(bench.disk.has(bench.rowKey(url))).toBe(false);
      expect(bench.job.counter.queued).toBe(1);
    });
  });

  it.each([
    [true, [0], ""],
    [false, [], "address-forbidden"],
  ])("may lead to an address that is private: %s", async (allowPrivate, expected, reason) => {
    const bench = new Bench({ allowPrivate });
    await bench.run(async () => {
      const { added, durable } = await bench.admission.admit(bench.seeds(privateUrl));
      await durable;
      expect(added).toEqual(expected);
      const record = UrlRecord.decode(bench.disk.get(bench.rowKey(privateUrl)) ?? new Uint8Array());
      expect(record.excluded ?? "").toBe(reason);
    });
  });

  it.each([
    ["writes wait for a commit", { pendingOpsMax: 1 }],
    ["links are offered whose rows are not durable", { sieve: { unsettledOffersMax: 1 } }],
  ])("waits while as many %s as may", async (_, options) => {
    const bench = new Bench(options);
    await bench.run(async () => {
      const order: string[] = [];
      const first = await bench.admission.admit(bench.seeds("http://a.example/"));
      const second = bench.admission.admit(bench.seeds("http://b.example/"));
      await Promise.all([
        first.durable.then(() => order.push("the first is durable")),
        second.then(() => order.push("the second is in the journal")),
      ]);
      expect(order).toEqual(["the first is durable", "the second is in the journal"]);
    });
  });

  it.each([
    ["host-limit", { pagesPerHostMax: 2 }],
    ["query-explosion", { queriesPerPathMax: 2 }],
  ])("lets no more in than the job's limit allows: %s", async (reason, job) => {
    const bench = new Bench({ job });
    await bench.run(async () => {
      const urls = [1, 2, 3].map((number) => `http://a.example/?${number}`);
      const { added, durable } = await bench.admission.admit(bench.seeds(...urls));
      await durable;
      expect(added).toEqual([0, 1]);
      const reasons = urls.map((url) => {
        const record = bench.disk.get(bench.rowKey(url));
        return record && (UrlRecord.decode(record).excluded ?? "queued");
      });
      expect(reasons).toEqual(["queued", "queued", reason]);
      expect(bench.job.counter.queued).toBe(2);
      expect(bench.job.counter.counts().skipped).toEqual({ [reason]: 1 });
    });
  });

  it("looks up what the sieve cannot tell, and queues what is not there", async () => {
    const bench = new Bench();
    const { sieve } = bench.sieve;
    await bench.run(async () => {
      const urls = ["http://a.example/known", "http://a.example/new"] as const;
      const { fingerprints } = linksTo(...urls);
      for (const at of urls.keys()) sieve.add(bench.job.space, fingerprints, 4 * at);
      bench.disk.apply([{ type: "put", key: bench.rowKey(urls[0]), value: newValue }]);
      const { added } = await bench.admission.admit(bench.seeds(...urls));
      expect(added).toEqual([1]);
      expect(sieve.unsettled).toBe(0);
    });
  });

  it("lets a URL in that was kept out, which counts as skipped no more", async () => {
    const bench = new Bench();
    await bench.run(async () => {
      const url = "http://b.example/";
      const excluded = [{ reason: "scope" as const, links: linksTo(url) }];
      await bench.admission.admit(await bench.linksOn("a.example", { excluded }));
      const { added, durable } = await bench.admission.admit(bench.seeds(url));
      await durable;
      expect(added).toEqual([0]);
      expect(bench.job.counter.counts().skipped).toEqual({});
      expect(bench.disk.entries(tagRange("exclusion"))).toEqual([]);
    });
  });

  it("ends its page with the rest of its batch, and tells when that is durable", async () => {
    const bench = new Bench();
    await bench.run(async () => {
      const key = bench.rowKey("http://a.example/");
      const told: Promise<void>[] = [];
      const page = await bench.linksOn("a.example", {
        links: linksTo("http://b.example/"),
        settle: () => ({
          host: page.source as Host,
          ops: [{ type: "put", key, value: newValue }],
          appended: (durable) => void told.push(durable),
        }),
      });
      const { durable } = await bench.admission.admit(page);
      expect(told).toEqual([durable]);
      await durable;
      expect(bench.disk.get(key)).toEqual(newValue);
    });
  });

  it("is settled once it is in the journal, whatever else is asked for", async () => {
    const bench = new Bench();
    await bench.run(async () => {
      void bench.admission.admit(bench.seeds("http://a.example/"));
      await bench.admission.settled();
      expect(bench.job.counter.queued).toBe(1);
    });
  });

  it("is refused with the error of one that failed before", async () => {
    const bench = new Bench();
    await bench.run(async () => {
      const bad = await bench.linksOn("a.example", {
        links: linksTo("http://a.example/1"),
        settle: () => {
          throw new Error("half-way");
        },
      });
      const failing = bench.admission.admit(bad);
      const waiting = bench.admission.admit(bench.seeds("http://c.example/"));
      const settled = bench.admission.settled();
      await expect(failing).rejects.toThrow("half-way");
      await expect(waiting).rejects.toThrow("half-way");
      await settled;
      const next = bench.admission.admit(bench.seeds("http://a.example/1"));
      await expect(next).rejects.toThrow("half-way");
      const key = bench.rowKey("http://a.example/2");
      await expect(bench.journal.append([{ type: "del", key }])).rejects.toThrow("half-way");
      await bench.clock.sleep(1_000);
      expect(bench.disk.rows).toBe(0);
    });
  });

  it("leaves its links to whoever brought them where they are not for this peer", async () => {
    const bench = new Bench();
    await bench.run(async () => {
      bench.leaves = true;
      const { added } = await bench.admission.admit(bench.seeds("http://a.example/"));
      await bench.clock.sleep(1_000);
      expect([added, bench.sent, bench.disk.rows]).toEqual([[], [], 0]);
    });
  });

  it("sends what a page leads to elsewhere once, and nothing that has left before", async () => {
    const bench = new Bench();
    await bench.run(async () => {
      const [once, before] = ["http://b.example/", "http://c.example/"];
      bench.leaves = true;
      bench.known.add(idOf(bench.rowKey(before)));
      const pages = [
        await bench.linksOn("a.example", { links: linksTo(before) }),
        // These two are looked at together, when the first is done.
        await bench.linksOn("a.example", { links: linksTo(once, before) }),
        await bench.linksOn("d.example", { links: linksTo(once) }),
      ];
      await Promise.all(pages.map((page) => bench.admission.admit(page)));
      await bench.clock.sleep(1_000);
      expect(bench.sent).toEqual([once]);
      expect(bench.disk.entries(tagRange("outbox"))).toHaveLength(1);
    });
  });

  it("tells the owner of a URL why it is kept out", async () => {
    const bench = new Bench();
    await bench.run(async () => {
      bench.leaves = true;
      const excluded = [{ reason: "scope" as const, links: linksTo("http://b.example/") }];
      const page = await bench.linksOn("a.example", { excluded });
      const { durable } = await bench.admission.admit(page);
      await durable;
      const [row] = bench.disk.entries(tagRange("outbox"));
      expect(row && readOutboxKey(row.key).tag).toBe("exclusion");
      expect(row && OutboxEntry.decode(row.value).excluded).toBe("scope");
    });
  });

  it.each([
    ["here", false, "b.example"],
    ["elsewhere", true, undefined],
  ])("is told of the host of a page to ask again that is %s", async (_, leaves, expected) => {
    const bench = new Bench();
    await bench.run(async () => {
      const told: unknown[] = [];
      const page = await bench.linksOn("a.example", {
        backTo: "http://b.example/" as CanonicalUrl,
        settle: (back) => {
          told.push(back?.visit.host);
          return { host: page.source as Host, ops: [], appended: none };
        },
      });
      bench.leaves = leaves;
      await bench.admission.admit(page);
      expect(told).toEqual([expected]);
    });
  });

  it("has a start find the host of a page that is asked again, and when it was asked", async () => {
    const bench = new Bench();
    await bench.run(async () => {
      const { job } = bench;
      const url = "http://a.example/";
      const found = { depth: 0, attempts: 1, unseen: 0, redirectChain: [], discoveredAtMs: 0 };
      const entry = { url, ...found };
      const page = await bench.linksOn("a.example", {
        settle: () => {
          const host = page.source as Host;
          const again = { host, job, rowKey: bench.rowKey(url), entry };
          return { host, ops: [], appended: none, again };
        },
      });
      const { durable } = await bench.admission.admit(page);
      await durable;
      expect(bench.disk.entries(tagRange("queue"))).toHaveLength(1);
      expect(bench.disk.entries(tagRange("host"))).toHaveLength(1);
      expect(bench.disk.entries(tagRange("waiting"))).toHaveLength(1);
    });
  });

  it("has a start find the host whose last page leads to the next one", async () => {
    const bench = new Bench();
    await bench.run(async () => {
      const first = await bench.admission.admit(bench.seeds("http://a.example/"));
      await first.durable;
      await bench.clock.sleep(10_000);
      const page = await bench.linksOn("a.example", {
        links: linksTo("http://a.example/next"),
        settle: () => ({ host: page.source as Host, ops: [], appended: none }),
      });
      const { durable } = await bench.admission.admit(page);
      await durable;
      expect(bench.disk.entries(tagRange("waiting"))).toHaveLength(1);
    });
  });
});
