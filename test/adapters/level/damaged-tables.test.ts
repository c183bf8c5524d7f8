import { cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { MessageReader } from "../../../src/core/protobuf/message-reader.ts";
import { LevelStore } from "../../../src/adapters/level/level-store.ts";
import { maskedCrc32c } from "../../../src/adapters/level/masked-crc32c.ts";
import { refuseDamagedTables } from "../../../src/adapters/level/refuse-damaged.ts";

const pageBytes = 4 * 1024;
const footerBytes = 48;
const magicBytes = 8;

let parent: string;
let directory: string;
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), "orbweaver-tables-"));
});
afterAll(() => rm(parent, { recursive: true, force: true }));
beforeEach(async () => {
  directory = await mkdtemp(join(parent, "state-"));
});

const put = (n: number, valueBytes: number) =>
  ({
    type: "put",
    key: Uint8Array.of(n >> 8, n & 0xff),
    value: new Uint8Array(valueBytes).fill(n + 1),
  }) as const;

/** A database whose rows are in tables: opened again, it makes one of its log. */
async function writtenTables(rows: number, valueBytes: number): Promise<void> {
  const store = new LevelStore({ directory, writeBufferBytes: 64 * 1024 });
  await store.start();
  for (let n = 0; n < rows; n += 1) await store.write([put(n, valueBytes)], { sync: false });
  await store.stop();
  const again = new LevelStore({ directory });
  await again.start();
  await again.stop();
}

async function tables(): Promise<string[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(".ldb"));
  expect(names.length).toBeGreaterThan(0);
  return names.map((name) => join(directory, name));
}

/** Whether the database is refused with this content of a table, which it has only for as long. */
async function isRefused(path: string, content: Buffer): Promise<boolean> {
  const sound = await readFile(path);
  await writeFile(path, content);
  const refusal = await refuseDamagedTables(directory, () => undefined).then(
    () => undefined,
    (error: unknown) => error,
  );
  await writeFile(path, sound);
  if (refusal !== undefined) expect(refusal).toMatchObject({ code: "LEVEL_CORRUPTION" });
  return refusal !== undefined;
}

async function onlyTable(): Promise<{ readonly path: string; readonly content: Buffer }> {
  const [path = ""] = await tables();
  return { path, content: await readFile(path) };
}

/** As its process leaves it that is killed now. */
async function killed(): Promise<string> {
  const copy = await mkdtemp(join(parent, "killed-"));
  await cp(directory, copy, { recursive: true });
  return copy;
}

describe("refuseDamagedTables", () => {
  it("lets sound tables pass, whatever else a process that was killed has left", async () => {
    await writtenTables(300, 1_000);
    await writeFile(join(directory, "000999.ldb"), Buffer.alloc(pageBytes));
    const told: number[] = [];
    await refuseDamagedTables(directory, (bytes, ofBytes) => told.push(bytes / ofBytes));
    expect(told.length).toBe((await tables()).length - 1);
    expect(told.at(-1)).toBe(1);
  });

  it("refuses a table of which any page is full of zeros", async () => {
    await writtenTables(300, 1_000);
    for (const path of await tables()) {
      const content = await readFile(path);
      for (let at = 0; at < content.length; at += pageBytes) {
        const damaged = Buffer.from(content).fill(0, at, Math.min(at + pageBytes, content.length));
        expect(await isRefused(path, damaged), `${path} at ${at}`).toBe(true);
      }
    }
  });

  it("refuses a table in which any byte is wrong that LevelDB reads", async () => {
    await writtenTables(4, 40);
    const { path, content } = await onlyTable();
    const passing: number[] = [];
    for (let at = 0; at < content.length; at += 1) {
      const damaged = Buffer.from(content);
      damaged[at] = ~(damaged[at] ?? 0) & 0xff;
      if (!(await isRefused(path, damaged))) passing.push(at);
    }
    // Two handles of two or three bytes each, which are filled up to forty.
    const handlesAt = content.length - footerBytes;
    expect(passing[0]).toBeGreaterThanOrEqual(handlesAt + 4);
    expect(passing[0]).toBeLessThanOrEqual(handlesAt + 8);
    expect(passing.at(-1)).toBe(content.length - magicBytes - 1);
  });

  it("refuses a table that was cut anywhere", async () => {
    await writtenTables(4, 40);
    const { path, content } = await onlyTable();
    for (let length = 0; length < content.length; length += 1) {
      expect(await isRefused(path, content.subarray(0, length)), `${length}`).toBe(true);
    }
  });

  it("refuses a table whose index was made up, and reads nothing that it is sent to", async () => {
    await writtenTables(4, 40);
    const { path, content } = await onlyTable();
    const footer = new MessageReader(content.subarray(-footerBytes));
    const [, , at = 0, bytes = 0] = Array.from({ length: 4 }, () => footer.uint64Number());
    const made = (index: Buffer): Buffer => {
      const forged = Buffer.from(content);
      index.copy(forged, at);
      const summed = forged.subarray(at, at + bytes + 1);
      forged.writeUInt32LE(maskedCrc32c(summed), at + summed.length);
      return forged;
    };
    const index = content.subarray(at, at + bytes);
    expect(await isRefused(path, made(index))).toBe(false);
    const oneRestart = Buffer.from([0, 0, 0, 0, 1, 0, 0, 0]);
    for (const value of [0, 1, 0x7f, 0xff]) {
      const filled = Buffer.alloc(index.length, value);
      expect(await isRefused(path, made(filled)), `${value}`).toBe(true);
      oneRestart.copy(filled, filled.length - oneRestart.length);
      expect(await isRefused(path, made(filled)), `${value}`).toBe(true);
    }
    // One entry, without a key, that names a block of half a pebibyte.
    const far = Buffer.alloc(index.length);
    far.set([0, 0, index.length - oneRestart.length - 3, 0, ...Array<number>(7).fill(0x80), 1]);
    oneRestart.copy(far, far.length - oneRestart.length);
    expect(await isRefused(path, made(far))).toBe(true);
  });
});

