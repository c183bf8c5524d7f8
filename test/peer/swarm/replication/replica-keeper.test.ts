import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import type { Row } from "../../../../src/core/messages/rows.ts";
import {
  hostAddress,
  hostKey,
  numberedKey,
  outboxKey,
  queueKey,
  retag,
  ringPosition,
  robotsKey,
  urlKey,
} from "../../../../src/core/record/keys.ts";
import { QueueBundle } from "../../../../src/core/record/queue-bundle.ts";
import {
  ExclusionRecord,
  HostRecord,
  OutboxEntry,
  RobotsRecord,
  UrlRecord,
} from "../../../../src/core/record/record.pb.ts";
import { queuedRecord, urlState } from "../../../../src/core/record/url-state.ts";
import { rowBytesMax } from "../../../../src/core/replication/row-lattice.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import { positionOfKey, type RingPosition } from "../../../../src/core/ring/ring-position.ts";
import type { HostName, MemberId, OriginName, SiteName } from "../../../../src/core/units.ts";
import { dedupeKey } from "../../../../src/core/url/dedupe-key.ts";
import { fingerprintOf } from "../../../../src/core/url/fingerprint.ts";
import { noMetrics } from "../../../../src/ports/metrics.ts";
import type { StoreOp } from "../../../../src/ports/store.ts";
import { Territory } from "../../../../src/peer/swarm/ownership/territory.ts";
import { ReplicaKeeper } from "../../../../src/peer/swarm/replication/replica-keeper.ts";
import { timelessStore } from "../../../support/still-process.ts";

type Parts = ConstructorParameters<typeof ReplicaKeeper>[1];

const site = "site.test" as SiteName;
const url = "http://site.test/";
const nowMs = new VirtualClock().nowMs();
const position = ringPosition(site);
const space = 7;
const key = urlKey("url", position, new Uint32Array([1, 2, 3, 4]), 0, space);
const outbox = outboxKey(position, key);
const address = hostAddress(site, "site.test" as HostName);
const host = hostKey("host", address);
const origin = "http://site.test" as OriginName;
const robots = robotsKey(site, origin);
const sieveLog = numberedKey("sieveLog", 1);

/** Key of a record under which its URL is looked for. */
const keyOfUrl = (path: string): Uint8Array =>
  urlKey("url", position, fingerprintOf(dedupeKey(url + path)), 0, space);

/** A row of the host's queue. */
const queueRow = (
  number: number,
  paths: readonly string[],
  { attempts = 0, taken = 0 } = {},
): Required<Row> => {
  const discovery = { depth: 0, attempts, unseen: 0, redirectChain: [], discoveredAtMs: 1 };
  const urls = paths.map((path) => url + path);
  return {
    key: queueKey(address, space, 5, number, paths.map(keyOfUrl)),
    value: QueueBundle.encode({ ...discovery, urls, taken }),
  };
};

/** The URL's end, as it was fetched then. */
const doneAt = (fetchedAtMs: number): Uint8Array =>
  UrlRecord.encode({ ...urlState.fresh, state: urlState.done, url, attempts: 1, fetchedAtMs });

/** The host, which rests for so long, and is to be asked so slowly. */
const restingFor = (ms: number, crawlDelayMs = 0): Uint8Array => {
  const untilMs = nowMs + ms;
  const none = { failuresInRow: 0, jobs: [], breakerBuckets: [] };
  const clocks = { nextFetchAtMs: untilMs, backoffUntilMs: untilMs, crawlDelayMs };
  return HostRecord.encode({ ...none, ...clocks, host: "site.test" });
};

const robotsOf = (fetchedAtMs: number): Uint8Array =>
  RobotsRecord.encode({
    origin,
    verdict: "rules",
    body: "",
    fetchedAtMs,
    expiresAtMs: fetchedAtMs + 5,
    httpStatus: 200,
    failuresInRow: 0,
  });

/** A peer that holds everything or nothing, and what it makes of rows from others. */
class KeeperBench {
  /** What the rows have led to. */
  readonly heeded: number[] = [];
  readonly sent: Uint8Array[] = [];
  readonly skipped: [string, number][] = [];
  /** URLs that have come into the queue. */
  queued = 0;
  /** Positions of sites with an entry of the queue that may be another one's second. */
  readonly mixed: RingPosition[] = [];
  /** How often it has waited for what was written before. */
  flushes = 0;
  readonly #store = timelessStore();
  readonly #seen = new Set<string>();
  readonly keeper: ReplicaKeeper;

