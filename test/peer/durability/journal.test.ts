import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { defaultJournalOptions, Journal } from "../../../src/peer/durability/journal.ts";
import type { Archive } from "../../../src/ports/archive.ts";
import { noMetrics } from "../../../src/ports/metrics.ts";
import type { StoreOp, WriteOptions } from "../../../src/ports/store.ts";
import { Dice } from "../../../sim/world/dice.ts";
import { VirtualDisk } from "../../../sim/world/virtual-disk.ts";
import { VirtualProcess } from "../../../sim/world/virtual-process.ts";
import { type DiskTimes, VirtualStore } from "../../../sim/world/virtual-store.ts";
import { MemoryArchive } from "../../support/memory-archive.ts";
import { sampleCapture, sampleExchange } from "../../support/sample-captures.ts";

function put(name: string): StoreOp {
  return { type: "put", key: new TextEncoder().encode(name), value: Uint8Array.of(1) };
}

/** A store that tells of its writes. */
class ToldStore extends VirtualStore {
  readonly events: string[] = [];

  override write(ops: readonly StoreOp[], options: WriteOptions): Promise<void> {
    this.events.push("write");
    return super.write(ops, options);
  }
}

/** A journal with everything around it in memory, and a record of what reached the disks in which order. */
async function newJournal(diskTimes: Partial<DiskTimes> = {}) {
  const clock = new VirtualClock();
  const failures: unknown[] = [];
  const process = new VirtualProcess("peer-1", 1, clock);
  const store = new ToldStore(new VirtualDisk(), process, new Dice(1), diskTimes);
  const { events } = store;
  const memory = new MemoryArchive(undefined, 2);
  const archive: Archive = {
    get full() {
      return memory.full;
    },
    append: (capture) => memory.append(capture),
    flush: () => {
      events.push("flush");
      return memory.flush();
    },
    start: (mark) => memory.start(mark),
    stop: (isCommitted) => memory.stop(isCommitted),
    read: (location) => memory.read(location),
    has: (location) => memory.has(location),
    files: () => memory.files(),
  };
  await store.start();
  await archive.start(undefined);
  const journal = new Journal(
    { store, archive, clock, metrics: noMetrics },
    defaultJournalOptions,
    (error) => failures.push(error),
  );
  return { archive, clock, events, failures, journal, store };
}

/** Each sync takes as long as another. */
const evenDisk = { syncMedianMs: 2, syncTail: 0 };

function has(store: VirtualStore, name: string): Promise<boolean[]> {
  return store.hasMany([new TextEncoder().encode(name)]);
}

