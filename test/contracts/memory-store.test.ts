import { expect, it } from "vitest";
import type { StoreOp } from "../../src/ports/store.ts";
import { MemoryDisk, MemoryStore } from "../support/memory-store.ts";

const keyOf = (n: number): Uint8Array => Uint8Array.of(n);
const put = (n: number, value = n): StoreOp[] => [
  { type: "put", key: keyOf(n), value: Uint8Array.of(value) },
];

async function opened(disk: MemoryDisk): Promise<MemoryStore> {
  const store = new MemoryStore({ disk });
  await store.start();
  return store;
}

it("keeps unsynced writes when the process is killed", async () => {
  const disk = new MemoryDisk();
  const store = await opened(disk);
  await store.write(put(1), { sync: false });
  store.kill();
  await expect(store.get(keyOf(1))).rejects.toMatchObject({ code: "STORE_IO" });
  expect(await (await opened(disk)).get(keyOf(1))).toEqual(keyOf(1));
});

it("takes back everything since the last synced write when the power fails", async () => {
  const disk = new MemoryDisk();
  const store = await opened(disk);
  await store.write(put(1), { sync: false });
  await store.write(put(2), { sync: true });
  await store.write(put(1, 9), { sync: false });
  await store.write(put(3), { sync: false });
  await store.write([{ type: "del", key: keyOf(2) }], { sync: false });
  store.powerFailure();
  const entries = await (await opened(disk)).range({ gte: keyOf(0), lt: keyOf(255) }, 10);
  expect(entries.map(({ key, value }) => [...key, ...value])).toEqual([
    [1, 1],
    [2, 2],
  ]);
});

it("applies nothing of a write that a kill overtakes", async () => {
  const disk = new MemoryDisk();
  const gate = Promise.withResolvers<undefined>();
  const store = new MemoryStore({ disk, beforeWrite: () => gate.promise });
  await store.start();
  const write = store.write(put(1), { sync: true });
  store.kill();
  gate.resolve(undefined);
  await expect(write).rejects.toMatchObject({ code: "STORE_IO" });
  expect(await (await opened(disk)).get(keyOf(1))).toBeUndefined();
});

it("stays failed after the disk was full, until it is opened anew", async () => {
  const disk = new MemoryDisk();
  const store = await opened(disk);
  disk.full = true;
  await expect(store.write(put(1), { sync: true })).rejects.toMatchObject({ code: "DISK_FULL" });
  disk.full = false;
  await expect(store.write(put(1), { sync: true })).rejects.toMatchObject({ code: "DISK_FULL" });
  await store.stop();
  const next = await opened(disk);
  await next.write(put(1), { sync: true });
  expect(await next.get(keyOf(1))).toEqual(keyOf(1));
});
