import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CrawlError } from "../../../src/core/errors.ts";
import type { StoreOp } from "../../../src/ports/store.ts";
import { Dice } from "../../../sim/world/dice.ts";
import { SortedRows } from "../../../sim/world/sorted-rows.ts";
import { VirtualDisk } from "../../../sim/world/virtual-disk.ts";
import { VirtualProcess } from "../../../sim/world/virtual-process.ts";
import { noDiskTimes, VirtualStore, type DiskTimes } from "../../../sim/world/virtual-store.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { stillProcess, timelessStore } from "../../support/still-process.ts";

const keyOf = (n: number): Uint8Array => Uint8Array.of(n);
const put = (n: number, value = n): StoreOp[] => [
  { type: "put", key: keyOf(n), value: Uint8Array.of(value) },
];
const codeOf = (error: unknown): string => (error instanceof CrawlError ? error.code : "");
const everything = { gte: keyOf(0), lt: keyOf(255) };

/** A disk and the processes that open it, one after the other, in running time. */
class DiskBench {
  readonly clock = new VirtualClock(0);
  readonly disk = new VirtualDisk();
  process = new VirtualProcess("peer-1", 1, this.clock);

  async open(times: Partial<DiskTimes> = {}): Promise<VirtualStore> {
    this.process = new VirtualProcess("peer-1", this.process.generation + 1, this.clock);
    const store = new VirtualStore(this.disk, this.process, new Dice(1), times);
    await store.start();
    return store;
  }

  async contents(): Promise<number[][]> {
    const store = await this.open();
    const entries = await store.range(everything, 100);
    await store.stop();
    return entries.map(({ key, value }) => [...key, ...value]);
  }
}

