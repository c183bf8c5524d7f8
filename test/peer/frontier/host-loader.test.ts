import { describe, expect, it } from "vitest";
import { defaultPolitenessOptions } from "../../../src/core/politeness/politeness-options.ts";
import { HostRecord } from "../../../src/core/record/record.pb.ts";
import type { HostName, SiteName } from "../../../src/core/units.ts";
import { defaultFrontierOptions } from "../../../src/peer/frontier/frontier-options.ts";
import { HeadShares } from "../../../src/peer/frontier/head-shares.ts";
import { HostLoader } from "../../../src/peer/frontier/host-loader.ts";
import type { Host } from "../../../src/peer/frontier/host.ts";
import type { Store } from "../../../src/ports/store.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";

const name = "a.example" as HostName;
const names = new Map([[name, "a.example" as SiteName]]);

/** What the database has of the hosts that it is asked for. */
type Values = (Uint8Array | undefined)[];

/** What another member says of the host: slow, and away for a minute. */
function heardAt(nowMs: number): HostRecord {
  const backoffUntilMs = nowMs + 60_000;
  const clocks = { nextFetchAtMs: backoffUntilMs, backoffUntilMs, crawlDelayMs: 8_000 };
  return { host: name, failuresInRow: 0, breakerBuckets: [], jobs: [], ...clocks };
}

/** A loader whose database answers when it is told to, and has no row of any host. */
class Bench {
  readonly clock = new VirtualClock();
  readonly answer = Promise.withResolvers<Values>();
  /** Of the reads after the first one. */
  readonly answers: PromiseWithResolvers<Values>[] = [];
  readonly committed = Promise.withResolvers<undefined>();
  readonly heard = heardAt(this.clock.nowMs());
  readonly loader = new HostLoader(
    {
      clock: this.clock,
      store: { getMany: () => (this.answers.at(-1) ?? this.answer).promise } as unknown as Store,
    },
    defaultPolitenessOptions,
    new HeadShares(defaultFrontierOptions, new Map()),
  );

  async load(): Promise<Host | undefined> {
    return (await this.loader.loadAll(names, new Map())).get(name);
  }

  /** Asks for the host alone, which has been read, and for it with another that is read still. */
  async loadWithOther() {
    const alone = this.load();
    this.answers.push(Promise.withResolvers());
    const other = ["b.example" as HostName, "b.example" as SiteName] as const;
    const both = this.loader.loadAll(new Map([...names, other]), new Map());
    this.answer.resolve([undefined]);
    return { alone: await alone, both };
  }

  hear(): void {
    this.loader.hear(
      this.heard,
      this.committed.promise.then(() => undefined),
    );
  }
}

describe("a host of which another member tells", () => {
  it("is as careful as that asks for, where it is being read from before", async () => {
    const bench = new Bench();
    const loaded = bench.load();
    bench.hear();
    bench.committed.resolve(undefined);
    await new Promise(setImmediate);
    bench.answer.resolve([undefined]);
    const host = await loaded;
    expect(host?.crawlDelayMs).toBe(8_000);
    expect(host?.visit.gate.nextFetchAtMs).toBe(bench.heard.backoffUntilMs);
  });

  it("is so where it was read, and is about to be active", async () => {
    const bench = new Bench();
    bench.answer.resolve([undefined]);
    const host = await bench.load();
    await new Promise(setImmediate);
    bench.hear();
    expect(host?.crawlDelayMs).toBeUndefined();
    if (host) bench.loader.heedHeard(host);
    expect(host?.crawlDelayMs).toBe(8_000);
  });

  it("is so where it was read, and others that are asked for with it are read still", async () => {
    const bench = new Bench();
    const { both } = await bench.loadWithOther();
    bench.hear();
    bench.committed.resolve(undefined);
    await new Promise(setImmediate);
    bench.answers[0]?.resolve([undefined]);
    expect((await both).get(name)?.crawlDelayMs).toBe(8_000);
  });

  it("is as careful as each of two asks for, where both tell of it", async () => {
    const bench = new Bench();
    bench.hear();
    const { crawlDelayMs: _, ...sooner } = heardAt(bench.clock.nowMs() - 30_000);
    bench.loader.hear(sooner, bench.committed.promise);
    bench.answer.resolve([undefined]);
    const host = await bench.load();
    expect(host?.crawlDelayMs).toBe(8_000);
    expect(host?.visit.gate.nextFetchAtMs).toBe(bench.heard.backoffUntilMs);
  });

  it("is as careful as one of two asks for, once the database has what the other told", async () => {
    const bench = new Bench();
    bench.answer.resolve([undefined]);
    bench.hear();
    const { crawlDelayMs: _, ...sooner } = heardAt(bench.clock.nowMs() - 30_000);
    bench.loader.hear(sooner, Promise.withResolvers<undefined>().promise);
    bench.committed.resolve(undefined);
    await new Promise(setImmediate);
    const host = await bench.load();
    expect(host?.crawlDelayMs).toBeUndefined();
    expect(host?.visit.gate.nextFetchAtMs).toBe(sooner.backoffUntilMs);
  });

  it("is as the database has it, once that has what was told", async () => {
    const bench = new Bench();
    bench.answer.resolve([undefined]);
    bench.hear();
    expect((await bench.load())?.crawlDelayMs).toBe(8_000);
    bench.committed.resolve(undefined);
    await new Promise(setImmediate);
    expect((await bench.load())?.crawlDelayMs).toBeUndefined();
  });
});

