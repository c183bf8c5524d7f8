import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import { outboxKey } from "../../../../src/core/record/outbox-key.ts";
import { tagRange } from "../../../../src/core/record/key-ranges.ts";
import { OutboxEntry } from "../../../../src/core/record/record.pb.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import { positionOf, type RingPosition } from "../../../../src/core/ring/ring-position.ts";
import type { CanonicalUrl, MemberId, SiteName } from "../../../../src/core/units.ts";
import { urlRow } from "../../../../src/peer/admission/url-row.ts";
import { JobRegistry, type Job } from "../../../../src/peer/jobs/job-registry.ts";
import { Exchange } from "../../../../src/peer/swarm/exchange/exchange.ts";
import { defaultLaneOptions } from "../../../../src/peer/swarm/exchange/forward-lane.ts";
import {
  newParcel,
  type Delivery,
  type Parcel,
} from "../../../../src/peer/swarm/exchange/parcel.ts";
import { noMetrics } from "../../../../src/ports/metrics.ts";
import type { Store, StoreOp } from "../../../../src/ports/store.ts";
import { silentLogger } from "../../../support/silent-logger.ts";
import { timelessStore } from "../../../support/still-process.ts";
import { storeWith } from "../store-with.ts";

type Parts = ConstructorParameters<typeof Exchange>[1];

const [good, bad, self] = ["good", "bad", "self"] as MemberId[];
const [bads, stuck] = ["bad.example", "stuck.example"].map((site) => positionOf(site as SiteName));
const { patienceMs, putOffRetryMs } = defaultLaneOptions;
const minuteMs = 60_000;

/** An exchange with room for ten URLs, and two other members: the one takes URLs, the other one when it is told so. */
class Bench {
  readonly clock = new VirtualClock();
  readonly #store = timelessStore();
  readonly sent = new Set<string>();
  readonly #jobs = new JobRegistry();
  readonly job = this.#jobs.define("j");
  readonly other = this.#jobs.define("k");
  /** What the bad member says to URLs; nothing where it takes them. */
  answer: Delivery | undefined = { kind: "later", afterMs: 200 };
  /** Of one of the bad member's sites. */
  owner = bad;
  asked = 0;
  reads = 0;
  woken = 0;
  /** How often was asked who keeps copies, for a way. */
  ways = 0;
  readonly exchange: Exchange;