describe("the journal", () => {
  it("makes durable what was appended before its promise resolves", async () => {
    const { clock, journal, store } = await newJournal();
    await clock.run(journal.append([put("a"), put("b")]));
    expect(await has(store, "a")).toEqual([true]);
    expect(await has(store, "b")).toEqual([true]);
  });

  it("writes nothing for a change of nothing, and lets nobody who reads along wait for it", async () => {
    const { clock, events, journal } = await newJournal();
    const seen: number[] = [];
    journal.observe((ops) => void seen.push(ops.length));
    void journal.append([]);
    await clock.run(clock.sleep(1_000));
    expect([events, seen]).toEqual([[], []]);
    await clock.run(journal.flushed());
  });

  it("tells who reads along of each change, in their order, and when it is durable", async () => {
    const { clock, journal, store } = await newJournal();
    const seen: [number, boolean][] = [];
    journal.observe((ops, durable) => {
      const look = async () => seen.push([ops.length, (await has(store, "b"))[0] === true]);
      void durable.then(look);
    });
    void journal.append([put("a")]);
    await clock.run(journal.append([put("b"), put("c")]));
    await new Promise(setImmediate);
    expect(seen).toEqual([
      [1, true],
      [2, true],
    ]);
  });

  it("gathers what comes within an interval into one write", async () => {
    const { clock, events, journal, store } = await newJournal();
    const many = (async () => {
      await journal.append([put("first")]);
      await Promise.all([1, 2, 3].map((number) => journal.append([put(`later ${number}`)])));
    })();
    await clock.run(many);
    expect(events.filter((event) => event === "write")).toHaveLength(2);
    for (const number of [1, 2, 3]) expect(await has(store, `later ${number}`)).toEqual([true]);
  });

  it("lets an interval lie between the starts of two commits", async () => {
    const { clock, journal } = await newJournal(evenDisk);
    const startedAtMs = clock.nowMs();
    await clock.run(journal.append([put("first")]));
    await clock.run(journal.append([put("second")]));
    const { commitIntervalMs } = defaultJournalOptions;
    expect(clock.nowMs() - startedAtMs).toBeGreaterThan(commitIntervalMs);
  });

  it("begins no commit while another one is under way", async () => {
    const { clock, events, journal } = await newJournal({ ...evenDisk, syncMedianMs: 500 });
    void journal.append([put("a")]);
    await clock.run(clock.sleep(100));
    void journal.append([put("b")]);
    await clock.run(clock.sleep(300));
    expect(events).toEqual(["flush", "write"]);
    await clock.run(journal.flushed());
    expect(events).toEqual(["flush", "write", "flush", "write"]);
  });

  it("flushes the archive before the write that refers to it, and saves its mark with it", async () => {
    const { archive, clock, events, journal, store } = await newJournal();
    const location = archive.append(sampleCapture(sampleExchange("http://site.example/", "body")));
    await clock.run(journal.append([put("page")]));
    expect(events).toEqual(["flush", "write"]);
    const mark = await has(store, "marchive-mark");
    expect({ mark, file: location.file }).toMatchObject({ mark: [true] });
  });

  it("writes the contributors' rows with each commit, as they stand when it is sealed", async () => {
    const { clock, journal, store } = await newJournal();
    let counted = 0;
    journal.contribute(() => [put(`count ${counted}`)]);
    await clock.run(journal.append([put("page 0")]));
    counted = 1;
    const later = journal.append([put("page 1")]);
    counted = 2;
    await clock.run(later);
    expect(await has(store, "count 0")).toEqual([true]);
    expect(await has(store, "count 1")).toEqual([false]);
    expect(await has(store, "count 2")).toEqual([true]);
  });

  it("seals the contributors' rows before the archive is flushed: what counts meanwhile is of the next commit", async () => {
    const { archive, clock, journal, store } = await newJournal();
    let counted = 0;
    journal.contribute(() => [put(`count ${counted}`)]);
    const flush = archive.flush.bind(archive);
    archive.flush = () => {
      counted += 1;
      return flush();
    };
    await clock.run(journal.append([put("page")]));
    expect(await has(store, "count 0")).toEqual([true]);
    expect(await has(store, "count 1")).toEqual([false]);
  });

  it("has nothing flushed before the commit under way is durable", async () => {
    const { clock, journal } = await newJournal({ ...evenDisk, syncMedianMs: 500 });
    const order: string[] = [];
    void journal.append([put("a")]).then(() => order.push("durable"));
    await clock.run(clock.sleep(100));
    await clock.run(journal.flushed());
    order.push("flushed");
    expect(order).toEqual(["durable", "flushed"]);
  });

  it("counts what is being written as waiting, too", async () => {
    const { clock, journal } = await newJournal({ ...evenDisk, syncMedianMs: 500 });
    const half = Array.from({ length: defaultJournalOptions.pendingOpsMax / 2 }, () => put("a"));
    void journal.append(half);
    await clock.run(clock.sleep(100));
    expect(journal.full).toBe(false);
    const last = journal.append(half);
    expect(journal.full).toBe(true);
    await clock.run(last);
    expect(journal.full).toBe(false);
  });

  it("does not wait for the interval when somebody waits for it", async () => {
    const { clock, journal } = await newJournal(evenDisk);
    await clock.run(journal.append([put("first")]));
    const startedAtMs = clock.nowMs();
    const second = journal.append([put("second")]);
    await clock.run(clock.sleep(1));
    void journal.flushed();
    await clock.run(second);
    expect(clock.nowMs() - startedAtMs).toBeLessThan(2 * evenDisk.syncMedianMs);
  });

  it("is full when as much waits as may wait, and not after the commit", async () => {
    const { clock, journal } = await newJournal();
    const many = Array.from({ length: defaultJournalOptions.pendingOpsMax }, (_, number) =>
      put(`row ${number % 100}`),
    );
    const durable = journal.append(many);
    expect(journal.full).toBe(true);
    await clock.run(durable);
    expect(journal.full).toBe(false);
  });

  it("is full while the archive is, and not after the commit", async () => {
    const { archive, clock, journal } = await newJournal();
    archive.append(sampleCapture(sampleExchange("http://site.example/", "body")));
    const durable = journal.append([put("page")]);
    expect(journal.full).toBe(true);
    await clock.run(durable);
    expect(journal.full).toBe(false);
  });

  it("begins no commit any more when it is told that a change is half made", async () => {
    const { clock, events, failures, journal, store } = await newJournal();
    await clock.run(journal.append([put("first")]));
    events.length = 0;
    const failure = new Error("half made");
    const waiting = journal.append([put("a")]);
    journal.fail(failure);
    journal.fail(new Error("what follows from it"));
    journal.observe(() => events.push("observed"));
    await expect(clock.run(waiting)).rejects.toBe(failure);
    await expect(journal.append([put("b")])).rejects.toBe(failure);
    await clock.run(clock.sleep(1_000));
    expect(events).toEqual([]);
    expect(await has(store, "a")).toEqual([false]);
    expect(failures).toEqual([failure]);
  });

  it("is closed when what came before is durable, and refuses what comes later, without calling it a failure", async () => {
    const { archive, clock, failures, journal, store } = await newJournal();
    const before = journal.append([put("a")]);
    await clock.run(journal.close());
    await before;
    await archive.stop(true);
    await expect(journal.append([put("b")])).rejects.toMatchObject({ code: "PEER_STOPPED" });
    await expect(journal.flushed()).rejects.toMatchObject({ code: "PEER_STOPPED" });
    await clock.run(clock.sleep(1_000));
    expect([...(await has(store, "a")), ...(await has(store, "b"))]).toEqual([true, false]);
    expect(failures).toEqual([]);
  });

  it("begins no commit once it is to be closed, however long the last one takes", async () => {
    const { clock, events, journal, store } = await newJournal({ syncMedianMs: 500, syncTail: 0 });
    void journal.append([put("a")]);
    await clock.run(clock.sleep(100));
    const closed = journal.close();
    await clock.run(clock.sleep(100));
    const late = expect(journal.append([put("b")])).rejects.toMatchObject({ code: "PEER_STOPPED" });
    await clock.run(closed);
    expect(events).toEqual(["flush", "write"]);
    await clock.run(clock.sleep(5_000));
    await late;
    expect([...(await has(store, "a")), ...(await has(store, "b"))]).toEqual([true, false]);
  });

  it("ends the commit that is under way, before it refuses to flush", async () => {
    const { clock, journal, store } = await newJournal();
    const durable = journal.append([put("a")]);
    await clock.run(clock.sleep(1));
    journal.fail(new Error("half made"));
    await expect(clock.run(journal.flushed())).rejects.toThrow("half made");
    expect(await has(store, "a")).toEqual([true]);
    await durable;
  });

  it("tells everybody when a commit fails, and writes nothing any more", async () => {
    const { clock, events, failures, journal, store } = await newJournal();
    store.disk.full = true;
    const first = journal.append([put("a")]);
    await expect(clock.run(first)).rejects.toMatchObject({ code: "DISK_FULL" });
    store.disk.full = false;
    events.length = 0;
    await expect(journal.append([put("b")])).rejects.toMatchObject({ code: "DISK_FULL" });
    await expect(journal.flushed()).rejects.toMatchObject({ code: "DISK_FULL" });
    expect(failures).toHaveLength(1);
    expect(events).toEqual([]);
  });
});
