import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { LevelStore } from "../../../src/adapters/level/level-store.ts";
import { refuseDamaged } from "../../../src/adapters/level/refuse-damaged.ts";

const blockBytes = 32 * 1024;
const pageBytes = 4 * 1024;

/** A log as LevelDB writes it, and where it lies. */
interface WrittenLog {
  readonly content: Buffer;
  readonly path: string;
}

let parent: string;
let directory: string;
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), "orbweaver-log-"));
});
afterAll(() => rm(parent, { recursive: true, force: true }));
beforeEach(async () => {
  directory = await mkdtemp(join(parent, "state-"));
});

/** Writes one batch for each length of a value. The first values are of ones and of twos, which could be kinds of records. */
async function writtenLog(valueBytes: readonly number[]): Promise<WrittenLog> {
  const store = new LevelStore({ directory });
  await store.start();
  for (const [n, length] of valueBytes.entries()) {
    const value = new Uint8Array(length).fill(n + 1);
    await store.write([{ type: "put", key: Uint8Array.of(n), value }], { sync: false });
  }
  await store.stop();
  const name = (await readdir(directory)).find((one) => one.endsWith(".log"));
  const path = join(directory, name ?? "");
  return { path, content: await readFile(path) };
}

/** The offset that the log is refused for when it has this content; undefined where it passes. */
async function damageFound({ path }: WrittenLog, content: Buffer): Promise<number | undefined> {
  await writeFile(path, content);
  const refusal = await refuseDamaged(directory).then(
    () => undefined,
    (error: unknown) => error as Error,
  );
  if (refusal === undefined) return undefined;
  expect(refusal).toMatchObject({ code: "LEVEL_CORRUPTION" });
  return Number(/at byte (\d+),/.exec(refusal.message)?.[1]);
}

const several = (count: number, length: number): number[] => Array<number>(count).fill(length);

/** Twenty small batches, one over the ends of two blocks, and small ones again. */
const mixed = [...several(20, 400), 50_000, ...several(20, 300)];

/** Lengths that end in the last batch, each that does so in its head, and some of the shorter ones. */
function* lengthsOf({ content }: WrittenLog): Generator<number> {
  for (let length = 0; length < content.length; length += 701) yield length;
  const [from, bodyFrom] = [content.length - 340, content.length - 280];
  for (let length = from; length < content.length; length += length < bodyFrom ? 1 : 7) {
    yield length;
  }
}

function withZeros(content: Buffer, from: number, count: number): Buffer {
  const changed = Buffer.from(content);
  return changed.fill(0, from, from + count);
}

describe("refuseDamaged", () => {
  it("lets a log pass that ends anywhere", async () => {
    const log = await writtenLog(mixed);
    for (const length of lengthsOf(log)) {
      expect(await damageFound(log, log.content.subarray(0, length)), `${length}`).toBe(undefined);
    }
  });

  it("lets a log pass that ends anywhere and has zeros behind it", async () => {
    const log = await writtenLog(mixed);
    for (const length of lengthsOf(log)) {
      const zeros = Buffer.alloc(blockBytes);
      const torn = Buffer.concat([log.content.subarray(0, length), zeros]);
      expect(await damageFound(log, torn), `${length}`).toBe(undefined);
    }
  });

  it("refuses a log of a block in which any byte before its last batch is wrong", async () => {
    const log = await writtenLog(several(8, 60));
    const recordBytes = log.content.length / 8;
    // Each byte of a record is changed in one of three of them.
    expect(recordBytes % 3).not.toBe(0);
    for (let at = 0; at < log.content.length; at += 3) {
      const changed = Buffer.from(log.content);
      changed[at] = ~(changed[at] ?? 0) & 0xff;
      const record = Math.floor(at / recordBytes);
      const expected = record === 7 ? undefined : record * recordBytes;
      expect(await damageFound(log, changed), `${at}`).toBe(expected);
    }
  });

  it("refuses a log of whose last block a page is gone", async () => {
    const log = await writtenLog(several(60, 300));
    expect(log.content.length).toBeLessThan(blockBytes);
    const recordBytes = log.content.length / 60;
    const expected = Math.floor(pageBytes / recordBytes) * recordBytes;
    expect(await damageFound(log, withZeros(log.content, pageBytes, pageBytes))).toBe(expected);
  });

  it("refuses a log of which the end of a block and the start of its last one are gone", async () => {
    const log = await writtenLog(several(100, 400));
    const gone = withZeros(log.content, blockBytes - pageBytes, 2 * pageBytes);
    expect(await damageFound(log, gone)).toBeLessThan(blockBytes - pageBytes);
  });
});

describe("a manifest", () => {
  const rows = 300;

  /** A database whose rows are in several tables. */
  async function writtenTables(): Promise<string> {
    const store = new LevelStore({ directory, writeBufferBytes: 64 * 1024 });
    await store.start();
    for (let n = 0; n < rows; n++) {
      const op = { type: "put", key: keyOf(n), value: new Uint8Array(1_000).fill(n) } as const;
      await store.write([op], { sync: true });
    }
    await store.stop();
    const name = (await readdir(directory)).find((one) => one.startsWith("MANIFEST-"));
    return join(directory, name ?? "");
  }

  const keyOf = (n: number): Uint8Array => Uint8Array.of(n >> 8, n & 0xff);

  it("is refused where its end is missing, and with it tables that would be deleted", async () => {
    const path = await writtenTables();
    const content = await readFile(path);
    const before = await readdir(directory);
    for (let length = 0; length < content.length; length += 5) {
      await writeFile(path, content.subarray(0, length));
      const opened = new LevelStore({ directory }).start();
      await expect(opened, `${length}`).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    }
    expect(await readdir(directory)).toEqual(expect.arrayContaining(before));
  });

  it("passes that is whole, or has the beginning of an entry behind its end", async () => {
    const path = await writtenTables();
    const content = await readFile(path);
    const cutEntry = content.subarray(0, 20);
    for (const end of [Buffer.alloc(0), cutEntry, Buffer.alloc(4_096)]) {
      await writeFile(path, Buffer.concat([content, end]));
      await expect(refuseDamaged(directory)).resolves.toBe(undefined);
    }
    const store = new LevelStore({ directory });
    await store.start();
    const keys = Array.from({ length: rows }, (_, n) => keyOf(n));
    expect(await store.hasMany(keys)).not.toContain(false);
    await store.stop();
  });
});