  constructor(holds: boolean) {
    const territory = new Territory();
    if (holds) territory.take(ArcSet.whole);
    const nameOf = (space: number, words: Uint32Array): string => `${space} ${words.join()}`;
    const sieve = {
      mayHave: (space: number, words: Uint32Array) => this.#seen.has(nameOf(space, words)),
      offer: (space: number, words: Uint32Array) => {
        this.#seen.add(nameOf(space, words));
        return "new";
      },
    };
    const parts = {
      jobs: {
        addQueued: (_space: number, count: number) => (this.queued += count),
        bySpace: () => ({
          space,
          definition: { id: "j", options: { normalizeQuery: true } },
          counter: { addSkipped: (...skipped: [string, number]) => this.skipped.push(skipped) },
        }),
      },
      sequence: { observe: () => true },
      territory,
      sieve: {
        sieve,
        log: ({ length }: readonly unknown[]) =>
          length > 0 ? [{ type: "put", key: sieveLog, value: Uint8Array.of(length) }] : [],
      },
      mixed: { merged: (at: RingPosition) => this.mixed.push(at) },
      journal: {
        observe: () => undefined,
        flushed: () => Promise.resolve(void (this.flushes += 1)),
        append: (ops: readonly StoreOp[]) => this.#store.write(ops, { sync: true }),
      },
      frontier: {
        arrived: () => undefined,
        heed: ({ nextFetchAtMs }: HostRecord) => this.heeded.push(nextFetchAtMs),
      },
      send: ({ rowKey }: { readonly rowKey: Uint8Array }) => this.sent.push(rowKey),
    } as unknown as Parts;
    const ports = {
      clock: new VirtualClock(),
      store: this.#store,
      metrics: noMetrics,
      overlay: { self: "a" as MemberId },
    };
    this.keeper = new ReplicaKeeper(ports, parts);
  }

  async take(...rows: Row[]): Promise<number> {
    await this.#store.start();
    return this.keeper.take(rows, 0, "all");
  }

  async get(of: Uint8Array): Promise<Uint8Array | undefined> {
    return this.#store.get(of);
  }
}

