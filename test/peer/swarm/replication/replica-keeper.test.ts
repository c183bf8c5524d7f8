import { describe, expect, it } from "vitest";
import { idOf } from "../../../../src/core/record/id-of.ts";
import { hostKey } from "../../../../src/core/record/host-keys.ts";
import { queueKey, waitingKeyOf } from "../../../../src/core/record/queue-keys.ts";
import { retag } from "../../../../src/core/record/url-keys.ts";
import {
  ExclusionRecord,
  HostRecord,
  OutboxEntry,
  UrlRecord,
} from "../../../../src/core/record/record.pb.ts";
import { queuedRecord } from "../../../../src/core/record/url-state.ts";
import { rowBytesMax } from "../../../../src/core/replication/row-lattice.ts";
import { positionOfKey } from "../../../../src/core/ring/ring-position.ts";
import type { JobId } from "../../../../src/core/units.ts";
import { QueuedRow } from "../../../../src/core/frontier/queued-row.ts";
import {
  address,
  doneAt,
  host,
  KeeperBench,
  key,
  keyOfUrl,
  nowMs,
  outbox,
  queueRow,
  restingFor,
  robots,
  robotsOf,
  sieveLog,
  space,
  url,
} from "./keeper-bench.ts";

const exclusion = retag(key, "exclusion");
const excluded = {
  key: exclusion,
  value: ExclusionRecord.encode({ url, reason: "robots-denied" }),
};