describe("a virtual disk", () => {
  it("keeps unsynced writes when the process ends, and loses them with the power", async () => {
    const bench = new DiskBench();
    await bench.clock.run(
      (async () => {
        const store = await bench.open();
        await store.write(put(1), { sync: false });
        await store.write(put(2), { sync: true });
        await store.write(put(1, 9), { sync: false });
        await store.write(put(3), { sync: false });
        await store.write([{ type: "del", key: keyOf(2) }], { sync: false });
        bench.process.end();
        expect(await bench.contents()).toEqual([
          [1, 9],
          [3, 3],
        ]);
        bench.disk.dropUnsynced();
        expect(await bench.contents()).toEqual([
          [1, 1],
          [2, 2],
        ]);
        bench.disk.wipe();
        expect(await bench.contents()).toEqual([]);
      })(),
    );
  });

  it("may keep the oldest of the unsynced batches, each whole, when the power fails", async () => {
    const left = async (keptShare: number): Promise<number[][]> => {
      const bench = new DiskBench();
      return bench.clock.run(
        (async () => {
          const store = await bench.open();
          await store.write(put(1), { sync: true });
          await store.write([...put(2), ...put(1, 9)], { sync: false });
          await store.write([{ type: "del", key: keyOf(1) }, ...put(3)], { sync: false });
          await store.write(put(4), { sync: false });
          bench.process.end();
          bench.disk.dropUnsynced(keptShare);
          return bench.contents();
        })(),
      );
    };
    const all = [
      [[1, 1]],
      [
        [1, 9],
        [2, 2],
      ],
      [
        [2, 2],
        [3, 3],
      ],
    ];
    expect([await left(0), await left(0.4), await left(0.99)]).toEqual(all);
  });

  it("tells what was there when it was asked, however long a read takes", async () => {
    const bench = new DiskBench();
    await bench.clock.run(
      (async () => {
        const store = await bench.open({ readMedianMs: 50, readTail: 0, syncTail: 0 });
        await store.write(put(1), { sync: true });
        const beganAtMs = bench.clock.nowMs();
        const read = store.get(keyOf(1));
        await store.write(put(1, 9), { sync: true });
        expect(bench.clock.nowMs() - beganAtMs).toBeLessThan(10);
        expect(await read).toEqual(Uint8Array.of(1));
        expect(bench.clock.nowMs() - beganAtMs).toBe(50);
        expect(await store.get(keyOf(1))).toEqual(Uint8Array.of(9));
      })(),
    );
  });

  it("may keep a batch whose writer died before it was told", async () => {
    const bench = new DiskBench();
    await bench.clock.run(
      (async () => {
        const times = { writeMs: 1, syncMedianMs: 100, syncTail: 0 };
        const heard: string[] = [];
        const store = await bench.open(times);
        void store.write(put(1), { sync: true }).then(() => heard.push("first"));
        void store.write(put(2), { sync: true }).then(() => heard.push("second"));
        await bench.clock.sleep(50);
        bench.process.end();
        await bench.clock.sleep(10_000);
        expect(heard).toEqual([]);
        expect(await bench.contents()).toEqual([[1, 1]]);
        bench.disk.dropUnsynced();
        expect(await bench.contents()).toEqual([]);
      })(),
    );
  });

  it("says nothing more to a process that has ended, not even that it failed", async () => {
    const bench = new DiskBench();
    await bench.clock.run(
      (async () => {
        const store = await bench.open();
        const { process } = bench;
        await store.write(put(1), { sync: true });
        const heard: string[] = [];
        const listen = (what: string, promise: Promise<unknown>): void => {
          void promise.finally(() => heard.push(what)).catch(() => undefined);
        };
        listen("read under way", store.get(keyOf(1)));
        process.end();
        listen("read", store.get(keyOf(1)));
        listen("write", store.write(put(5), { sync: false }));
        listen("sleep", process.clock.sleep(1));
        await bench.clock.sleep(10_000);
        expect(heard).toEqual([]);
        expect(await bench.contents()).toEqual([[1, 1]]);
      })(),
    );
  });

  it("takes its time for a sync, and stalls now and then", async () => {
    const bench = new DiskBench();
    const timesMs: number[] = [];
    await bench.clock.run(
      (async () => {
        const store = await bench.open({
          syncMedianMs: 4,
          stallRate: 0.05,
          stallMs: 3_000,
        });
        for (let n = 0; n < 400; n += 1) {
          const startMs = bench.clock.nowMs();
          await store.write(put(n & 127), { sync: true });
          timesMs.push(bench.clock.nowMs() - startMs);
        }
      })(),
    );
    const sorted = timesMs.toSorted((a, b) => a - b);
    expect(sorted[200]).toBeGreaterThan(3);
    expect(sorted[200]).toBeLessThan(6);
    const stalls = sorted.filter((ms) => ms > 100).length;
    expect(stalls).toBeGreaterThan(8);
    expect(stalls).toBeLessThan(40);
  });

  it("stays failed after it was full, until it is opened anew", async () => {
    const disk = new VirtualDisk();
    const store = timelessStore(disk);
    await store.start();
    disk.full = true;
    await expect(store.write(put(1), { sync: true })).rejects.toMatchObject({
      code: "DISK_FULL",
    });
    disk.full = false;
    await expect(store.write(put(1), { sync: true })).rejects.toMatchObject({
      code: "DISK_FULL",
    });
    await store.stop();
    const next = timelessStore(disk);
    await next.start();
    await next.write(put(1), { sync: true });
    expect(await next.get(keyOf(1))).toEqual(keyOf(1));
  });

  it("may have written what it said had failed, which the next process alone finds", async () => {
    const found = new Set<boolean>();
    for (let seed = 1; seed <= 20; seed += 1) {
      const disk = new VirtualDisk();
      const dice = new Dice(seed);
      const open = (): VirtualStore => new VirtualStore(disk, stillProcess(), dice, noDiskTimes);
      const store = open();
      await store.start();
      disk.broken = true;
      const failed = expect(store.write([...put(1), ...put(2)], { sync: true })).rejects;
      await failed.toMatchObject({ code: "STORE_IO" });
      await expect(store.write(put(3), { sync: true })).rejects.toMatchObject({ code: "STORE_IO" });
      expect(await store.get(keyOf(1))).toBeUndefined();
      await store.stop();
      disk.broken = false;
      const next = open();
      await next.start();
      const isThere = await next.hasMany([keyOf(1), keyOf(2), keyOf(3)]);
      // All of it or nothing, and nothing of what came behind it.
      expect(isThere).toEqual([isThere[0], isThere[0], false]);
      found.add(isThere[0] === true);
      disk.dropUnsynced();
      expect(disk.rows).toBe(0);
    }
    expect(found).toEqual(new Set([true, false]));
  });

  it("takes nothing while it hangs, tells what is there, and forgets who died meanwhile", async () => {
    const bench = new DiskBench();
    await bench.clock.run(
      (async () => {
        const store = await bench.open();
        await store.write(put(1), { sync: true });
        bench.disk.sluice.shut();
        let isWritten = false;
        const written = store.write(put(2), { sync: true }).then(() => {
          isWritten = true;
        });
        await bench.clock.sleep(100_000);
        expect(isWritten).toBe(false);
        expect(await store.hasMany([keyOf(1), keyOf(2)])).toEqual([true, false]);
        bench.disk.sluice.open();
        await written;
        bench.disk.sluice.shut();
        void store.write(put(3), { sync: true });
        await bench.clock.sleep(1_000);
        bench.process.end();
        const reopened = bench.contents();
        await bench.clock.sleep(1_000);
        bench.disk.sluice.open();
        expect(await reopened).toEqual([
          [1, 1],
          [2, 2],
        ]);
      })(),
    );
  });

  it("is opened by some and not by others while its disk is full", async () => {
    const opened = new Set<string>();
    for (let seed = 1; seed <= 20; seed += 1) {
      const disk = new VirtualDisk();
      disk.full = true;
      const store = new VirtualStore(disk, stillProcess(), new Dice(seed), noDiskTimes);
      opened.add(await store.start().then(() => "opened", codeOf));
    }
    expect(opened).toEqual(new Set(["opened", "DISK_FULL"]));
  });

  it("gives back bytes of any value and length", async () => {
    const store = timelessStore();
    await store.start();
    const lengths = [0, 1, 47, 48, 49, 300, 70_000];
    const made = lengths.map((length) => Uint8Array.from({ length }, (_, at) => (at * 7) & 255));
    await store.write(
      made.map((value) => ({ type: "put", key: value.slice(0, 200), value })),
      { sync: true },
    );
    for (const value of made.slice(0, 5))
      expect(await store.get(value.slice(0, 200))).toEqual(value);
    const [, last] = await store.getMany([keyOf(9), made[6]?.slice(0, 200) ?? keyOf(9)]);
    expect(last?.length).toBe(70_000);
  });
});

