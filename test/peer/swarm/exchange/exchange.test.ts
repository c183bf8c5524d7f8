import { describe, expect, it } from "vitest";
import { defaultJobOptions } from "../../../../src/core/jobs/job-definition.ts";
import { jobSpace, urlKey } from "../../../../src/core/record/url-keys.ts";
import { outboxKey } from "../../../../src/core/record/outbox-key.ts";
import { ringPosition } from "../../../../src/core/record/host-keys.ts";
import { tagRange } from "../../../../src/core/record/key-ranges.ts";
import type { OutboxEntry } from "../../../../src/core/record/record.pb.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import { positionOfKey } from "../../../../src/core/ring/ring-position.ts";
import type { CanonicalUrl, MemberId } from "../../../../src/core/units.ts";
import { hostOf, siteOfHost } from "../../../../src/core/url/site-of.ts";
import { sieveKeyOfRow } from "../../../../src/peer/admission/sieve-keeper.ts";
import type { Exchange } from "../../../../src/peer/swarm/exchange/exchange.ts";
import { newParcel, type Parcel } from "../../../../src/peer/swarm/exchange/parcel.ts";
import { job, SwarmBench } from "../swarm-bench.ts";

/** For what is not read. */
const noValue = new Uint8Array(0);

/** Two members, the first of which sends to the second. */
class ForwardBench extends SwarmBench {
  readonly acknowledged: string[] = [];
  #sites = 0;

  constructor() {
    super(2);
  }

  /** Starts both; when this resolves their job is known to both, and nothing of it is on its way. */
  async crawled(): Promise<void> {
    await this.begin();
    await this.inject(0);
    await this.finished(0);
  }

  /** A URL of a site that the second member holds. */
  foreignUrl(path: string): string {
    for (;;) {
      this.#sites += 1;
      const url = `http://forwarded-${this.#sites}.example/${path}`;
      if (this.holderOf(url) === 1) return url;
    }
  }

  get exchange(): Exchange {
    const exchange = this.peer(0).swarm?.exchange;
    if (!exchange) throw new Error("the peer has no swarm");
    return exchange;
  }

  send(part: Pick<OutboxEntry, "url"> & Partial<OutboxEntry>): void {
    this.exchange.send(this.seed(part));
  }

