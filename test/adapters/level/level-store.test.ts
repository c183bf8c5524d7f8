import { spawn } from "node:child_process";
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LevelStore } from "../../../src/adapters/level/level-store.ts";
import type { StoreEntry, StoreOp } from "../../../src/ports/store.ts";

let parent: string;
let directory: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "orbweaver-level-"));
  directory = join(parent, "data");
});
afterEach(() => rm(parent, { recursive: true, force: true }));

const put = (n: number, valueBytes: number): StoreOp => {
  const key = new Uint8Array(4);
  new DataView(key.buffer).setUint32(0, n);
  return { type: "put", key, value: new Uint8Array(valueBytes).fill(n) };
};
const numberOf = ({ key }: StoreEntry): number =>
  new DataView(key.buffer, key.byteOffset).getUint32(0);
const everything = { gte: new Uint8Array(4), lt: new Uint8Array(4).fill(0xff) };

async function opened(options: { writeBufferBytes?: number } = {}): Promise<LevelStore> {
  const store = new LevelStore({ directory, ...options });
  await store.start();
  return store;
}

async function numbersAfterReopening(): Promise<number[]> {
  const store = await opened();
  const entries = await store.range(everything, 1_000_000);
  await store.stop();
  return entries.map(numberOf);
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

async function newestFile(suffix: string): Promise<string> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(suffix));
  return join(directory, names.sort().at(-1) ?? "");
}

/** Writes as many batches of one row of 30,000 bytes each. */
async function writtenInBatches(batches: number): Promise<void> {
  const store = await opened();
  for (const n of upTo(batches)) await store.write([put(n, 30_000)], { sync: true });
  await store.stop();
}

/** Turns the bits of one byte. */
async function damage(path: string, at: number): Promise<void> {
  const content = await readFile(path);
  content[at] = ~(content[at] ?? 0) & 0xff;
  await writeFile(path, content);
}

it("keeps every batch whose write had resolved, and none in part, when its process is killed", async () => {
  const victim = spawn(process.execPath, [join(import.meta.dirname, "kill-victim.ts"), directory], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => victim.once("exit", resolve));
  let acknowledged = 0;
  for await (const line of createInterface({ input: victim.stdout })) {
    acknowledged = (Number(line) + 1) * 10;
    if (acknowledged === 3000) victim.kill("SIGKILL");
  }
  await ended;
  const numbers = await numbersAfterReopening();
  expect(numbers.length).toBeGreaterThanOrEqual(acknowledged);
  expect(numbers.length % 10).toBe(0);
  expect(numbers).toEqual(upTo(numbers.length));
});

it("recovers from a log that ends in the middle of a batch, without that batch alone", async () => {
  const store = await opened();
  for (let i = 0; i < 50; i++) await store.write([put(i, 100)], { sync: false });
  await store.stop();
  const log = await newestFile(".log");
  await truncate(log, (await stat(log)).size - 30);
  expect(await numbersAfterReopening()).toEqual(upTo(49));
});

it("recovers from a log whose last batch is damaged, without that batch alone", async () => {
  await writtenInBatches(20);
  const log = await newestFile(".log");
  await damage(log, (await stat(log)).size - 10_000);
  expect(await numbersAfterReopening()).toEqual(upTo(19));
});

it.each([
  ["a value", 61_000],
  ["a record's length", 4],
  ["the first record", 20],
])("refuses a log in whose middle %s is damaged", async (_, at) => {
  await writtenInBatches(20);
  await damage(await newestFile(".log"), at);
  const store = new LevelStore({ directory });
  await expect(store.start()).rejects.toMatchObject({
    code: "STORE_CORRUPT",
    message: expect.stringMatching(/\d+\.log is damaged at byte \d+, before its end/) as string,
  });
});

it.each([0, 0.5])("calls a database damaged of whose table %d is left", async (share) => {
  await writtenInBatches(20);
  // The log becomes a table while the database is opened, and no later one takes its place.
  await (await opened()).stop();
  const table = await newestFile(".ldb");
  await truncate(table, Math.floor((await stat(table)).size * share));
  const damaged = await opened();
  await expect(damaged.range(everything, 1_000)).rejects.toMatchObject({ code: "STORE_CORRUPT" });
  await damaged.stop();
});

it("names the process's own lock as one on the data directory", async () => {
  const holder = await opened();
  await expect(opened()).rejects.toMatchObject({
    code: "DATA_DIR_LOCKED",
    message: expect.stringContaining(directory) as unknown,
    details: { directory },
  });
  await holder.stop();
});

it("says that a file is no data directory", async () => {
  await writeFile(directory, "not a directory");
  await expect(opened()).rejects.toMatchObject({ code: "DATA_DIR_UNUSABLE" });
});

it("says that a directory under a file cannot be made", async () => {
  await writeFile(directory, "not a directory");
  directory = join(directory, "below");
  await expect(opened()).rejects.toMatchObject({ code: "DATA_DIR_UNUSABLE" });
});

it("can be started once its directory has become usable", async () => {
  await writeFile(directory, "not a directory");
  const store = new LevelStore({ directory });
  await expect(store.start()).rejects.toMatchObject({ code: "DATA_DIR_UNUSABLE" });
  await rm(directory);
  await store.start();
  await store.stop();
});