describe("rows of another member", () => {
  it.each([true, false])("take nothing back of what is known: held here %o", async (holds) => {
    const bench = new KeeperBench(holds);
    await bench.take({ key, value: doneAt(5) });
    expect(await bench.take({ key, value: queuedRecord(0) })).toBe(0);
    expect(await bench.get(key)).toEqual(doneAt(5));
  });

  it.each([true, false])("name no host by another one's name: held here %o", async (holds) => {
    const bench = new KeeperBench(holds);
    const waiting = hostKey("waiting", address);
    const own = new TextEncoder().encode("site.test");
    for (const name of ["zzzz.test", "site.test", "zzzz.test"]) {
      await bench.take({ key: waiting, value: new TextEncoder().encode(name) });
    }
    expect(await bench.get(waiting)).toEqual(own);
  });

  it("may speak of one URL several times, which is let in once", async () => {
    const bench = new KeeperBench(true);
    await bench.take(excluded);
    const [queued, done] = [queuedRecord(0), doneAt(5)];
    await bench.take({ key, value: queued }, { key, value: done }, { key, value: queued });
    expect(await bench.get(key)).toEqual(done);
    expect(await bench.get(exclusion)).toBeUndefined();
    expect(bench.skipped).toEqual([["robots-denied", -1]]);
  });

  it("leave a URL let in that is kept out elsewhere, and so do copies of what is held here", async () => {
    const bench = new KeeperBench(true);
    await bench.take({ key, value: doneAt(5) });
    await bench.take(excluded);
    expect(await bench.get(key)).toEqual(doneAt(5));
    expect(bench.batch[0]).toEqual({ type: "del", key: exclusion });
    expect(bench.skipped).toEqual([]);
  });

  it.each([
    ["written", { type: "put", key, value: doneAt(20) } as const, doneAt(15), 0],
    ["deleted", { type: "del", key } as const, doneAt(9), 2],
  ])("are merged with what is %s while they are looked up", async (_, op, value, changed) => {
    const bench = new KeeperBench(true);
    await bench.take({ key, value: doneAt(9) });
    bench.meanwhile = () => bench.observe([op], Promise.resolve());
    expect(await bench.take({ key, value })).toBe(changed);
  });

  it("delete what is a copy here, and nothing that is held or of no site", async () => {
    for (const holds of [true, false]) {
      const bench = new KeeperBench(holds);
      await bench.take({ key, value: doneAt(5) });
      await bench.take({ key }, { key: sieveLog });
      expect(await bench.get(key)).toEqual(holds ? doneAt(5) : undefined);
      expect(await bench.get(sieveLog)).toBeDefined();
    }
  });

  it.each([
    ["of no site", { key: sieveLog, value: Uint8Array.of(9) }],
    ["that are no record", { key, value: Uint8Array.of(99) }],
    ["of a queue that are no bundle", { ...queueRow(1, ["a"]), value: Uint8Array.of(99) }],
  ])("%s change nothing", async (_, row) => {
    const bench = new KeeperBench(true);
    expect(await bench.take(row)).toBe(0);
    expect(await bench.get(row.key)).toBeUndefined();
  });

  it("are acknowledged no earlier than they are durable", async () => {
    const bench = new KeeperBench(true);
    const committed = Promise.withResolvers<undefined>();
    bench.committed = committed.promise;
    const steps: string[] = [];
    const taken = bench.take({ key, value: doneAt(5) }).then(() => steps.push("taken"));
    await new Promise(setImmediate);
    expect(await bench.get(key)).toEqual(doneAt(5));
    steps.push("durable");
    committed.resolve(undefined);
    await taken;
    expect(steps).toEqual(["durable", "taken"]);
  });

  it.each([
    ["b", true, 1],
    ["b", false, 0],
    ["a", false, 1],
  ])("tell of a URL that was fetched twice, by %s first: held here %o", async (by, holds, told) => {
    const bench = new KeeperBench(holds);
    for (const at of [5, 9]) {
      const fetch = { ...UrlRecord.decode(doneAt(at)), httpStatus: 200, capturedBy: by };
      await bench.take({ key, value: UrlRecord.encode(fetch) });
    }
    expect(bench.overlaps).toBe(told);
  });

  it.each([
    [true, [true, true, true]],
    [false, [false, false, true]],
  ])("are told to whoever looks their URLs up: held here %o", async (holds, expected) => {
    const bench = new KeeperBench(holds);
    const { merged, visited } = bench.keeper;
    merged.watch();
    const other = { ...excluded, key: retag(keyOfUrl("other"), "exclusion") };
    const latest = await visited.during(idOf(key), async () => {
      await bench.take({ key, value: doneAt(5) }, other, { key: host, value: restingFor(5) });
      return visited.latest(key);
    });
    expect([merged.has(key), merged.has(other.key), latest !== undefined]).toEqual(expected);
    expect(merged.has(host)).toBe(false);
    expect(new Set(bench.mixed)).toEqual(new Set(holds ? [positionOfKey(key)] : []));
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
      await bench.take({ key, value: doneAt(5) });
      expect(bench.batch).toHaveLength(1);
    }
  });

  it("leave what is kept out in the log of the sieve as well", async () => {
    const bench = new KeeperBench(false);
    await bench.take(excluded);
    expect(await bench.get(sieveLog)).toEqual(Uint8Array.of(1));
  });

  it.each([true, false])(
    "take back that a URL was skipped, as it was fetched elsewhere, where its site is held: %o",
    async (holds) => {
      const bench = new KeeperBench(holds);
      const more = { excluded: "robots-denied", fetchedAtMs: 0 };
      const keptOut = UrlRecord.encode({ ...UrlRecord.decode(doneAt(0)), ...more });
      const fetched = UrlRecord.encode({ ...UrlRecord.decode(doneAt(5)), httpStatus: 200 });
      await bench.take({ key, value: keptOut });
      await bench.take({ key, value: fetched });
      expect(await bench.get(key)).toEqual(fetched);
      expect(bench.skipped).toEqual(holds ? [["robots-denied", -1]] : []);
    },
  );

  it("take the row by which a host is found out of a copy", async () => {
    const bench = new KeeperBench(false);
    const waiting = hostKey("waiting", address);
    await bench.take({ key: waiting, value: new TextEncoder().encode("site.test") });
    await bench.take({ key: waiting });
    expect(await bench.get(waiting)).toBeUndefined();
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
    const copy = new KeeperBench(false);
    for (const fetchedAtMs of [5, 9]) {
      await copy.take({ key: robots, value: robotsOf(fetchedAtMs) });
    }
    expect(await copy.get(robots)).toEqual(robotsOf(9));
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
    expect(bench.doubted).toEqual([positionOfKey(key)]);
  });

  it("of a queue with URLs that nobody knew here are no second ones", async () => {
    const bench = new KeeperBench(true);
    await bench.take(queueRow(1, ["a", "b"]));
    expect(bench.doubted).toEqual([]);
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

  it("of a queue bring their URLs and the row by which their host is found, each once", async () => {
    const bench = new KeeperBench(true);
    const row = queueRow(1, ["a", "b"]);
    await bench.take(row, row);
    expect(await bench.get(row.key)).toEqual(row.value);
    expect(await bench.get(waitingKeyOf(row.key))).toEqual(new TextEncoder().encode("site.test"));
    expect(bench.queued).toBe(2);
    expect(bench.arrived).toEqual([["site.test", { ...row, job: "j" }]]);
  });

  it("of a queue of a cancelled job are counted, and nobody looks for them", async () => {
    const bench = new KeeperBench(true, "cancelled");
    const row = queueRow(1, ["a", "b"]);
    await bench.take(row);
    expect([await bench.get(row.key), bench.queued]).toEqual([row.value, 2]);
    expect([await bench.get(waitingKeyOf(row.key)), bench.arrived]).toEqual([undefined, []]);
  });

  it("of a queue bring back nothing that has left it here", async () => {
    const bench = new KeeperBench(true);
    const left = queueRow(1, ["a", "b"], { taken: 1 });
    await bench.take(left);
    await bench.take(queueRow(1, ["a", "b"]));
    expect([await bench.get(left.key), bench.queued]).toEqual([left.value, 1]);
  });

  it("of a queue are gone here and from all copies where their URLs were all fetched", async () => {
    const bench = new KeeperBench(true);
    await bench.take({ key: keyOfUrl("a"), value: doneAt(5) });
    const { key, value } = queueRow(1, ["a"]);
    await bench.take({ key, value });
    expect([await bench.get(key), bench.arrived]).toEqual([undefined, []]);
    expect(bench.batch).toContainEqual({ type: "del", key });
  });

  it("of a queue are kept, and none of their URLs' records made, while nobody here knows their job", async () => {
    const bench = new KeeperBench(true);
    bench.knowsJob = false;
    const row = queueRow(1, ["a"]);
    await bench.take(row);
    expect([await bench.get(row.key), await bench.get(keyOfUrl("a"))]).toEqual([
      row.value,
      undefined,
    ]);
    expect([bench.queued, bench.arrived]).toEqual([1, []]);
  });

  it.each([true, false])(
    "of a queue are refused whose number is none: held here %o",
    async (holds) => {
      const bench = new KeeperBench(holds);
      bench.observes = false;
      const row = queueRow(1, ["a"]);
      await bench.take(row);
      expect([await bench.get(row.key), bench.queued]).toEqual([undefined, 0]);
      // With a record its URL would count as known, and nobody would ever fetch it.
      expect(await bench.get(keyOfUrl("a"))).toBeUndefined();
    },
  );
});

describe("a URL of a queue", () => {
  it("is looked up where it may be a second one, and is outdated when its record is further", async () => {
    const bench = new KeeperBench(true);
    const [queued] = QueuedRow.urlsOf({ ...queueRow(1, ["a"]), job: "j" as JobId });
    if (!queued) throw new Error("a row has a URL");
    const answers: boolean[] = [];
    for (const value of [queuedRecord(0), doneAt(5)]) {
      await bench.take({ key: keyOfUrl("a"), value });
      for (const mixed of [[], [positionOfKey(key)]]) {
        bench.mixed.splice(0, Infinity, ...mixed);
        answers.push(await bench.keeper.isOutdated(queued, keyOfUrl("a")));
      }
    }
    expect(answers).toEqual([false, false, false, true]);
  });
});

describe("records that are missing in arcs that are to be held", () => {
  it("are made known together with the sieve's log", () => {
    const records = [
      { key, value: queuedRecord(0) },
      { key: keyOfUrl("a"), value: queuedRecord(1) },
    ];
    const puts = records.map((record) => ({ type: "put", ...record }));
    const log = { type: "put", key: sieveLog, value: Uint8Array.of(2) };
    expect(new KeeperBench(false).keeper.enter(records)).toEqual([...puts, log]);
  });
});