  constructor() {
    const ownerOf = (position: RingPosition) => {
      if (position === stuck) return bad;
      return position === bads ? this.owner : good;
    };
    const range: Store["range"] = (...args) => {
      this.reads += 1;
      return this.#store.range(...args);
    };
    const parts = {
      journal: {
        append: (ops: StoreOp[]) => this.#store.write(ops, { sync: true }),
        flushed: () => Promise.resolve(),
      },
      view: {
        self,
        others: [good, bad],
        ring: {
          ownerOf,
          preferenceOf: (position: RingPosition) => {
            this.ways += 1;
            return [ownerOf(position), position === stuck ? good : self];
          },
        },
        isRunning: () => true,
      },
      territory: {
        holds: (position: RingPosition) => position === (0 as RingPosition),
        held: ArcSet.whole,
        runningHolderAt: () => undefined,
      },
      deliver: (to: MemberId, parcels: readonly Parcel[]) =>
        Promise.resolve(this.#take(to, parcels)),
      jobs: this.#jobs,
      wake: () => {
        this.woken += 1;
      },
    } as unknown as Parts;
    this.exchange = new Exchange(
      {
        clock: this.clock,
        logger: silentLogger,
        metrics: noMetrics,
        store: storeWith(this.#store, { range }),
      },
      parts,
      {
        pendingMax: 10,
        rowsMax: 100,
        sentCacheCapacity: 64,
        lane: defaultLaneOptions,
        replicas: 2,
      },
      (error) => {
        throw error;
      },
    );
  }

  #take(to: MemberId, parcels: readonly Parcel[]): Delivery {
    if (to === bad) this.asked += 1;
    if (to === bad && this.answer) return this.answer;
    for (const { entry } of parcels) this.sent.add(entry.url);
    return { kind: "received", results: parcels.map(() => "new") };
  }

  async run(test: () => Promise<void>): Promise<void> {
    await this.clock.run(this.#store.start().then(test));
  }

  /** As many URLs of the site are found on pages of this peer. */
  async find(site: string, count: number, job: Job = this.job): Promise<void> {
    for (let n = 0; n < count; n += 1) await this.link(`http://${site}/${n}`, 1, job);
  }

  /** A URL is found on a page of each of so many sites. */
  async link(url: string, sites: number, job: Job = this.job): Promise<void> {
    for (let site = 0; site < sites; site += 1) {
      const { rowKey, entry, sinceMs } = this.#parcel(url, job);
      const key = outboxKey(BigInt(site), rowKey);
      const row = { type: "put", key, value: OutboxEntry.encode(entry) } as const;
      await this.#store.write([row], { sync: true });
      this.exchange.send(newParcel({ rowKey, outboxKey: key, entry, sinceMs }));
    }
  }

  /** Somebody gives a URL, and waits. */
  inject(url: string, acknowledged: () => void): void {
    this.exchange.send({ ...this.#parcel(url, this.job), waiters: [acknowledged] });
  }

  #parcel(url: string, job: Job): Parcel {
    const { key: rowKey } = urlRow(url as CanonicalUrl, job);
    const entry = { url, job: job.definition.id, depth: 1, redirectChain: [] };
    return newParcel({ rowKey, entry, sinceMs: this.clock.nowMs() });
  }

  isBusyWith(job: Job): boolean {
    return this.exchange.pendingOf(job.space) > 0;
  }

  async rows(): Promise<number> {
    return (await this.#store.range(tagRange("outbox"), 1_000)).length;
  }
}

describe("links that their owner does not take", () => {
  it.each<[string, Delivery]>([
    ["asks to come again", { kind: "later", afterMs: 200 }],
    ["names nobody who would", { kind: "received", results: [] }],
  ])("leave the room to others after a while where it %s", async (_, answer) => {
    const bench = new Bench();
    await bench.run(async () => {
      bench.answer = answer;
      await bench.find("bad.example", 20);
      await bench.clock.sleep(patienceMs - 1_000);
      expect(bench.exchange).toMatchObject({ pending: 20, full: true });
      await bench.clock.sleep(2 * putOffRetryMs);
      expect(bench.exchange).toMatchObject({ pending: 1, full: false });
      expect(bench.woken).toBeGreaterThan(0);
      await bench.find("bad.example", 30);
      await bench.find("good.example", 5);
      await bench.clock.sleep(putOffRetryMs);
      expect([bench.exchange.full, bench.sent.size, await bench.rows()]).toEqual([false, 5, 30]);
    });
  });

  it("are all sent soon after it takes one, and only their job waits for them", async () => {
    const bench = new Bench();
    await bench.run(async () => {
      await bench.find("bad.example", 20);
      await bench.find("good.example", 1, bench.other);
      await bench.clock.sleep(30 * minuteMs);
      expect([bench.job, bench.other].map((job) => bench.isBusyWith(job))).toEqual([true, false]);
      bench.answer = undefined;
      await bench.clock.sleep(putOffRetryMs + 10_000);
      expect([bench.sent.size, await bench.rows()]).toEqual([21, 0]);
      expect(bench.isBusyWith(bench.job)).toBe(false);
      // Nothing is left to look after.
      expect(bench.clock.sleepers).toBe(0);
    });
  });

  it("are sent at once to a new owner", async () => {
    const bench = new Bench();
    await bench.run(async () => {
      await bench.find("bad.example", 20);
      await bench.find("stuck.example", 1);
      await bench.clock.sleep(33 * minuteMs);
      bench.owner = good;
      bench.exchange.reroute();
      await bench.clock.sleep(10_000);
      expect([bench.sent.size, bench.exchange.pending]).toEqual([20, 1]);
    });
  });

  it("are read as soon as none of them is on its way any more", async () => {
    const bench = new Bench();
    await bench.run(async () => {
      await bench.find("bad.example", 2);
      await bench.clock.sleep(30 * minuteMs);
      expect(bench.exchange.pending).toBe(1);
      const holder = { member: "good" as MemberId, generation: 1 };
      bench.answer = { kind: "received", results: [{ holder }] };
      await bench.clock.sleep(2 * (putOffRetryMs + 5_000));
      expect([bench.sent.size, bench.isBusyWith(bench.job)]).toEqual([2, false]);
    });
  });

  it("are sent, and read, now and then", async () => {
    const bench = new Bench();
    await bench.run(async () => {
      await bench.find("bad.example", 20);
      await bench.clock.sleep(patienceMs + minuteMs);
      const { asked, reads } = bench;
      await bench.clock.sleep(20 * minuteMs);
      expect(bench.asked - asked).toBe((20 * minuteMs) / putOffRetryMs);
      expect(bench.reads - reads).toBeLessThan(10);
    });
  });

  it("cost others nothing when they have gone elsewhere", async () => {
    const bench = new Bench();
    await bench.run(async () => {
      await bench.find("bad.example", 1);
      await bench.clock.sleep(1_000);
      bench.owner = good;
      bench.exchange.reroute();
      await bench.clock.sleep(patienceMs);
      expect(bench.exchange.pending).toBe(0);
      const { ways } = bench;
      await bench.find("good.example", 10);
      await bench.clock.sleep(1_000);
      expect([bench.sent.size, bench.ways - ways]).toEqual([11, 0]);
    });
  });

  it("are read no more often where more pages lead to one of them than it takes with it", async () => {
    const bench = new Bench();
    await bench.run(async () => {
      await bench.link("http://bad.example/", 100);
      await bench.clock.sleep(patienceMs + minuteMs);
      const { reads } = bench;
      await bench.clock.sleep(20 * minuteMs);
      // Each time in some pieces.
      expect(bench.reads - reads).toBeLessThan(20);
      bench.answer = undefined;
      await bench.clock.sleep(putOffRetryMs + 20_000);
      expect([bench.sent.size, await bench.rows()]).toEqual([1, 0]);
      expect(bench.isBusyWith(bench.job)).toBe(false);
    });
  });

  it("are given by nobody who waits: such a seed is kept, and sent with one of them", async () => {
    const bench = new Bench();
    await bench.run(async () => {
      await bench.find("bad.example", 20);
      await bench.clock.sleep(patienceMs + minuteMs);
      let told = 0;
      bench.inject("http://bad.example/seed", () => (told += 1));
      await bench.find("bad.example", 30);
      await bench.clock.sleep(2 * putOffRetryMs);
      expect([bench.exchange.pending, told]).toEqual([2, 0]);
      bench.answer = undefined;
      await bench.clock.sleep(putOffRetryMs);
      expect(told).toBe(1);
    });
  });

  it("are not put off where it was refused one now and then", async () => {
    const bench = new Bench();
    await bench.run(async () => {
      for (let n = 0; n < 3; n += 1) {
        bench.answer = { kind: "later", afterMs: 200 };
        await bench.find("bad.example", 20);
        await bench.clock.sleep(patienceMs - 5_000);
        bench.answer = undefined;
        await bench.clock.sleep(1_000);
        expect([bench.exchange.pending, bench.reads]).toEqual([0, 0]);
      }
    });
  });
});
