import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { WarcArchive } from "../../../src/adapters/warc/warc-archive.ts";
import type { ArchiveLocation, ArchiveMark } from "../../../src/ports/archive.ts";
import { sampleCapture, sampleExchange } from "../../support/sample-captures.ts";
import { ArchiveDirectories } from "./archive-directories.ts";
import { namesIn } from "./read-archive-file.ts";

let world: ArchiveDirectories;

beforeEach(() => {
  world = new ArchiveDirectories();
});

afterEach(() => world.dispose());

interface Bench {
  readonly archive: WarcArchive;
  readonly directory: string;
  readonly mark: ArchiveMark;
  readonly places: readonly [ArchiveLocation, ArchiveLocation, ArchiveLocation];
}

/** Three captures in a file that is open still. */
async function openFile(): Promise<Bench> {
  const directory = await world.directory();
  const archive = world.open(directory, { recordBytesMax: 100_000 });
  await archive.start(undefined);
  const page = (path: string) => archive.append(sampleCapture(sampleExchange(path, "page")));
  const places = [page("/b"), page("/a"), page("/c")] as const;
  return { archive, directory, mark: await archive.flush(), places };
}

/** The same in a finished file. */
async function finishedFile(): Promise<Bench> {
  const { archive, ...rest } = await openFile();
  await archive.stop();
  return { ...rest, archive: await next(rest) };
}

async function next({ directory, mark }: Omit<Bench, "archive">): Promise<WarcArchive> {
  const archive = world.open(directory, { recordBytesMax: 100_000 });
  await archive.start(mark);
  return archive;
}

const files = [
  ["open", openFile],
  ["finished", finishedFile],
] as const;

describe.each(files)("a file that is %s", (state, bench) => {
  test.each([
    ["inside a record", ({ offset, length }) => ({ offset: offset + 1, length })],
    ["of a part of a record", ({ length }) => ({ length: length - 1 })],
    ["of nothing", () => ({ length: 0 })],
    ["of the request", ({ offset, length }) => ({ offset: offset + length, length: 100 })],
    ["of what the file is", ({ offset }) => ({ offset: 0, length: offset })],
    ["of all", (_, { bytes }) => ({ offset: 0, length: bytes })],
    ["beyond the end", ({ offset }, { bytes }) => ({ offset, length: bytes })],
    ["of more than there is room for", () => ({ length: 2 ** 40 })],
    ["that no file has", () => ({ offset: -2, length: 1 })],
  ] satisfies [string, (first: ArchiveLocation, mark: ArchiveMark) => Partial<ArchiveLocation>][])(
    "is not taken for damaged by a place %s",
    async (_, wrongly) => {
      const { archive, directory, places, ...rest } = await bench();
      const wrong = { ...places[0], ...wrongly(places[0], rest.mark) };
      for (const isTold of [true, false]) {
        await expect(archive.read(wrong, isTold)).rejects.toMatchObject({ code: "NOT_ARCHIVED" });
      }
      expect(places.map((place) => archive.has(place))).toEqual([true, true, true]);
      await archive.stop();
      expect((await namesIn(directory)).filter((name) => name.endsWith(".damaged"))).toEqual([]);
    },
  );

  test.each([
    ["", false],
    [" that has lost its index, too", true],
  ])("is, when a record of it cannot be read%s", async (_, isUnindexed) => {
    const { archive, directory, places, mark } = await bench();
    const warc = mark.file + (state === "open" ? ".open" : "");
    if (isUnindexed) await rm(join(directory, warc.replace(".warc.gz", ".cdxj")));
    await spoil(join(directory, warc), places[1]);
    await expect(archive.read(places[1])).rejects.toMatchObject({ code: "ARCHIVE_CORRUPT" });
    expect(places.map((place) => archive.has(place))).toEqual([false, false, false]);
  });
});

test("a place in a file of which nothing is known is none, however long it is", async () => {
  const { archive, places, mark } = await finishedFile();
  const file = mark.file.replace("00001", "00009");
  for (const length of [0, 100, 2 ** 40]) {
    const reading = archive.read({ ...places[0], file, length });
    await expect(reading).rejects.toMatchObject({ code: "NOT_ARCHIVED" });
  }
});

async function spoil(path: string, { offset, length }: ArchiveLocation): Promise<void> {
  const file = await open(path, "r+");
  await file.write(new Uint8Array(length), 0, length, offset);
  await file.close();
}
