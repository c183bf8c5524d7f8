import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import { encodeForward } from "../../../../src/core/messages/forward.ts";
import type { MemberRun } from "../../../../src/core/messages/forward.ts";
import type { CanonicalUrl, MemberId } from "../../../../src/core/units.ts";
import { JobRegistry } from "../../../../src/peer/jobs/job-registry.ts";
import {
  defaultLaneOptions,
  ForwardLane,
} from "../../../../src/peer/swarm/exchange/forward-lane.ts";
import {
  newParcel,
  type Acknowledged,
  type Delivery,
  type Parcel,
} from "../../../../src/peer/swarm/exchange/parcel.ts";
import { urlRow } from "../../../../src/peer/admission/url-row.ts";

const options = { ...defaultLaneOptions, batchMax: 10, messagesMax: 3 };
const answerMs = 1_000;

/** A lane to a member that takes its time to answer. */
class Bench {
  readonly clock = new VirtualClock();
  readonly sent: { readonly atMs: number; readonly urls: number }[] = [];
  /** Encoded size of each message. */
  readonly bytes: number[] = [];
  readonly acknowledged: string[] = [];
  readonly refused: string[] = [];
  readonly #job = new JobRegistry().define("j");
  readonly #startMs = this.clock.nowMs();
  readonly #lane: ForwardLane;
  readonly #stop = new AbortController();
  #under = 0;
  mostAtOnce = 0;
  /** URLs that have come to belong elsewhere, and those that were given back as such. */
  readonly astray = new Set<string>();
  readonly givenBack: string[] = [];
  readonly withdrawn = new Set<string>();

