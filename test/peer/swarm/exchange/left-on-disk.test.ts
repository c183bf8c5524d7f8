import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import { outboxKey } from "../../../../src/core/record/outbox-key.ts";
import { tagRange } from "../../../../src/core/record/key-ranges.ts";
import { OutboxEntry } from "../../../../src/core/record/record.pb.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import type { CanonicalUrl, MemberId } from "../../../../src/core/units.ts";
import { urlRow } from "../../../../src/peer/admission/url-row.ts";
import { JobRegistry } from "../../../../src/peer/jobs/job-registry.ts";
import { Exchange } from "../../../../src/peer/swarm/exchange/exchange.ts";
import { defaultLaneOptions } from "../../../../src/peer/swarm/exchange/forward-lane.ts";
import {
  newParcel,
  type Acknowledged,
  type Parcel,
} from "../../../../src/peer/swarm/exchange/parcel.ts";
import { noMetrics } from "../../../../src/ports/metrics.ts";
import type { Store, StoreOp } from "../../../../src/ports/store.ts";
import { silentLogger } from "../../../support/silent-logger.ts";
import { timelessStore } from "../../../support/still-process.ts";
import { storeWith } from "../store-with.ts";

type Parts = ConstructorParameters<typeof Exchange>[1];

const self = "self" as MemberId;

/** Rows that one URL takes with it. */
const keysMax = 64;

/** An exchange that holds everything, and has room for a single URL of its job. */
class Bench {
  readonly clock = new VirtualClock();
  readonly #store = timelessStore();
  readonly sent: string[] = [];
  readonly #jobs = new JobRegistry();
  readonly job = this.#jobs.define("j");
  knowsJob = true;
  /** Whether who holds the sites takes nothing. */
  isBusy = false;
  /** Until when the disk shows nothing. */
  readable: Promise<unknown> = Promise.resolve();
  /** How often the outbox was read. */
  reads = 0;
  readonly exchange: Exchange;

  constructor() {
    const range: Store["range"] = async (...args) => {
      this.reads += 1;
      await this.readable;
      return this.#store.range(...args);
    };
    const parts = {
      journal: {
        append: (ops: StoreOp[]) => this.#store.write(ops, { sync: true }),
        flushed: () => Promise.resolve(),
      },
      view: {
        self,
        others: [],
        ring: { ownerOf: () => self, preferenceOf: () => [self] },
        isRunning: () => false,
      },
      territory: { holds: () => true, held: ArcSet.whole, runningHolderAt: () => undefined },
      deliver: (_: MemberId, parcels: readonly Parcel[]) => {
        if (this.isBusy) return Promise.resolve({ kind: "later", afterMs: 200 });
        this.sent.push(...parcels.map(({ entry }) => entry.url));
        return Promise.resolve({ kind: "received", results: parcels.map(() => "new") });
      },
      jobs: {
        all: () => (this.knowsJob ? [this.job] : []),
        bySpace: () => (this.knowsJob ? this.job : undefined),
      },
      wake: () => undefined,
    } as unknown as Parts;
    const store = storeWith(this.#store, { range });
    this.exchange = new Exchange(
      { clock: this.clock, logger: silentLogger, metrics: noMetrics, store },
      parts,
      { pendingMax: 1, rowsMax: 1, sentCacheCapacity: 64, lane: defaultLaneOptions, replicas: 2 },
      (error) => {
        throw error;
      },
    );
  }

  async run(test: () => Promise<void>): Promise<void> {
    await this.clock.run(this.#store.start().then(test));
  }

  /** The URL is found on the page at that place of the ring. */
  async find(url: string, place = 0n): Promise<Parcel> {
    const { rowKey, entry, sinceMs } = this.#parcel(url);
    const key = outboxKey(place, rowKey);
    await this.#store.write([{ type: "put", key, value: OutboxEntry.encode(entry) }], {
      sync: true,
    });
    const link = newParcel({ rowKey, outboxKey: key, entry, sinceMs });
    this.exchange.send(link);
    return link;
  }

  /** Somebody gives the URL, and waits. */
  inject(url: string, acknowledged: Acknowledged): void {
    this.exchange.send(this.#parcel(url, acknowledged));
  }

  #parcel(url: string, acknowledged?: Acknowledged): Parcel {
    const { key: rowKey } = urlRow(url as CanonicalUrl, this.job);
    const entry = { url, job: "j", depth: 1, redirectChain: [] };
    const waiting = acknowledged ? { acknowledged } : {};
    return newParcel({ rowKey, entry, sinceMs: this.clock.nowMs(), ...waiting });
  }