it.each([
  ["a manifest that is cut off", () => newestManifest().then((path) => truncate(path, 20))],
  ["a manifest that is missing", () => newestManifest().then((path) => rm(path))],
  ["a directory without its root", () => rm(join(directory, "CURRENT"))],
  // All of them: the newest may be left over from a compaction that closing cut short, and belong to nothing.
  ["tables that are missing", () => removeTables()],
  ["a log that is missing", () => removeLogs()],
  ["a pointer to the manifest that is garbage", () => writeFile(join(directory, "CURRENT"), "??")],
  ["one that is empty", () => truncate(join(directory, "CURRENT"), 0)],
  ["one that is full of zeros", () => writeFile(join(directory, "CURRENT"), "\0".repeat(16))],
])("calls %s a corrupt store and changes nothing", async (_what, damage) => {
  for (let i = 0; i < 3; i++) {
    const store = await opened({ writeBufferBytes: 64 * 1024 });
    for (let n = 0; n < 20; n++) await store.write([put(n, 10_000)], { sync: false });
    await store.stop();
  }
  await damage();
  await expect(opened()).rejects.toMatchObject({ code: "STORE_CORRUPT" });
  await expect(opened()).rejects.toMatchObject({ code: "STORE_CORRUPT" });
});

/** Leaves the logs with nothing of their content. */
async function emptyLogs(emptied: (content: Buffer) => Buffer): Promise<string[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(".log"));
  for (const name of names) {
    const path = join(directory, name);
    await writeFile(path, emptied(await readFile(path)));
  }
  return names;
}

describe("a database whose rows are all in its log", () => {
  it.each<[string, (content: Buffer) => Buffer]>([
    ["emptied", () => Buffer.alloc(0)],
    ["cut in its first record", (content) => content.subarray(0, 40)],
    ["filled with zeros", (content) => Buffer.alloc(content.length)],
  ])("is corrupt, and no new one, when that is %s", async (_, emptied) => {
    await writtenInBatches(3);
    expect(await emptyLogs(emptied)).toHaveLength(1);
    const before = await readdir(directory);
    await expect(opened()).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    await expect(opened()).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    expect(await readdir(directory)).toEqual(before);
  });

  it("is a new one as long as nothing was written for good, however its process ended", async () => {
    const store = await opened();
    await store.write([put(1, 1)], { sync: false });
    const killed = join(parent, "killed");
    await cp(directory, killed, { recursive: true });
    await store.stop();
    for (const left of [directory, killed]) {
      directory = left;
      await emptyLogs(() => Buffer.alloc(0));
      expect(await numbersAfterReopening()).toEqual([]);
      expect(await numbersAfterReopening()).toEqual([]);
    }
  });

  it("may have nothing in its log once its rows are in tables", async () => {
    await writtenInBatches(3);
    expect(await numbersAfterReopening()).toEqual(upTo(3));
    await emptyLogs(() => Buffer.alloc(0));
    expect(await numbersAfterReopening()).toEqual(upTo(3));
  });
});

function removeTables(): Promise<void> {
  return removeAll(".ldb");
}

function removeLogs(): Promise<void> {
  return removeAll(".log");
}

async function removeAll(ending: string): Promise<void> {
  const files = (await readdir(directory)).filter((name) => name.endsWith(ending));
  expect(files.length).toBeGreaterThan(0);
  await Promise.all(files.map((name) => rm(join(directory, name))));
}

async function newestManifest(): Promise<string> {
  const names = (await readdir(directory)).filter((name) => name.startsWith("MANIFEST"));
  return join(directory, names.sort().at(-1) ?? "");
}

it("stays failed after a write has failed, until it is opened anew", async () => {
  const store = await opened({ writeBufferBytes: 64 * 1024 });
  await store.write([put(0, 10)], { sync: true });
  // LevelDB goes on in its open files until it needs a new log.
  await rm(directory, { recursive: true });
  const filled = async (): Promise<void> => {
    for (const n of upTo(10)) await store.write([put(n, 50_000)], { sync: false });
  };
  await expect(filled()).rejects.toMatchObject({ code: "STORE_IO", details: { action: "write" } });
  await mkdir(directory);
  await expect(store.write([put(1, 1)], { sync: true })).rejects.toMatchObject({
    code: "STORE_IO",
    details: { directory, action: "write" },
  });
  await store.stop();
});

it("keeps keys and values of every length apart, small ones and large ones in one batch", async () => {
  const store = await opened();
  const lengths = upTo(130).slice(1);
  const key = (length: number): Uint8Array => new Uint8Array(length).fill(length);
  const value = (length: number): Uint8Array => new Uint8Array(length).fill(255 - length);
  const gone = { type: "put", key: key(130), value: value(1) } as const;
  await store.write([gone], { sync: false });
  const puts = lengths.map((length) => ({
    type: "put" as const,
    key: key(length),
    value: value(length),
  }));
  await store.write([...puts, { type: "del", key: key(130) }], { sync: true });
  const keys = [...lengths, 130].map(key);
  const found = (await store.getMany(keys)).map((bytes) => bytes && [...bytes]);
  expect(found).toEqual([...lengths.map((length) => [...value(length)]), undefined]);
  expect(await store.hasMany(keys)).toEqual([...lengths.map(() => true), false]);
  await store.stop();
});

it("says that its directory was removed while it was in use: the log goes on taking batches", async () => {
  const store = await opened();
  await store.write([put(1, 1)], { sync: true });
  await rm(directory, { recursive: true });
  const expected = {
    code: "STORE_IO",
    message: expect.stringContaining("removed or moved away") as unknown,
  };
  await expect(store.write([put(2, 1)], { sync: true })).rejects.toMatchObject(expected);
  await expect(store.write([put(3, 1)], { sync: false })).rejects.toMatchObject(expected);
  await store.stop();
});