  constructor(answer: (parcels: readonly Parcel[], message: number) => Delivery = received) {
    const deliver = async (parcels: readonly Parcel[]): Promise<Delivery> => {
      this.sent.push({ atMs: this.clock.nowMs() - this.#startMs, urls: parcels.length });
      const message = this.sent.length;
      this.bytes.push(encodeForward(parcels.map(({ entry }) => entry)).length);
      this.#under += 1;
      this.mostAtOnce = Math.max(this.mostAtOnce, this.#under);
      await this.clock.sleep(answerMs);
      this.#under -= 1;
      return answer(parcels, message);
    };
    this.#lane = new ForwardLane(
      this.clock,
      {
        deliver,
        acknowledged: ({ entry }) => this.acknowledged.push(entry.url),
        refused: ({ entry }) => this.refused.push(entry.url),
        misdirected: ({ entry }) => this.givenBack.push(entry.url),
        isWanted: ({ entry }) => !this.withdrawn.has(entry.url),
        isRouted: ({ entry }) => !this.astray.has(entry.url),
      },
      options,
      this.#stop.signal,
      (error) => {
        throw error;
      },
    );
  }

  add(count: number, redirectChain: string[] = []): void {
    for (let at = 0; at < count; at += 1) this.#add(urlAt(at), redirectChain);
  }

  /** A URL whose giver waits. */
  addSeed(): void {
    this.#add(urlAt(0), [], () => undefined);
  }

  #add(url: CanonicalUrl, redirectChain: string[], acknowledged?: Acknowledged): void {
    const entry = { url, job: "j", depth: 0, redirectChain };
    const { key: rowKey } = urlRow(url, this.#job);
    const parcel = { rowKey, entry, sinceMs: this.clock.nowMs() };
    this.#lane.add(newParcel({ ...parcel, ...(acknowledged && { acknowledged }) }));
  }

  run(ms: number): Promise<void> {
    return this.clock.run(this.clock.sleep(ms));
  }

  /** Takes out what waits of those that have come to belong elsewhere. */
  takeOut(): string[] {
    return this.#lane
      .takeOut(({ entry }) => this.astray.has(entry.url))
      .map(({ entry }) => entry.url);
  }

  stop(): void {
    this.#stop.abort();
    this.#lane.stop();
  }

  /** What outlives the lane, where its signal does. */
  get listeners(): number {
    return getEventListeners(this.#stop.signal, "abort").length;
  }

  get isIdle(): boolean {
    return this.#lane.isIdle;
  }
}

function urlAt(at: number): CanonicalUrl {
  return `http://a.example/${at}` as CanonicalUrl;
}

function received(parcels: readonly Parcel[]): Delivery {
  return { kind: "received", results: parcels.map(() => "new") };
}

describe("ForwardLane", () => {
  it("sends a full message at once, though another one is under way", async () => {
    const bench = new Bench();
    bench.add(10);
    await bench.run(200);
    bench.add(10);
    await bench.run(200);
    expect(bench.sent).toEqual([
      { atMs: 0, urls: 10 },
      { atMs: 200, urls: 10 },
    ]);
  });

  it("has no more what was taken out of it", async () => {
    const bench = new Bench();
    bench.add(3);
    bench.astray.add(urlAt(1));
    expect(bench.takeOut()).toEqual([urlAt(1)]);
    await bench.run(2_000);
    expect(bench.givenBack).toEqual([]);
    expect(bench.acknowledged).toEqual([urlAt(0), urlAt(2)]);
  });

  it("lets a few URLs wait for others to go with them", async () => {
    const bench = new Bench();
    bench.add(2);
    await bench.run(5_000);
    expect(bench.sent).toEqual([{ atMs: options.lingerMs, urls: 2 }]);
    expect(bench.isIdle).toBe(true);
  });

  it("lets none of them wait any more when they fill a message", async () => {
    const bench = new Bench();
    bench.add(9);
    await bench.run(50);
    bench.add(1);
    await bench.run(5_000);
    expect(bench.sent).toEqual([{ atMs: 50, urls: 10 }]);
  });

  it("lets no seed wait, nor what waits already when one comes, but what comes behind it", async () => {
    const bench = new Bench();
    bench.add(1);
    await bench.run(50);
    bench.addSeed();
    await bench.run(5_000);
    expect(bench.sent).toEqual([{ atMs: 50, urls: 2 }]);
    bench.add(1);
    await bench.run(50);
    bench.add(1);
    await bench.run(5_000);
    expect(bench.sent.slice(1)).toEqual([{ atMs: 5_050 + options.lingerMs, urls: 2 }]);
  });

  it("gives back what belongs elsewhere when its turn comes, and forgets what nobody wants", async () => {
    const bench = new Bench();
    bench.add(4);
    bench.astray.add(urlAt(1)).add(urlAt(2));
    bench.withdrawn.add(urlAt(2)).add(urlAt(3));
    await bench.run(5_000);
    expect(bench.givenBack).toEqual([urlAt(1)]);
    expect(bench.acknowledged).toEqual([urlAt(0)]);
    expect(bench.isIdle).toBe(true);
  });

  it("ends at once when it is stopped, and leaves nothing with its signal", async () => {
    const bench = new Bench();
    expect(bench.listeners).toBe(0);
    bench.add(2);
    await bench.run(1);
    bench.stop();
    await bench.run(0);
    expect(bench.clock.sleepers).toBe(0);
    expect(bench.sent).toEqual([]);
  });

  it("has several full messages under way, and never more than it may", async () => {
    const bench = new Bench();
    bench.add(80);
    await bench.run(500);
    expect(bench.sent).toHaveLength(3);
    await bench.run(10_000);
    expect(bench.mostAtOnce).toBe(options.messagesMax);
    expect(bench.acknowledged).toHaveLength(80);
    expect(bench.isIdle).toBe(true);
  });

  it("sends what does not fill a message when no other is under way", async () => {
    const bench = new Bench();
    bench.add(13);
    await bench.run(900);
    expect(bench.sent).toEqual([{ atMs: 0, urls: 10 }]);
    bench.add(4);
    await bench.run(5_000);
    expect(bench.sent.slice(1)).toEqual([{ atMs: answerMs, urls: 7 }]);
  });

  it("sends no message above its bound, but for one URL that is so alone", async () => {
    const bench = new Bench();
    const redirects = (bytes: number) => ["r".repeat(bytes / 2), "s".repeat(bytes / 2)];
    bench.add(20, redirects(options.batchBytesMax / 4));
    bench.add(1, redirects(options.batchBytesMax * 2));
    bench.add(2);
    await bench.run(20_000);
    expect(bench.sent.map(({ urls }) => urls)).toEqual([3, 3, 3, 3, 3, 3, 2, 1, 2]);
    const above = bench.bytes.filter((bytes) => bytes > options.batchBytesMax);
    expect(above).toHaveLength(1);
    expect(bench.acknowledged).toHaveLength(23);
  });

  it("rests when the member has no room, and loses nothing", async () => {
    const bench = new Bench((parcels, message) =>
      message === 1 ? { kind: "later", afterMs: 2_000 } : received(parcels),
    );
    bench.add(13);
    await bench.run(10_000);
    const againMs = answerMs + 2_000;
    expect(bench.sent.map(({ atMs }) => atMs)).toEqual([0, againMs, againMs + answerMs]);
    expect(bench.refused).toEqual(bench.acknowledged.slice(0, 10));
    // What has waited longest goes first.
    expect(bench.acknowledged).toEqual(Array.from({ length: 13 }, (_, at) => urlAt(at)));
  });

  it("rests for as long as the longest of several messages was told to", async () => {
    const bench = new Bench((parcels, message) =>
      message > 2
        ? received(parcels)
        : { kind: "later", afterMs: message === 1 ? 5_000 : options.retryMs },
    );
    bench.add(4);
    await bench.run(200);
    bench.add(10);
    await bench.run(20_000);
    const againMs = options.lingerMs + answerMs + 5_000;
    expect(bench.sent.slice(0, 3)).toEqual([
      { atMs: options.lingerMs, urls: 4 },
      { atMs: 200, urls: 10 },
      { atMs: againMs, urls: 10 },
    ]);
    expect(bench.acknowledged).toHaveLength(14);
  });

  it("acknowledges nothing any more when it has been stopped", async () => {
    const bench = new Bench();
    bench.add(10);
    await bench.run(answerMs / 2);
    expect(bench.sent).toHaveLength(1);
    bench.stop();
    await bench.run(5_000);
    expect(bench.acknowledged).toEqual([]);
    expect(bench.isIdle).toBe(true);
  });

  it("gives back at once what the member has sent elsewhere", async () => {
    const holder = { member: "peer-2" as MemberId, generation: 1 };
    const bench = new Bench((parcels) => {
      for (const { entry } of parcels) bench.astray.add(entry.url);
      return { kind: "received", results: parcels.map(() => ({ holder })) };
    });
    bench.add(2);
    await bench.run(2_000);
    expect(bench.givenBack).toEqual([urlAt(0), urlAt(1)]);
    expect(bench.isIdle).toBe(true);
  });

  it("believes no hint for ever where it leads in a circle", async () => {
    const holder = { member: "peer-2" as MemberId, generation: 1 };
    const hints: (MemberRun | undefined)[] = [];
    const bench = new Bench((parcels, message) => {
      hints.push(...parcels.map(({ hint }) => hint));
      return message > 5 ? received(parcels) : { kind: "received", results: [{ holder }] };
    });
    bench.add(1);
    await bench.run(20_000);
    expect(hints).toEqual([undefined, holder, holder, holder, undefined, holder]);
    // Nobody is known who takes it: it is not asked for at once.
    const [first, second] = bench.sent.map(({ atMs }) => atMs);
    expect((second ?? 0) - (first ?? 0)).toBe(answerMs + options.retryMs);
    expect(bench.acknowledged).toHaveLength(1);
  });
});
