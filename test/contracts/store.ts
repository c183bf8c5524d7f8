import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { KeyRange, Store, StoreEntry, StoreOp } from "../../src/ports/store.ts";

/** A place that stores are opened on, one after the other. */
export interface StorePlace {
  store(): Store;
  remove(): Promise<void>;
}

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const put = (key: Uint8Array, value: Uint8Array): StoreOp => ({ type: "put", key, value });
const del = (key: Uint8Array): StoreOp => ({ type: "del", key });
const plain = (value: Uint8Array | undefined): number[] | undefined => value && [...value];
const plainEntry = ({ key, value }: StoreEntry): number[][] => [[...key], [...value]];
const everything: KeyRange = { gte: bytes(0), lt: bytes(0xff, 0xff) };

/** 16-bit keys, so that they have an order. */
const numbered = (count: number): StoreOp[] =>
  Array.from({ length: count }, (_, i) => put(bytes(i >>> 8, i & 0xff), bytes(i & 0xff)));

/** What every store must do, whatever it is made of. */
export function storeContract(name: string, makePlace: () => Promise<StorePlace>): void {
  describe(`${name} keeps the store's contract`, () => {
    let place: StorePlace;
    let store: Store;
    beforeEach(async () => {
      place = await makePlace();
      store = place.store();
      await store.start();
    });
    afterEach(async () => {
      await store.stop();
      await place.remove();
    });

    it("reads back what was written, byte for byte", async () => {
      const key = bytes(0, 255, 128, 10, 0);
      await store.write([put(key, bytes(0, 1, 254, 255)), put(bytes(1), bytes())], { sync: true });
      expect(plain(await store.get(key))).toEqual([0, 1, 254, 255]);
      expect(plain(await store.get(bytes(1)))).toEqual([]);
      expect(await store.get(bytes(0, 255, 128, 10))).toBeUndefined();
    });

    it("answers many keys in the order of the question", async () => {
      await store.write([put(bytes(1), bytes(11)), put(bytes(3), bytes(13))], { sync: false });
      const keys = [bytes(3), bytes(2), bytes(1), bytes(3)];
      expect((await store.getMany(keys)).map(plain)).toEqual([[13], undefined, [11], [13]]);
      expect(await store.hasMany(keys)).toEqual([true, false, true, true]);
      expect(await store.getMany([])).toEqual([]);
      expect(await store.hasMany([])).toEqual([]);
    });

    it("lets the later change of a key win within a batch", async () => {
      const key = bytes(7);
      await store.write([put(key, bytes(1)), put(key, bytes(2))], { sync: false });
      expect(plain(await store.get(key))).toEqual([2]);
      await store.write([put(key, bytes(3)), del(key)], { sync: false });
      expect(await store.get(key)).toBeUndefined();
      await store.write([del(key), put(key, bytes(4))], { sync: false });
      expect(plain(await store.get(key))).toEqual([4]);
    });

    it("applies batches in the order of the calls, awaited or not, synced or not", async () => {
      const key = bytes(5);
      const writes = Array.from({ length: 200 }, (_, i) =>
        store.write([put(key, bytes(i)), put(bytes(6, i), bytes(i))], { sync: i % 7 === 0 }),
      );
      await Promise.all(writes);
      expect(plain(await store.get(key))).toEqual([199]);
      expect(await store.range({ gte: bytes(6), lt: bytes(7) }, 1000)).toHaveLength(200);
    });

    it("makes a batch visible once its write has resolved, with all earlier ones", async () => {
      const first = store.write([put(bytes(1), bytes(1))], { sync: false });
      await store.write([put(bytes(2), bytes(2))], { sync: false });
      expect(await store.hasMany([bytes(1), bytes(2)])).toEqual([true, true]);
      await first;
    });

    it("writes what a batch has gathered, in the order in which it was added, and nothing before", async () => {
      const batch = store.batch();
      batch.add([put(bytes(1), bytes(1)), put(bytes(2), bytes(2))]);
      batch.add([]);
      batch.add([del(bytes(1)), put(bytes(3), bytes(3))]);
      expect(batch.length).toBe(4);
      await store.write([put(bytes(3), bytes(0))], { sync: false });
      expect(await store.hasMany([bytes(1), bytes(2), bytes(3)])).toEqual([false, false, true]);
      await store.write(batch, { sync: true });
      expect((await store.range(everything, 9)).map(plainEntry)).toEqual([
        [[2], [2]],
        [[3], [3]],
      ]);
    });

    it("keeps the order of its batches and other writes", async () => {
      const [first, second] = [store.batch(), store.batch()];
      second.add([put(bytes(1), bytes(2))]);
      first.add([put(bytes(1), bytes(1))]);
      const writes = [
        store.write(first, { sync: true }),
        store.write([put(bytes(2), bytes(1))], { sync: false }),
        store.write(second, { sync: false }),
      ];
      await Promise.all(writes);
      expect((await store.getMany([bytes(1), bytes(2)])).map(plain)).toEqual([[2], [1]]);
    });

    it("gives a range in byte order, from the lower bound up to but without the upper one", async () => {
      const keys = [bytes(2), bytes(1, 255), bytes(1), bytes(255), bytes(1, 0), bytes(128)];
      await store.write(
        keys.map((key) => put(key, key)),
        { sync: false },
      );
      const found = await store.range({ gte: bytes(1), lt: bytes(128) }, 100);
      expect(found.map(plainEntry)).toEqual([
        [[1], [1]],
        [
          [1, 0],
          [1, 0],
        ],
        [
          [1, 255],
          [1, 255],
        ],
        [[2], [2]],
      ]);
    });

    it("gives the first entries of a range, at most as many as asked for", async () => {
      await store.write(numbered(2500), { sync: false });
      expect(await store.range(everything, 0)).toEqual([]);
      const found = await store.range(everything, 2300);
      expect(found).toHaveLength(2300);
      expect(found.at(-1)?.key.at(-1)).toBe(2299 & 0xff);
      expect(await store.range({ gte: bytes(9), lt: bytes(9) }, 5)).toEqual([]);
    });

    it("ends a range with the entry that has it reach a number of bytes", async () => {
      await store.write(
        Array.from({ length: 100 }, (_, n) => put(bytes(n), new Uint8Array(9_999))),
        { sync: false },
      );
      expect(await store.range(everything, 100, 1)).toHaveLength(1);
      expect(await store.range(everything, 100, 400_000)).toHaveLength(40);
      expect(await store.range(everything, 100, 400_001)).toHaveLength(41);
      expect(await store.range(everything, 3, 400_000)).toHaveLength(3);
      expect(await store.range(everything, 100, 2_000_000)).toHaveLength(100);
    });

    it("scans all entries in order, as they were when the scan began", async () => {
      await store.write(numbered(3000), { sync: false });
      const seen: number[] = [];
      for await (const { key } of store.scan(everything)) {
        if (seen.length === 0) {
          await store.write([del(bytes(11, 0)), put(bytes(250, 0), bytes(1))], { sync: false });
        }
        seen.push((key[0] ?? 0) * 256 + (key[1] ?? 0));
      }
      expect(seen).toEqual(Array.from({ length: 3000 }, (_, i) => i));
    });

    it("can leave a scan early and go on", async () => {
      await store.write(numbered(3000), { sync: false });
      for await (const { key } of store.scan(everything)) {
        expect(plain(key)).toEqual([0, 0]);
        break;
      }
      expect(await store.range(everything, 1)).toHaveLength(1);
    });

    it("finishes the writes under way before it stops, and keeps them", async () => {
      const writes = [1, 2, 3].map((i) =>
        store.write([put(bytes(i), bytes(i))], { sync: i === 2 }),
      );
      await store.stop();
      await Promise.all(writes);
      store = place.store();
      await store.start();
      expect(await store.hasMany([bytes(1), bytes(2), bytes(3)])).toEqual([true, true, true]);
    });

    it("starts and stops as often as it is told", async () => {
      await store.start();
      await store.write([put(bytes(1), bytes(1))], { sync: false });
      await store.stop();
      await store.stop();
      await store.start();
      expect(plain(await store.get(bytes(1)))).toEqual([1]);
    });

    it("fails every call while it is stopped", async () => {
      await store.stop();
      const failure = expect.objectContaining({ name: "CrawlError", code: "STORE_IO" }) as unknown;
      await expect(store.get(bytes(1))).rejects.toEqual(failure);
      await expect(store.hasMany([bytes(1)])).rejects.toEqual(failure);
      await expect(store.range(everything, 1)).rejects.toEqual(failure);
      await expect(store.write([del(bytes(1))], { sync: false })).rejects.toEqual(failure);
      const batch = store.batch();
      batch.add([del(bytes(1))]);
      await expect(store.write(batch, { sync: false })).rejects.toEqual(failure);
    });

    it("refuses a place that another store holds, until that one stops", async () => {
      const other = place.store();
      await expect(other.start()).rejects.toMatchObject({ code: "DATA_DIR_LOCKED" });
      await store.stop();
      await other.start();
      await other.stop();
    });
  });
}