describe("sorted rows", () => {
  it("are what a sorted map is, whatever is put in and taken out", () => {
    const change = fc.record({
      key: fc.oneof(fc.nat(8), fc.nat(2_000)),
      isDelete: fc.boolean(),
      runs: fc.oneof(fc.nat(2), fc.nat(40)),
      // Between two looks there are few changes, or many.
      isLook: fc.boolean(),
    });
    const changesOf = fc.array(change, { maxLength: 120 });
    fc.assert(
      fc.property(changesOf, fc.nat(2_000), fc.boolean(), (changes, from, hasSmallLeaves) => {
        const rows = hasSmallLeaves ? new SortedRows(64) : new SortedRows();
        const model = new Map<string, string>();
        const nameOf = (n: number): string => String(n).padStart(4, "0");
        const expected = (): [string, string][] => [...model].sort(([a], [b]) => (a < b ? -1 : 1));
        for (const { key, isDelete, runs, isLook } of changes) {
          for (let n = key; n <= key + runs; n += 1) {
            const value = isDelete ? undefined : `v${n}-${runs}`;
            expect(rows.set(nameOf(n), value)).toBe(model.get(nameOf(n)));
            if (value === undefined) model.delete(nameOf(n));
            else model.set(nameOf(n), value);
          }
          const near = [nameOf(key - 20), nameOf(key + 20)] as const;
          const within = expected().filter(([name]) => name >= near[0] && name < near[1]);
          if (isLook) expect(rows.range(...near, Infinity)).toEqual(within.flat());
        }
        expect(rows.size).toBe(model.size);
        const wanted = expected();
        expect(rows.range("", "~", Infinity)).toEqual(wanted.flat());
        const gte = nameOf(from);
        const within = wanted.filter(([key]) => key >= gte && key < "1500").slice(0, 50);
        expect(rows.range(gte, "1500", 50)).toEqual(within.flat());
        for (const [key, value] of wanted) expect(rows.get(key)).toBe(value);
      }),
      { numRuns: 400 },
    );
  });

  it("are all there in order when nobody has looked for long", () => {
    const rows = new SortedRows();
    const count = 30_000;
    for (let n = 0; n < count; n += 1) rows.set(String((n * 2_741) % count).padStart(5, "0"), "x");
    expect(rows.range("", "~", Infinity)).toHaveLength(2 * count);
    for (let n = 0; n < count; n += 1) {
      if (n % 50 !== 0) rows.set(String((n * 1_117) % count).padStart(5, "0"), undefined);
    }
    const left = rows.range("", "~", Infinity).filter((_, at) => at % 2 === 0);
    expect(left).toHaveLength(count / 50);
    expect(left).toEqual(left.toSorted());
  });
});