describe("a LevelStore", () => {
  it("verifies tables where the last run did not close it, and not where it did", async () => {
    await writtenTables(300, 1_000);
    const told: string[] = [];
    const open = async (at: string, name: string): Promise<LevelStore> => {
      const store = new LevelStore({ directory: at, onVerified: () => told.push(name) });
      await store.start();
      return store;
    };
    const closed = await open(directory, "closed");
    const copy = await killed();
    await closed.stop();
    expect(told).toEqual([]);
    const after = await open(copy, "killed");
    await after.stop();
    expect(new Set(told)).toEqual(new Set(["killed"]));
    told.length = 0;
    await (await open(copy, "closed again")).stop();
    expect(told).toEqual([]);
  });

  it("refuses a damaged table after a run that was killed, each time, and changes nothing", async () => {
    await writtenTables(300, 1_000);
    const store = new LevelStore({ directory });
    await store.start();
    const copy = await killed();
    await store.stop();
    const [name = ""] = (await readdir(copy)).filter((each) => each.endsWith(".ldb"));
    const content = await readFile(join(copy, name));
    await writeFile(join(copy, name), content.fill(0, pageBytes, 2 * pageBytes));
    const before = await readdir(copy);
    for (let count = 0; count < 2; count += 1) {
      await expect(new LevelStore({ directory: copy }).start()).rejects.toMatchObject({
        code: "STORE_CORRUPT",
        message: expect.stringMatching(/\d+\.ldb is damaged at byte \d+/) as string,
      });
    }
    expect(await readdir(copy)).toEqual(before);
  });

  it("verifies tables after a run that could not write", async () => {
    await writtenTables(300, 1_000);
    const store = new LevelStore({ directory });
    await store.start();
    const current = join(directory, "CURRENT");
    await rename(current, `${current}-away`);
    await expect(store.write([put(0, 1)], { sync: true })).rejects.toMatchObject({
      code: "STORE_IO",
    });
    await store.stop();
    await rename(`${current}-away`, current);
    let verified = 0;
    const again = new LevelStore({ directory, onVerified: (bytes) => (verified = bytes) });
    await again.start();
    await again.stop();
    expect(verified).toBeGreaterThan(0);
  });

  it("says that it is in use, however damaged its tables look", async () => {
    await writtenTables(4, 40);
    const holder = new LevelStore({ directory });
    await holder.start();
    let verified = 0;
    const onVerified = (bytes: number): void => void (verified += bytes);
    const second = new LevelStore({ directory, onVerified });
    await expect(second.start()).rejects.toMatchObject({ code: "DATA_DIR_LOCKED" });
    expect(verified).toBe(0);
    await holder.stop();
  });
});