describe("rows of another member", () => {
  it.each([true, false])("take nothing back of what is known: held here %o", async (holds) => {
    const bench = new KeeperBench(holds);
    await bench.take({ key, value: doneAt(5) });
    expect(await bench.take({ key, value: queuedRecord(0) })).toBe(0);
    expect(await bench.get(key)).toEqual(doneAt(5));
  });

  it("may speak of one URL several times, which is let in once", async () => {
    const bench = new KeeperBench(true);
    const exclusion = retag(key, "exclusion");
    const value = ExclusionRecord.encode({ url, reason: "robots-denied" });
    await bench.take({ key: exclusion, value });
    const [queued, done] = [queuedRecord(0), doneAt(5)];
    await bench.take({ key, value: queued }, { key, value: done }, { key, value: queued });
    expect(await bench.get(key)).toEqual(done);
    expect(await bench.get(exclusion)).toBeUndefined();
    expect(bench.skipped).toEqual([["robots-denied", -1]]);
  });

  it("may be written, deleted and written anew by one message to a copy", async () => {
    const bench = new KeeperBench(false);
    await bench.take({ key, value: doneAt(5) }, { key }, { key, value: queuedRecord(0) });
    expect(await bench.get(key)).toEqual(queuedRecord(0));
  });

  it("leave their URLs in the log of the sieve, each once", async () => {
    for (const holds of [true, false]) {
      const bench = new KeeperBench(holds);
      await bench.take({ key, value: queuedRecord(0) }, { key: host, value: restingFor(0) });
      expect(await bench.get(sieveLog)).toEqual(Uint8Array.of(1));
    }
  });

  it("are acknowledged when what they repeat is durable", async () => {
    const bench = new KeeperBench(true);
    await bench.take({ key, value: doneAt(5) });
    expect(bench.flushes).toBe(0);
    await bench.take({ key, value: doneAt(5) });
    expect(bench.flushes).toBe(1);
  });

  it("wait for what is done alone, also where that fails", async () => {
    const bench = new KeeperBench(true);
    const work = Promise.withResolvers<undefined>();
    const steps: string[] = [];
    const alone = bench.keeper.alone(() => work.promise).catch(() => void steps.push("failed"));
    const taken = bench.take({ key, value: doneAt(5) }).then(() => steps.push("taken"));
    await new Promise(setImmediate);
    expect(await bench.get(key)).toBeUndefined();
    work.reject(new Error("failed"));
    await Promise.all([alone, taken]);
    expect(steps).toEqual(["failed", "taken"]);
  });

  it("tell who asks a host from when on it may, which is durable", async () => {
    const bench = new KeeperBench(true);
    await bench.take(
      { key: host, value: restingFor(60_000) },
      { key: host, value: restingFor(30_000) },
    );
    await bench.take({ key: host, value: restingFor(30_000) });
    await bench.take({ key: host, value: restingFor(90_000) });
    expect(bench.heeded).toEqual([nowMs + 60_000, nowMs + 90_000]);
    const value = await bench.get(host);
    expect(value && HostRecord.decode(value).backoffUntilMs).toBe(nowMs + 90_000);
  });

  it("are a host's latest where a copy follows who holds it, but for its rest", async () => {
    const bench = new KeeperBench(false);
    await bench.take({ key: host, value: restingFor(60_000, 9_000) });
    await bench.take({ key: host, value: restingFor(30_000, 2_000) });
    const value = await bench.get(host);
    expect(value && HostRecord.decode(value)).toMatchObject({
      nextFetchAtMs: nowMs + 60_000,
      crawlDelayMs: 2_000,
    });
    expect(bench.heeded).toEqual([]);
  });

  it("bring a robots.txt where there is none, and change none where the site is held", async () => {
    const bench = new KeeperBench(true);
    expect(await bench.take({ key: robots, value: robotsOf(5) })).toBe(1);
    expect(await bench.take({ key: robots, value: robotsOf(9) })).toBe(0);
    expect(await bench.get(robots)).toEqual(robotsOf(5));
  });

  it("are sent on from the outbox once, where its arc is held", async () => {
    const entry = { url, depth: 2, redirectChain: [], job: "j" };
    const [far, near] = [entry, { ...entry, depth: 1 }].map((one) => OutboxEntry.encode(one));
    const sent: number[] = [];
    for (const holds of [true, false]) {
      const bench = new KeeperBench(holds);
      for (const value of [far, near]) {
        if (value) expect(await bench.take({ key: outbox, value })).toBe(1);
      }
      sent.push(bench.sent.length);
    }
    expect(sent).toEqual([1, 0]);
  });

  it("of a queue tell how often their URLs were asked for, so that none is asked more often", async () => {
    const bench = new KeeperBench(true);
    await bench.take(queueRow(2, ["a", "b"], { attempts: 2 }));
    expect(bench.queued).toBe(2);
    for (const path of ["a", "b"]) expect(await bench.get(keyOfUrl(path))).toEqual(queuedRecord(2));
    // The same URLs, as they were queued before their latest request.
    await bench.take(queueRow(1, ["a", "b"], { attempts: 1 }));
    expect(bench.queued).toBe(2);
  });

  it("of a queue make none of its URLs known that has left it, so that it may be found again", async () => {
    const bench = new KeeperBench(true);
    await bench.take(queueRow(1, ["gone", "left"], { taken: 1 }));
    expect(bench.queued).toBe(1);
    expect(await bench.get(keyOfUrl("gone"))).toBeUndefined();
    expect(await bench.get(keyOfUrl("left"))).toEqual(queuedRecord(0));
  });

  it("of a queue are looked at twice where they may be second ones of their URLs", async () => {
    const bench = new KeeperBench(true);
    await bench.take({ key: keyOfUrl("a"), value: queuedRecord(0) });
    bench.mixed.length = 0;
    await bench.take(queueRow(1, ["a"]));
    expect(bench.mixed).toEqual([positionOfKey(key)]);
  });

  it("are kept of a queue no larger than any that a peer writes", async () => {
    const bench = new KeeperBench(false);
    const large = queueKey(address, space, 0, 1, [key]);
    const small = queueKey(address, space, 0, 2, [key]);
    await bench.take({ key: large, value: new Uint8Array(rowBytesMax + 1) });
    await bench.take({ key: small, value: new Uint8Array(rowBytesMax) });
    expect(await bench.get(large)).toBeUndefined();
    expect((await bench.get(small))?.length).toBe(rowBytesMax);
  });
});
