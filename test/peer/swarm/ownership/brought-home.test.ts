import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import { hostAddress, ringPosition } from "../../../../src/core/record/host-keys.ts";
import { outboxKey } from "../../../../src/core/record/outbox-key.ts";
import { queueKey } from "../../../../src/core/record/queue-keys.ts";
import { retag, urlKey } from "../../../../src/core/record/url-keys.ts";
import { territorialTagOf } from "../../../../src/core/record/key-tags.ts";
import type { TerritorialTag } from "../../../../src/core/record/key-tags.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import { positionOf, type RingPosition } from "../../../../src/core/ring/ring-position.ts";
import type { HostName, MemberId, SiteName } from "../../../../src/core/units.ts";
import { Homecoming } from "../../../../src/peer/swarm/ownership/homecoming.ts";
import { Territory } from "../../../../src/peer/swarm/ownership/territory.ts";
import type { SwarmView } from "../../../../src/peer/swarm/members/swarm-view.ts";
import type { PeerCalls } from "../../../../src/peer/swarm/peer-calls.ts";
import type { StoreOp } from "../../../../src/ports/store.ts";
import { silentLogger } from "../../../support/silent-logger.ts";
import { timelessStore } from "../../../support/still-process.ts";
import { stillView } from "../still-view.ts";

const [self, holder, other] = ["a", "b", "c"] as [MemberId, MemberId, MemberId];
const site = "site.test" as SiteName;
const position = positionOf(site);
const here = ArcSet.of([{ from: position, to: (position + 1) as RingPosition }]);
const url = urlKey("url", ringPosition(site), new Uint32Array([1, 2, 3, 4]), 0, 7);
const rows = [
  url,
  outboxKey(ringPosition(site), url),
  queueKey(hostAddress(site, "www.site.test" as HostName), 7, 0, 1, [url]),
  retag(url, "exclusion"),
].map((key): StoreOp => ({ type: "put", key, value: Uint8Array.of(1) }));

const none = ArcSet.empty;
const nothing = { generation: 1, kept: none, copied: none, former: none, known: [] };

/** A member that has a row of each kind, beside one that holds their arc and has none of them, and another. */
class HomeBench {
  readonly clock = new VirtualClock();
  readonly territory = new Territory();
  readonly view: { -readonly [name in keyof SwarmView]: SwarmView[name] };
  /** The kinds of rows that were taken in, and when somebody was asked to take some in. */
  readonly brought: (TerritorialTag | undefined)[] = [];
  readonly offeredAtMs: number[] = [];
  readonly asked: MemberId[] = [];
  /** Kinds of which the holder does not answer, once. */
  readonly unanswered = new Set<TerritorialTag>();
  /** Members that do not say what they hold, once. */
  readonly silent = new Set<MemberId>();
  stoodStill = false;
  /** How long the holder is busy, once. */
  busyMs: number | undefined;

  constructor() {
    this.view = { ...stillView(self, holder), others: [holder, other] };
  }

  /** Whether all is home after half a minute. */
  async bring(held: readonly StoreOp[] = rows): Promise<boolean> {
    const store = timelessStore();
    await store.start();
    await store.write(held, { sync: true });
    const startMs = this.clock.nowMs();
    const calls: Pick<PeerCalls, "digests" | "homeRows" | "whoHolds"> = {
      whoHolds: (member, arcs) => {
        this.asked.push(member);
        if (this.silent.delete(member)) return Promise.resolve(undefined);
        const held = member === holder ? arcs.intersect(here) : arcs.subtract(here);
        return Promise.resolve({ ...nothing, held });
      },
      digests: (_, { tag, buckets }) => {
        if (this.unanswered.delete(tag)) return Promise.resolve(undefined);
        return Promise.resolve(buckets.map((__, index) => ({ index, count: 0 })));
      },
      homeRows: (_, taken) => {
        this.offeredAtMs.push(this.clock.nowMs() - startMs);
        const { busyMs } = this;
        this.busyMs = undefined;
        if (busyMs !== undefined) return Promise.resolve({ kind: "busy", retryAfterMs: busyMs });
        this.brought.push(...taken.map(({ key }) => territorialTagOf(key)));
        return Promise.resolve({ kind: "reply", payload: new Uint8Array(0) });
      },
    };
    const homecoming = new Homecoming(
      { clock: this.clock, logger: silentLogger, store, calls: calls as PeerCalls },
      { view: this.view, territory: this.territory },
    );
    if (this.stoodStill) homecoming.again();
    const stop = new AbortController();
    const running = homecoming.run(stop.signal);
    await this.clock.run(this.clock.sleep(30_000));
    const { isDone } = homecoming;
    stop.abort();
    await this.clock.run(running);
    return isDone;
  }
}

describe("what a member that comes back has", () => {
  const inOrder = ["exclusion", "queue", "outbox", "url"];

  it("is brought home with each record behind its place in the queue and the links that it led to", async () => {
    const bench = new HomeBench();
    expect(await bench.bring()).toBe(true);
    expect(bench.brought).toEqual(inOrder);
  });

  it("is brought home once more where the holder had no answer in between", async () => {
    const bench = new HomeBench();
    bench.unanswered.add("queue");
    expect(await bench.bring()).toBe(true);
    expect(bench.brought).toEqual(["exclusion", ...inOrder]);
  });

  it("is brought home though the holder did not say at first what it holds", async () => {
    const bench = new HomeBench();
    bench.silent.add(holder);
    expect(await bench.bring()).toBe(true);
    expect(bench.brought).toEqual(inOrder);
  });

  it("is not offered before a busy holder wants to be asked again", async () => {
    const bench = new HomeBench();
    bench.busyMs = 7_000;
    expect(await bench.bring()).toBe(true);
    const [first = NaN, second] = bench.offeredAtMs;
    expect(second).toBe(first + 7_000);
  });

  it("is brought home when it has joined", async () => {
    const bench = new HomeBench();
    bench.view.role = "joining";
    expect(await bench.bring()).toBe(false);
    expect(bench.asked).toEqual([]);
  });

  it("is at home where it holds the arcs, or has nothing of them", async () => {
    const bench = new HomeBench();
    expect(await bench.bring([])).toBe(true);
    bench.territory.take(ArcSet.whole);
    expect(await bench.bring()).toBe(true);
    expect(bench.asked).toEqual([]);
  });

  it.each([
    ["is not brought home that was copied from a member that runs still", 1, true, false, []],
    ["is brought home that was copied from one that runs no more", 2, true, false, inOrder],
    ["is brought home that was not compared with the other's", 1, false, false, inOrder],
    ["is brought home that was copied before it stood still", 1, true, true, inOrder],
  ])("%s", async (_, generation, synced, stoodStill, brought) => {
    const bench = new HomeBench();
    bench.stoodStill = stoodStill;
    bench.territory.note(ArcSet.whole, { member: holder, generation, synced });
    expect(await bench.bring()).toBe(true);
    expect(bench.brought).toEqual(brought);
  });

  it("is brought, where there are very many, to those that are likely to hold it", async () => {
    const bench = new HomeBench();
    const strangers = Array.from({ length: 64 }, (_, number) => `d${number}` as MemberId);
    bench.view.others = [...strangers, holder, other];
    bench.territory.note(here, { member: other, generation: 1, synced: false });
    expect(await bench.bring()).toBe(true);
    expect(new Set(bench.asked)).toEqual(new Set([holder, other]));
  });
});
