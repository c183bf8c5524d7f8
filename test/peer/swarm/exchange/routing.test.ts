import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import { outboxKey } from "../../../../src/core/record/outbox-key.ts";
import { OutboxEntry } from "../../../../src/core/record/record.pb.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import type { RingPosition } from "../../../../src/core/ring/ring-position.ts";
import type { CanonicalUrl, MemberId } from "../../../../src/core/units.ts";
import { urlRow } from "../../../../src/peer/admission/url-row.ts";
import { JobRegistry } from "../../../../src/peer/jobs/job-registry.ts";
import { Exchange } from "../../../../src/peer/swarm/exchange/exchange.ts";
import { defaultLaneOptions } from "../../../../src/peer/swarm/exchange/forward-lane.ts";
import { newParcel, type Parcel } from "../../../../src/peer/swarm/exchange/parcel.ts";
import { noMetrics } from "../../../../src/ports/metrics.ts";
import type { StoreOp } from "../../../../src/ports/store.ts";
import { silentLogger } from "../../../support/silent-logger.ts";
import { timelessStore } from "../../../support/still-process.ts";

type Parts = ConstructorParameters<typeof Exchange>[1];

const [self, owner, hinted, holder] = ["self", "owner", "hinted", "holder"] as MemberId[];
const url = "http://a.example/" as CanonicalUrl;

/** An exchange whose member holds all or nothing, and knows of others what the test says. */
class Bench {
  readonly clock = new VirtualClock();
  readonly store = timelessStore();
  holds = false;
  readonly others = [owner];
  owner: MemberId | undefined = owner;
  readonly running = new Set<MemberId | undefined>();
  /** Where URLs were sent, and what was deleted. */
  readonly sent: (MemberId | undefined)[] = [];
  readonly deleted: StoreOp[] = [];
  readonly #jobs = new JobRegistry();
  readonly job = this.#jobs.define("j");
  knowsJob = true;
  readonly exchange: Exchange;

  constructor(pendingMax = 1) {
    const parts = {
      journal: { append: (ops: StoreOp[]) => void this.deleted.push(...ops) },
      view: {
        self,
        others: this.others,
        ring: { ownerOf: () => this.owner, preferenceOf: () => [this.owner] },
        isRunning: (member: MemberId) => this.running.has(member),
      },
      territory: {
        holds: () => this.holds,
        runningHolderAt: () => (this.running.has(holder) ? { member: holder } : undefined),
      },
      deliver: (to: MemberId, parcels: readonly Parcel[]) => {
        this.sent.push(to);
        return Promise.resolve({ kind: "received", results: parcels.map(() => "new") });
      },
      jobs: { bySpace: () => (this.knowsJob ? this.job : undefined) },
    } as unknown as Parts;
    this.exchange = new Exchange(
      { clock: this.clock, logger: silentLogger, metrics: noMetrics, store: this.store },
      parts,
      { pendingMax, rowsMax: 1_000, sentCacheCapacity: 64, lane: defaultLaneOptions, replicas: 2 },
      (error) => {
        throw error;
      },
    );
  }

  /** The URL as the link of a page at that place of the ring. */
  link(place = 0n): Parcel {
    const rowKey = urlRow(url, this.job).key;
    const entry = { url, job: "j", depth: 1, redirectChain: [] };
    const parts = { rowKey, outboxKey: outboxKey(place, rowKey), entry };
    return newParcel({ ...parts, sinceMs: this.clock.nowMs() });
  }

  async pass(): Promise<void> {
    await this.clock.run(this.clock.sleep(150));
  }
}

describe("a link", () => {
  it.each([
    ["is of a site that others hold", false, 1, undefined, true],
    ["is of no page", true, 1, undefined, false],
    ["is of its own site", true, 1, 5, false],
    ["is of another site", true, 1, 4, true],
    ["is of another site, with no other member", true, 0, 4, false],
  ])("goes through the outbox or not, where it %s", (_, holds, others, source, expected) => {
    const bench = new Bench();
    bench.holds = holds;
    bench.others.splice(others);
    const [from, to] = [source, 5] as [RingPosition | undefined, RingPosition];
    expect(bench.exchange.takes(from, to)).toBe(expected);
  });

  it.each([
    ["self where that holds the site", true, owner, [hinted, holder], self],
    ["whom a member named that runs", false, owner, [hinted, holder], hinted],
    ["whom the ring names", false, owner, [holder], owner],
    ["who is known to hold it, where the ring names this peer", false, self, [holder], holder],
    ["who is known to hold it, where the ring names nobody", false, undefined, [holder], holder],
    ["nobody, where the one that held it runs no more", false, self, [], undefined],
  ])("goes to %s", async (_, holds, named, running, expected) => {
    const bench = new Bench();
    Object.assign(bench, { holds, owner: named });
    for (const member of running) bench.running.add(member);
    const link = bench.link();
    link.hint = { member: hinted as MemberId, generation: 1 };
    bench.exchange.send(link);
    await bench.pass();
    expect(bench.sent).toEqual(expected === undefined ? [] : [expected]);
    bench.exchange.stop();
  });

  it("is sent where the ring names another member by then, and no more once that has ended", async () => {
    const bench = new Bench();
    bench.exchange.send(bench.link());
    bench.owner = holder;
    bench.exchange.reroute();
    await bench.pass();
    expect(bench.sent).toEqual([holder]);
    const next = new Bench();
    next.exchange.send(next.link());
    next.exchange.stop();
    await next.clock.run(next.clock.sleep(0));
    expect(next.clock.sleepers).toBe(0);
    await next.pass();
    expect(next.sent).toEqual([]);
  });

  it("is found on disk where its arc is taken, and loses all of its rows when it has arrived", async () => {
    const bench = new Bench();
    await bench.store.start();
    const { entry, outboxKeys } = bench.link();
    const [key = new Uint8Array()] = outboxKeys;
    const value = OutboxEntry.encode(entry);
    await bench.store.write([{ type: "put", key, value }], { sync: true });
    bench.holds = true;
    await bench.exchange.load(ArcSet.whole);
    const again = bench.link(1n << 60n);
    bench.exchange.send(again);
    const { exchange, job } = bench;
    const state = () => [exchange.pending, exchange.pendingOf(job.space), exchange.full];
    expect(state()).toEqual([1, 1, true]);
    await bench.pass();
    expect(state()).toEqual([0, 0, false]);
    exchange.sweep();
    const keys = [...outboxKeys, ...again.outboxKeys];
    expect(bench.deleted).toEqual(keys.map((each) => ({ type: "del", key: each })));
    bench.exchange.stop();
  });
});

describe("the outbox", () => {
  it("is full with as many URLs as may be on their way, but for those of unknown jobs", () => {
    const [one, two] = [new Bench(1), new Bench(2)];
    expect(one.exchange.full).toBe(false);
    for (const bench of [one, two]) bench.exchange.send(bench.link());
    expect([one.exchange.full, two.exchange.full]).toEqual([true, false]);
    one.knowsJob = false;
    expect(one.exchange.full).toBe(false);
    for (const { exchange } of [one, two]) exchange.stop();
  });
});