  get pendingOfJob(): number {
    return this.exchange.pendingOf(this.job.space);
  }

  async rows(): Promise<number> {
    return (await this.#store.range(tagRange("outbox"), 1_000)).length;
  }
}

const urls = [1, 2, 3, 4].map((number) => `http://a.example/${number}`);
const [first = "", second = "", third = "", fourth = ""] = urls;

describe("links that stay on disk for want of room", () => {
  it("are sent when there is room, and so are those that stay there later", async () => {
    const bench = new Bench();
    await bench.run(async () => {
      await bench.find(first);
      await bench.find(second);
      expect(bench.exchange.pending).toBe(1);
      await bench.clock.sleep(10_000);
      expect(bench.sent).toEqual([first, second]);
      await bench.find(third);
      await bench.find(fourth);
      await bench.clock.sleep(10_000);
      expect(bench.sent).toEqual(urls);
      expect([bench.pendingOfJob, await bench.rows()]).toEqual([0, 0]);
      // Nothing is left to look after.
      expect(bench.clock.sleepers).toBe(0);
    });
  });

  it("count as under way while they are read", async () => {
    const bench = new Bench();
    await bench.run(async () => {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      await bench.find(first);
      await bench.find(second);
      bench.readable = promise;
      await bench.clock.sleep(6_000);
      expect([bench.reads, bench.exchange.pending]).toEqual([1, 0]);
      expect(bench.pendingOfJob).toBe(1);
      resolve(undefined);
      await bench.clock.sleep(6_000);
      expect([bench.sent, bench.pendingOfJob]).toEqual([[first, second], 0]);
    });
  });

  it("are not read as long as there is no room", async () => {
    const bench = new Bench();
    await bench.run(async () => {
      bench.isBusy = true;
      for (const url of urls) await bench.find(url);
      // The lane's, and one for all that is to be read.
      expect(bench.clock.sleepers).toBe(2);
      await bench.clock.sleep(60_000);
      expect([bench.reads, bench.sent]).toEqual([0, []]);
      bench.isBusy = false;
      await bench.clock.sleep(60_000);
      expect(bench.sent.toSorted()).toEqual(urls);
    });
  });

  it("are not read as long as their job is unknown", async () => {
    const bench = new Bench();
    await bench.run(async () => {
      bench.knowsJob = false;
      bench.isBusy = true;
      for (const url of urls) await bench.find(url);
      await bench.clock.sleep(60_000);
      expect([bench.reads, bench.pendingOfJob]).toEqual([0, 2]);
      bench.knowsJob = true;
      bench.isBusy = false;
      await bench.clock.sleep(60_000);
      expect(bench.sent.toSorted()).toEqual(urls);
    });
  });

  it("are none of a job that is known, where others wait for the word of theirs", async () => {
    const bench = new Bench();
    await bench.run(async () => {
      bench.knowsJob = false;
      await bench.find(first);
      bench.knowsJob = true;
      await bench.find(second);
      expect(bench.exchange.pending).toBe(2);
      await bench.clock.sleep(1_000);
      expect(bench.sent).toEqual([first, second]);
    });
  });

  it("are those of a URL that has many already, and go when it has arrived", async () => {
    const bench = new Bench();
    await bench.run(async () => {
      const link = await bench.find(first);
      // As a row is that is read once more.
      await bench.find(first);
      expect(link.outboxKeys).toHaveLength(1);
      for (let page = 1; page < keysMax + 10; page += 1) {
        await bench.find(first, BigInt(page) << 50n);
      }
      expect(link.outboxKeys).toHaveLength(keysMax);
      await bench.clock.sleep(20_000);
      expect([bench.pendingOfJob, await bench.rows()]).toEqual([0, 0]);
    });
  });

  it("keep no seed back, whose giver waits", async () => {
    const bench = new Bench();
    await bench.run(async () => {
      await bench.find(first);
      const told: boolean[] = [];
      bench.inject(second, (isNew) => told.push(isNew));
      await bench.clock.sleep(1_000);
      expect(told).toEqual([true]);
    });
  });

  it("are left there where the peer stops, and nothing waits for them", async () => {
    const bench = new Bench();
    await bench.run(async () => {
      await bench.find(first);
      await bench.find(second);
      bench.exchange.stop();
      await bench.clock.sleep(0);
      expect(bench.clock.sleepers).toBe(0);
      await bench.clock.sleep(10_000);
      expect([bench.sent, await bench.rows()]).toEqual([[], 2]);
    });
  });
});