describe("a host that two ask for", () => {
  it("is the same one for both, though it was read for each, where both wait for another that is read still", async () => {
    const bench = new Bench();
    const slow = Promise.withResolvers<Values>();
    bench.answers.push(slow);
    const other = ["b.example" as HostName, "b.example" as SiteName] as const;
    const rest = bench.loader.loadAll(new Map([other]), new Map());
    const both = new Map([...names, other]);
    bench.answers.push(Promise.withResolvers());
    const asked = [bench.loader.loadAll(both, new Map())];
    bench.answers[1]?.resolve([undefined]);
    await new Promise(setImmediate);
    bench.answers.push(Promise.withResolvers());
    asked.push(bench.loader.loadAll(both, new Map()));
    bench.answers[2]?.resolve([undefined]);
    await new Promise(setImmediate);
    slow.resolve([undefined]);
    const [one, two] = await Promise.all(asked);
    await rest;
    expect(one?.get(name)).toBeDefined();
    expect(two?.get(name)).toBe(one?.get(name));
  });
});

describe("a host that is active no more", () => {
  it("is the same one until the latest of it is durable, and is found by a new row", async () => {
    const bench = new Bench();
    bench.answer.resolve([undefined]);
    const host = await bench.load();
    if (!host) throw new Error("a host");
    const [earlier, later] = [
      Promise.withResolvers<undefined>(),
      Promise.withResolvers<undefined>(),
    ];
    host.waitingRow = "written";
    bench.loader.hold(
      host,
      earlier.promise.then(() => undefined),
    );
    expect(host.waitingRow).toBeUndefined();
    bench.loader.hold(
      host,
      later.promise.then(() => undefined),
    );
    earlier.resolve(undefined);
    await new Promise(setImmediate);
    expect(await bench.load()).toBe(host);
    later.resolve(undefined);
    await new Promise(setImmediate);
    expect(await bench.load()).not.toBe(host);
  });

  it("is that one for who asks for it just before its latest row is durable", async () => {
    const bench = new Bench();
    bench.answer.resolve([undefined]);
    const host = await bench.load();
    if (!host) throw new Error("a host");
    bench.loader.hold(host, bench.committed.promise);
    const answer = Promise.withResolvers<Values>();
    bench.answers.push(answer);
    const loaded = bench.load();
    bench.committed.resolve(undefined);
    await new Promise(setImmediate);
    answer.resolve([undefined]);
    expect(await loaded).toBe(host);
  });

  it("is that one for who began to read it before", async () => {
    const bench = new Bench();
    bench.answer.resolve([undefined]);
    const host = await bench.load();
    if (!host) throw new Error("a host");
    const answer = Promise.withResolvers<Values>();
    bench.answers.push(answer);
    const loaded = bench.load();
    bench.loader.hold(host, bench.committed.promise);
    answer.resolve([undefined]);
    expect(await loaded).toBe(host);
  });

  it("is that one for who began to read it before, be the latest of it durable first", async () => {
    const bench = new Bench();
    bench.answer.resolve([undefined]);
    const host = await bench.load();
    if (!host) throw new Error("a host");
    const answer = Promise.withResolvers<Values>();
    bench.answers.push(answer);
    const loaded = bench.load();
    bench.loader.hold(host, bench.committed.promise);
    bench.committed.resolve(undefined);
    await new Promise(setImmediate);
    answer.resolve([undefined]);
    expect(await loaded).toBe(host);
    await new Promise(setImmediate);
    expect(await bench.load()).not.toBe(host);
  });

  it("is that one for who waits for others that are read still", async () => {
    const bench = new Bench();
    const { alone, both } = await bench.loadWithOther();
    const [slow] = bench.answers.splice(0);
    const later = await bench.load();
    if (!later) throw new Error("a host");
    expect(later).toBe(alone);
    bench.loader.hold(later, bench.committed.promise);
    bench.committed.resolve(undefined);
    await new Promise(setImmediate);
    slow?.resolve([undefined]);
    expect((await both).get(name)).toBe(later);
  });

  it("is careful as another member asks for, while the latest of it is on its way", async () => {
    const bench = new Bench();
    bench.answer.resolve([undefined]);
    const host = await bench.load();
    if (!host) throw new Error("a host");
    bench.loader.hold(host, bench.committed.promise);
    bench.hear();
    expect(host.crawlDelayMs).toBe(8_000);
  });
});

describe("a host that the database has", () => {
  it("is not closed for longer than anything closes one, where the clock was ahead then", async () => {
    const bench = new Bench();
    const years = 10 * 365 * 86_400_000;
    bench.answer.resolve([HostRecord.encode(heardAt(bench.clock.nowMs() + years))]);
    const gate = (await bench.load())?.visit.gate;
    expect(gate?.nextFetchAtMs).toBeLessThan(bench.clock.nowMs() + years / 2);
  });
});
