import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { LeaseFile } from "../../../src/adapters/lease-file/lease-file.ts";
import { leaseSlotsContract } from "../../contracts/lease-slots.ts";

const directories: string[] = [];
const opened: LeaseFile[] = [];

async function newFile(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "orbweaver-leases-"));
  directories.push(directory);
  return join(directory, "leases");
}

function open(path: string): LeaseFile {
  const file = new LeaseFile(path);
  opened.push(file);
  return file;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((file) => file.stop()));
  const gone = directories.splice(0);
  await Promise.all(gone.map((directory) => rm(directory, { recursive: true })));
});

leaseSlotsContract("LeaseFile", async () => {
  const path = await newFile();
  return { nextProcess: () => open(path) };
});

describe("a lease file", () => {
  it("passes over what is torn or was never a note", async () => {
    const path = await newFile();
    const first = open(path);
    await first.start();
    for (const byte of [1, 2, 3]) first.set(new Uint8Array(39).fill(byte));
    await first.written();
    const bytes = await readFile(path);
    const second = bytes.indexOf(Buffer.alloc(39, 2));
    bytes.fill(0xff, second, second + 63);
    await writeFile(path, bytes);
    const found = await open(path).start();
    expect(found.map(([byte]) => byte).sort()).toEqual([1, 3]);
  });

  it("reads one that was cut short, and goes on with it", async () => {
    const path = await newFile();
    const first = open(path);
    await first.start();
    first.set(new Uint8Array(39).fill(1));
    await first.written();
    await truncate(path, 100);
    const next = open(path);
    const found = await next.start();
    expect(found.length).toBeLessThanOrEqual(1);
    next.set(new Uint8Array(39).fill(2));
    await next.written();
    expect(await open(path).start()).toHaveLength(found.length + 1);
  });

  it("writes nothing of what lies beside the slots that it changes", async () => {
    const path = await newFile();
    const file = open(path);
    await file.start();
    const slots = [1, 2, 3, 4].map((byte) => file.set(new Uint8Array(39).fill(byte)));
    await file.written();
    const before = await readFile(path);
    await writeFile(path, Buffer.alloc(before.length));
    file.clear(slots[2] ?? -1);
    file.clear(slots[1] ?? -1);
    file.set(new Uint8Array(39).fill(5));
    await file.written();
    const after = await readFile(path);
    const changed = [...after.keys()].filter((at) => after[at] !== 0);
    expect(after.subarray(64, 128)).toEqual(expect.objectContaining({ 0: 39, 1: 5, 63: 39 }));
    expect(Math.min(...changed)).toBe(64);
    expect(Math.max(...changed)).toBe(127);
  });

  it("has its room on the disk before a request is noted, so that a full one is told of in time", async () => {
    const path = await newFile();
    const file = open(path);
    await file.start();
    file.set(new Uint8Array(39).fill(1));
    // Nothing but room has been written yet.
    expect(readFileSync(path).equals(Buffer.alloc(64 * 1_024))).toBe(true);
  });

  it.runIf(process.platform === "linux")("holds one descriptor until it stops", async () => {
    const path = await newFile();
    const descriptors = (): readonly string[] =>
      readdirSync("/proc/self/fd").filter((one) => {
        try {
          return readlinkSync(`/proc/self/fd/${one}`) === path;
        } catch {
          return false;
        }
      });
    const file = open(path);
    await file.start();
    expect(descriptors()).toHaveLength(1);
    await file.stop();
    expect(descriptors()).toEqual([]);
  });

  it("takes no note that it could not write any more", async () => {
    const file = open(await newFile());
    await file.start();
    const stopped = file.stop();
    expect(() => file.set(new Uint8Array(39).fill(1))).toThrow("not open");
    await stopped;
  });

  it("says so where the file cannot be made", async () => {
    const path = await newFile();
    await writeFile(path, "");
    await expect(open(join(path, "below-a-file")).start()).rejects.toMatchObject({
      code: "STORE_IO",
    });
  });
});
