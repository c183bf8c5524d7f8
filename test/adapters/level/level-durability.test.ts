import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Level } from "level";
import { afterEach, beforeEach, describe, expect, it, vi, type MockInstance } from "vitest";
import { LevelBatch } from "../../../src/adapters/level/level-batch.ts";
import { LevelStore } from "../../../src/adapters/level/level-store.ts";
import type { StoreOp } from "../../../src/ports/store.ts";
import { watchSyncs } from "../../support/watch-syncs.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "orbweaver-level-"));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(directory, { recursive: true, force: true });
});

const put = (n: number): StoreOp => ({
  type: "put",
  key: Uint8Array.of(n),
  value: new Uint8Array(),
});
const everything = { gte: Uint8Array.of(0), lt: Uint8Array.of(0xff) };

async function opened(): Promise<LevelStore> {
  const store = new LevelStore({ directory });
  await store.start();
  return store;
}

describe("LevelStore", () => {
  it.runIf(process.platform === "linux")(
    "makes what was written before durable too, also where that is in another log",
    async () => {
      const store = await opened();
      const synced = await watchSyncs();
      await store.write([put(1)], { sync: true });
      expect(synced).toEqual([]);
      await store.write([put(2)], { sync: false });
      await store.write([put(3)], { sync: true });
      expect(synced).toEqual([expect.stringMatching(/^\d+\.log$/u)]);
      await store.write([put(4)], { sync: true });
      expect(synced).toHaveLength(1);
      await store.stop();
    },
  );

  it("writes all that it was given before it is closed", async () => {
    const numbers = [1, 2, 3, 4, 5];
    const store = await opened();
    const writes = numbers.map((n) => store.write([put(n)], { sync: false }));
    await Promise.all([store.stop(), ...writes]);
    const next = await opened();
    const entries = await next.range(everything, 100);
    await next.stop();
    expect(entries.map(({ key }) => key[0])).toEqual(numbers);
  });

  it("has one batch under way at a time: two might be applied in either order", async () => {
    const store = await opened();
    let underWay = 0;
    const most: number[] = [];
    const write: LevelBatch["write"] = Reflect.get(LevelBatch.prototype, "write");
    vi.spyOn(LevelBatch.prototype, "write").mockImplementation(async function (
      this: LevelBatch,
      sync,
    ) {
      most.push((underWay += 1));
      await write.call(this, sync);
      underWay -= 1;
    });
    await Promise.all([1, 2, 3].map((n) => store.write([put(n)], { sync: n === 1 })));
    await store.stop();
    expect(most).toEqual([1, 1, 1]);
  });

  it("closes the iterator of a scan that is left before its end: it holds a state of the database", async () => {
    const store = await opened();
    await store.write([put(1), put(2)], { sync: false });
    const iterate: Level["iterator"] = Reflect.get(Level.prototype, "iterator");
    const closes: MockInstance[] = [];
    vi.spyOn(Level.prototype, "iterator").mockImplementation(function (this: Level, options) {
      const iterator = iterate.call(this, options);
      closes.push(vi.spyOn(iterator, "close"));
      return iterator;
    });
    for await (const entry of store.scan(everything)) if (entry.key[0] === 1) break;
    await store.range(everything, 1);
    expect(closes.map((close) => close.mock.calls.length)).toEqual([1, 1]);
    await store.stop();
  });

  it("reads no more of a range than so many bytes, and the entry that reaches them", async () => {
    const store = await opened();
    await store.write([1, 2, 3, 4].map(put), { sync: false });
    const read = await Promise.all([1, 2, 3].map((most) => store.range(everything, 100, most)));
    await store.stop();
    expect(read.map((entries) => entries.length)).toEqual([1, 2, 3]);
  });
});
