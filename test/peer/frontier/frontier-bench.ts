import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { defaultPolitenessOptions } from "../../../src/core/politeness/politeness-options.ts";
import { queueKey } from "../../../src/core/record/queue-keys.ts";
import { tagRange } from "../../../src/core/record/key-ranges.ts";
import { QueueBundle } from "../../../src/core/record/queue-bundle.ts";
import type { HostName, IpAddress, JobId } from "../../../src/core/units.ts";
import { siteOfHost } from "../../../src/core/url/site-of.ts";
import type { Journal } from "../../../src/peer/durability/journal.ts";
import { Frontier } from "../../../src/peer/frontier/frontier.ts";
import type { Host } from "../../../src/peer/frontier/host.ts";
import { JobRegistry, type Job } from "../../../src/peer/jobs/job-registry.ts";
import type { Resolver } from "../../../src/ports/resolver.ts";
import type { StoreEntry, StoreOp } from "../../../src/ports/store.ts";
import { timelessStore } from "../../support/still-process.ts";

export const delayMs = 1_000;
export const addressHoldsMs = 60_000;
export const testJob = "test" as JobId;
const noUrl = new Uint8Array(29);

/** The frontier of a peer that asks nobody, with places for so many hosts. */
export class FrontierBench {
  readonly clock = new VirtualClock();
  readonly jobs = new JobRegistry();
  readonly job = this.jobs.define(testJob, { delayMs });
  readonly store = timelessStore();
  readonly failures: unknown[] = [];
  due = 0;
  /** Called each time that something may be due. */
  onDue: () => void = () => undefined;
  address = "192.0.2.1";
  /** What the journal fails with. */
  failure: Error | undefined;
  readonly frontier: Frontier;
  #sequence = 0;

  static async open(activeHostsMax: number): Promise<FrontierBench> {
    const bench = new FrontierBench(activeHostsMax);
    await bench.store.start();
    return bench;
  }

  private constructor(activeHostsMax: number) {
    const { clock, jobs, store } = this;
    const journal: Pick<Journal, "append" | "flushed"> = {
      append: (ops) => this.#write(ops),
      flushed: async () => {
        await new Promise(setImmediate);
        if (this.failure) throw this.failure;
      },
    };
    const resolver: Resolver = {
      resolve: () => {
        const addresses = [this.address as IpAddress];
        const expiresAtMs = clock.nowMs() + addressHoldsMs;
        return Promise.resolve({ kind: "addresses", addresses, expiresAtMs });
      },
    };
    this.frontier = new Frontier(
      { clock, resolver, store },
      { jobs, journal: journal as Journal },
      {
        frontier: { activeHostsMax, headUrlsMax: 8 },
        politeness: { ...defaultPolitenessOptions, addressDelayMs: 0 },
      },
      {
        signal: new AbortController().signal,
        onDue: () => {
          this.due += 1;
          this.onDue();
        },
        onFailure: (error) => this.failures.push(error),
      },
    );
  }

  find(...names: string[]): Promise<Map<HostName, Host>> {
    const hosts = names as HostName[];
    return this.frontier.hostsFor(new Map(hosts.map((name) => [name, siteOfHost(name)])));
  }

  /** Queues a URL of the host, and lets the frontier do what follows from it. */
  async queue(name: string, found = this.find(name), job = this.job): Promise<Host> {
    const host = (await found).get(name as HostName);
    if (!host) throw new Error("every host is found");
    const row = this.write(host, job);
    await this.#write(this.frontier.keepWaiting(host));
    this.frontier.added(host, [{ ...row, job: job.definition.id }]);
    await settled();
    return host;
  }

  /** Puts a queued URL of the host on disk, of which the frontier is not told. */
  write({ keys, visit }: Host, { space }: Job): StoreEntry {
    const key = queueKey(keys, space, 0, (this.#sequence += 1), [noUrl]);
    const discovery = { depth: 0, attempts: 0, unseen: 0, redirectChain: [], discoveredAtMs: 0 };
    const value = QueueBundle.encode({ urls: [`http://${visit.host}/`], taken: 0, ...discovery });
    void this.#write([{ type: "put", key, value }]);
    return { key, value };
  }

  /** Fetches the URL that is due, which leads nowhere. */
  async visit(): Promise<void> {
    const lease = this.frontier.take();
    if (!lease) throw new Error("nothing is due");
    const nowMs = this.clock.nowMs();
    const { visit } = lease.host;
    visit.gate.record({ kind: "ok", startedAtMs: nowMs, finishedAtMs: nowMs }, visit.delayMs);
    this.frontier.closeRequest(lease, { finishedAtMs: nowMs });
    lease.host.leaseEnds(nowMs);
    const { row } = lease.url;
    row.take(lease.url);
    this.frontier.settle(lease, this.#write([{ type: "del", key: row.key }]));
    await settled();
  }

  /** Rows by which a start finds hosts. */
  get waiting(): number {
    return this.store.disk.entries(tagRange("waiting")).length;
  }

  #write(ops: readonly StoreOp[]): Promise<void> {
    this.store.disk.apply(ops);
    return Promise.resolve();
  }
}

/** What is under way ends: nothing here takes time. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
}