  /** A URL of the test's latest site, whose sender waits for it. */
  seed(part: Pick<OutboxEntry, "url"> & Partial<OutboxEntry>): Parcel {
    const { url } = part;
    const position = ringPosition(siteOfHost(hostOf(url as CanonicalUrl)));
    const words = Uint32Array.of(this.#sites, 0, 0, 0);
    return newParcel({
      rowKey: urlKey("url", position, words, 0, jobSpace(job)),
      entry: { job, depth: 0, redirectChain: [], ...part },
      sinceMs: this.world.clock.nowMs(),
      acknowledged: () => this.acknowledged.push(url),
    });
  }
}

/** The same URL as the link of a page at that place of the ring, with a row of the outbox. */
function asLink({ rowKey, entry, sinceMs }: Parcel, place = 0n): Parcel {
  return newParcel({ rowKey, outboxKey: outboxKey(place, rowKey), entry, sinceMs });
}

/** Nobody waits for it any longer. */
function withdrawAll(exchange: Exchange, { rowKey, waiters }: Parcel): void {
  for (const waiter of [...waiters]) exchange.withdraw(rowKey, waiter);
}

function knows(exchange: Exchange, { rowKey }: Parcel): boolean {
  return exchange.knows(rowKey, sieveKeyOfRow(rowKey));
}

describe("the exchange", () => {
  it("drops a URL that no member takes, and delivers those that wait with it", async () => {
    const bench = new ForwardBench();
    await bench.run(async () => {
      await bench.begin();
      await bench.inject(0);
      const urls = ["a", "a".repeat(20_000), "b"].map((path) => bench.foreignUrl(path));
      for (const url of urls) bench.send({ url });
      await bench.pass(5_000);
      expect(bench.acknowledged.toSorted()).toEqual(urls.toSorted());
      // The crawl has URLs on their way, too, as long as it goes on.
      await bench.finished(0);
      expect(bench.peer(0).swarm?.exchange.pending).toBe(0);
    });
  });

  it("wants a row of a link though a seed of the same URL waits, and keeps it with its row", async () => {
    const bench = new ForwardBench();
    await bench.run(async () => {
      await bench.begin();
      const { exchange } = bench;
      const seed = bench.seed({ url: bench.foreignUrl("a") });
      exchange.send(seed);
      expect(knows(exchange, seed)).toBe(false);
      exchange.send(asLink(seed));
      expect(knows(exchange, seed)).toBe(true);
      withdrawAll(exchange, seed);
      expect(exchange.pending).toBe(1);
    });
  });

  it("sends a seed that somebody waits for though another one waits no longer, and tells that it is new", async () => {
    const bench = new ForwardBench();
    await bench.run(async () => {
      await bench.crawled();
      const { exchange } = bench;
      const heard: [string, boolean][] = [];
      const { rowKey, entry, sinceMs } = bench.seed({ url: bench.foreignUrl("a") });
      const [first, second, third] = ["first", "second", "third"].map(
        (name) => (isNew: boolean) => void heard.push([name, isNew]),
      );
      if (!first || !second || !third) throw new Error("three wait");
      for (const acknowledged of [first, second, third])
        exchange.send(newParcel({ rowKey, entry, sinceMs, acknowledged }));
      exchange.withdraw(rowKey, first);
      exchange.withdraw(rowKey, first);
      expect(exchange.pending).toBe(1);
      await bench.pass(5_000);
      expect(heard).toEqual([
        ["second", true],
        ["third", false],
      ]);
      exchange.withdraw(rowKey, second);
    });
  });

  it("sends a seed no more when the last one who waited has gone", async () => {
    const bench = new ForwardBench();
    await bench.run(async () => {
      await bench.begin();
      const { exchange } = bench;
      const seed = bench.seed({ url: bench.foreignUrl("a") });
      const again = bench.seed(seed.entry);
      exchange.send(seed);
      exchange.send(again);
      withdrawAll(exchange, again);
      expect(exchange.pending).toBe(1);
      withdrawAll(exchange, seed);
      expect(exchange.pending).toBe(0);
    });
  });

  it.each(["seed", "link"])(
    "sends a seed though another member sends its row from now on: first came the %s",
    async (first) => {
      const bench = new ForwardBench();
      await bench.run(async () => {
        await bench.crawled();
        const { exchange } = bench;
        const seed = bench.seed({ url: bench.foreignUrl("a") });
        const link = asLink(seed);
        for (const parcel of first === "seed" ? [seed, link] : [link, seed]) exchange.send(parcel);
        exchange.drop(ArcSet.whole);
        expect(knows(exchange, seed)).toBe(false);
        await bench.pass(5_000);
        expect(bench.acknowledged).toEqual([seed.entry.url]);
      });
    },
  );

  it("ends also what took a URL's place while that was under way", async () => {
    const bench = new ForwardBench();
    await bench.run(async () => {
      await bench.crawled();
      await bench.pass(2_000);
      const { exchange } = bench;
      const seed = bench.seed({ url: bench.foreignUrl("a") });
      exchange.send(asLink(seed));
      // By then it is under way, and has not arrived.
      await bench.pass(101);
      expect(exchange.pending).toBe(1);
      exchange.drop(ArcSet.whole);
      expect(exchange.pending).toBe(0);
      // The arc comes back at once, and its row with it.
      exchange.send(seed);
      const link = asLink(seed);
      exchange.send(link);
      await bench.pass(5_000);
      expect(bench.acknowledged).toEqual([seed.entry.url]);
      expect(exchange.pending).toBe(0);
    });
  });

  it("deletes every row of a URL when that has arrived", async () => {
    const bench = new ForwardBench();
    await bench.run(async () => {
      await bench.crawled();
      // Rows of the crawl are deleted some time after its URLs have arrived.
      await bench.pass(2_000);
      const { exchange } = bench;
      const { disk } = bench.machine(0);
      const seed = bench.seed({ url: bench.foreignUrl("a") });
      // Rows of two arcs, as where one of these was taken over from another member.
      const held = Array.from({ length: 64 }, (_, n) => BigInt(n) << 58n).filter((place) =>
        bench.peer(0).swarm?.territory.holds(positionOfKey(outboxKey(place, seed.rowKey))),
      );
      for (const place of held.slice(0, 2)) {
        const link = asLink(seed, place);
        for (const key of link.outboxKeys) disk.apply([{ type: "put", key, value: noValue }]);
        exchange.send(link);
      }
      expect(disk.entries(tagRange("outbox"))).toHaveLength(2);
      await bench.pass(5_000);
      expect(exchange.pending).toBe(0);
      expect(disk.entries(tagRange("outbox"))).toEqual([]);
    });
  });

  it("leaves the row of an arc that has passed to another member to that one", async () => {
    const bench = new ForwardBench();
    await bench.run(async () => {
      await bench.crawled();
      await bench.pass(2_000);
      const { exchange } = bench;
      const { disk } = bench.machine(0);
      const seed = bench.seed({ url: bench.foreignUrl("a") });
      // The row's page is of the same site, which the other member holds.
      const link = asLink(seed, BigInt(positionOfKey(seed.rowKey)) << 12n);
      const [key] = link.outboxKeys;
      if (!key) throw new Error("a link has a row");
      expect(bench.peer(0).swarm?.territory.holds(positionOfKey(key))).toBe(false);
      disk.apply([{ type: "put", key, value: noValue }]);
      exchange.send(link);
      await bench.pass(5_000);
      expect(exchange.pending).toBe(0);
      expect(disk.entries(tagRange("outbox"))).toHaveLength(1);
    });
  });

  it("wants no row of a link that has arrived", async () => {
    const bench = new ForwardBench();
    await bench.run(async () => {
      await bench.crawled();
      const { exchange } = bench;
      const link = asLink(bench.seed({ url: bench.foreignUrl("a") }));
      expect(knows(exchange, link)).toBe(false);
      exchange.send(link);
      await bench.pass(5_000);
      expect(exchange.pending).toBe(0);
      expect(knows(exchange, link)).toBe(true);
    });
  });

  it("believes no hint at a run that is over", async () => {
    const bench = new ForwardBench();
    await bench.run(async () => {
      await bench.crawled();
      const seed = bench.seed({ url: bench.foreignUrl("a") });
      seed.hint = { member: bench.machine(1).id, generation: 1 };
      const gone = bench.seed({ url: bench.foreignUrl("b") });
      gone.hint = { member: "nobody" as MemberId, generation: 1 };
      for (const each of [seed, gone]) bench.exchange.send(each);
      await bench.pass(5_000);
      expect(bench.acknowledged.toSorted()).toEqual([seed.entry.url, gone.entry.url].toSorted());
    });
  });

  it("loses no link with a seed of the same URL that is given up", async () => {
    const bench = new SwarmBench(2, {}, { injectTimeoutMs: 1_000 });
    const states = await bench.run(async () => {
      await bench.begin();
      const { sampleWeb } = bench.world;
      const all = Array.from({ length: sampleWeb.options.totalPages }, (_, id) =>
        sampleWeb.urlOf(id),
      );
      const there = all.filter((url) => bench.holderOf(url) === 1);
      const options = { ...defaultJobOptions, scope: "any", delayMs: 20 } as const;
      const here = sampleWeb.rootUrls().filter((url) => bench.holderOf(url) === 0);
      await bench.peer(0).inject(job, here, options);
      // The other member is gone while its URLs are injected and found on pages.
      bench.machine(1).kill();
      const injected = bench.peer(0).inject(job, there);
      await expect(injected).rejects.toMatchObject({ code: "SWARM_BUSY" });
      // No further page brings a link again.
      await bench.peer(0).changeJob(job, "pause");
      await bench.machine(1).start();
      await bench.pass(10_000);
      const linked = all
        .flatMap((url, id) => (bench.urls.includes(url) ? sampleWeb.links(id) : []))
        .map(({ id }) => sampleWeb.urlOf(id));
      return bench.peer(0).status([...new Set(linked)], job);
    });
    expect(states.length).toBeGreaterThan(0);
    expect(states.filter(({ state }) => state === "unknown")).toEqual([]);
  });
});
