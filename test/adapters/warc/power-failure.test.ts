import { readdirSync, readlinkSync } from "node:fs";
import { open, readFile, rm, writeFile, type FileHandle } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ArchiveMark } from "../../../src/ports/archive.ts";
import { sampleCapture, sampleExchange } from "../../support/sample-captures.ts";
import { ArchiveDirectories } from "./archive-directories.ts";
import { faultsIn } from "./read-archive-file.ts";

let world: ArchiveDirectories;

beforeEach(() => {
  world = new ArchiveDirectories();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await world.dispose();
});

/** A file, or the directory, that was made durable, and the endings of the names that were in the directory then. */
interface Sync {
  readonly path: string;
  readonly endings: readonly string[];
}

/** Watches what of `directory` is made durable from now on; the system tells which file a descriptor is of. */
async function watchSyncs(directory: string): Promise<Sync[]> {
  const syncs: Sync[] = [];
  const some = await open(directory, "r");
  const proto = Object.getPrototypeOf(some) as FileHandle;
  await some.close();
  for (const method of ["sync", "datasync"] as const) {
    const original: () => Promise<void> = Reflect.get(proto, method);
    vi.spyOn(proto, method).mockImplementation(function (this: FileHandle) {
      const path = readlinkSync(`/proc/self/fd/${this.fd}`);
      syncs.push({ path, endings: readdirSync(directory).map(endingOf) });
      return original.call(this);
    });
  }
  return syncs;
}

function endingOf(name: string): string {
  return name.slice(name.indexOf("."));
}

/** Whether the names in the directory were made durable while these, and not those, were among them. */
function hasNamed(
  syncs: readonly Sync[],
  directory: string,
  names: string[],
  not: string,
): boolean {
  return syncs.some(
    ({ path, endings }) =>
      path === directory &&
      names.every((ending) => endings.includes(ending)) &&
      !endings.includes(not),
  );
}

/** Whether a file of this ending was made durable while none of the other had its name. */
function hasSynced(syncs: readonly Sync[], ending: string, before: string): boolean {
  return syncs.some(
    ({ path, endings }) => endingOf(basename(path)) === ending && !endings.includes(before),
  );
}

async function flushed(pages: number): Promise<{ directory: string; mark: ArchiveMark }> {
  const directory = await world.directory();
  const archive = world.open(directory);
  await archive.start(undefined);
  for (let i = 0; i < pages; i += 1) {
    archive.append(sampleCapture(sampleExchange(`/${String(i).padStart(4, "0")}`, `page ${i}`)));
  }
  const mark = await archive.flush();
  return { directory: await world.copyOf(directory), mark };
}

describe.runIf(process.platform === "linux")("what a WarcArchive has confirmed", () => {
  test("has its names, too, so that a power failure takes none of it", async () => {
    const directory = await world.directory();
    const archive = world.open(directory);
    await archive.start(undefined);
    const syncs = await watchSyncs(directory);
    archive.append(sampleCapture(sampleExchange("/a", "page")));
    await archive.flush();
    expect(hasNamed(syncs, directory, [".warc.gz.open", ".cdxj.open"], ".warc.gz")).toBe(true);
    await archive.stop();
    expect(hasNamed(syncs, directory, [".warc.gz"], ".warc.gz.open")).toBe(true);
    expect(hasSynced(syncs, ".cdxj.draft", ".cdxj")).toBe(true);
  });

  test("is cut and named as durably when it is started again", async () => {
    const { directory, mark } = await flushed(1);
    const syncs = await watchSyncs(directory);
    await world.open(directory).start(mark);
    expect(hasSynced(syncs, ".warc.gz.open", ".warc.gz")).toBe(true);
    expect(hasNamed(syncs, directory, [".warc.gz"], ".warc.gz.open")).toBe(true);
    expect(hasSynced(syncs, ".cdxj.draft", ".cdxj")).toBe(true);
  });
});

describe("an index of which a power failure has spoilt lines", () => {
  test("has those behind them from the records themselves, however many there are", async () => {
    const { directory, mark } = await flushed(600);
    const index = join(directory, mark.file.replace(".warc.gz", ".cdxj.open"));
    const bytes = await readFile(index);
    expect(bytes.length).toBeGreaterThan(2 * 64 * 1_024);
    bytes.fill(0, 1_000, 5_000);
    await writeFile(index, bytes);
    const told: unknown[][] = [];
    await world.open(directory, { onIndexed: (...words) => told.push(words) }).start(mark);
    expect(await faultsIn(directory)).toEqual([]);
    // A request and a response for each, and nothing of those whose lines are sound.
    expect(told.length).toBeGreaterThan(1_000);
    expect(told.length).toBeLessThan(1_200);
    expect(told.at(-1)).toEqual([mark.file, mark.bytes, mark.bytes]);
  });
});

describe("a finished file that has lost its index", () => {
  test("gets none that leaves out what cannot be read: the peer says so", async () => {
    const directory = await world.directory();
    const archive = world.open(directory);
    await archive.start(undefined);
    for (const path of ["/a", "/b"]) archive.append(sampleCapture(sampleExchange(path, "page")));
    const mark = await archive.flush();
    await archive.stop();
    await rm(join(directory, mark.file.replace(".warc.gz", ".cdxj")));
    const bytes = await readFile(join(directory, mark.file));
    const middle = Math.floor(bytes.length / 2);
    bytes.fill(0, middle, middle + 20);
    await writeFile(join(directory, mark.file), bytes);
    const starting = world.open(directory).start(mark);
    await expect(starting).rejects.toMatchObject({ code: "ARCHIVE_CORRUPT" });
    expect(readdirSync(directory)).toEqual([mark.file]);
  });
});
