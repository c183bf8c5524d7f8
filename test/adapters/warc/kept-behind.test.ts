import { stat } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { KeptBehind } from "../../../src/adapters/warc/kept-behind.ts";
import type { Millis } from "../../../src/core/units.ts";
import type { ArchiveMark } from "../../../src/ports/archive.ts";
import { sampleCapture, sampleExchange } from "../../support/sample-captures.ts";
import { ArchiveDirectories, startedAtMs } from "./archive-directories.ts";

/** Longer than a process takes from a write to its commit. */
const longMs = 3_600_000;

let world: ArchiveDirectories;

beforeEach(() => {
  world = new ArchiveDirectories();
});

afterEach(() => world.dispose());

/**
 * A run of six pages, each with a commit of its own, as it was killed after them, and as it was stopped in order. Where
 * `slowMs` is given, a page that took so long comes with each.
 */
async function runOf(fileBytesMax: number, betweenPagesMs: Millis, slowMs: Millis = 0) {
  const directory = await world.directory();
  const archive = world.open(directory, { fileBytesMax });
  await archive.start(undefined);
  const marks = [await archive.flush()];
  for (let page = 1; page <= 6; page += 1) {
    const endMs = startedAtMs + page * betweenPagesMs;
    for (const fetchedAtMs of slowMs > 0 ? [endMs - slowMs, endMs] : [endMs]) {
      archive.append(sampleCapture(sampleExchange(`/${page}`, `page ${page}`, { fetchedAtMs })));
    }
    marks.push(await archive.flush());
  }
  const killed = await world.copyOf(directory);
  await archive.stop();
  return { killed, stopped: directory, marks };
}

/** What a start on a copy of the directory tells, where the database has that mark, and the mark that it gives. */
async function started(from: string, mark: ArchiveMark | undefined) {
  const directory = await world.copyOf(from, longMs);
  return { directory, ...(await startedIn(directory, mark)) };
}

async function startedIn(directory: string, mark: ArchiveMark | undefined) {
  const told: [KeptBehind, number | undefined][] = [];
  const archive = world.open(directory, { onBehind: (...each) => void told.push(each) });
  await archive.start(mark);
  return { told, mark: await archive.flush() };
}

/** How much the files of the directory have behind the mark `at`. */
async function bytesBehind(directory: string, marks: readonly ArchiveMark[], at: number) {
  const mark = marks[at];
  if (mark === undefined) throw new Error(`there is no mark ${at}`);
  const files = new Set(marks.slice(at).map(({ file }) => file));
  const sizes = await Promise.all([...files].map((file) => stat(join(directory, file))));
  return sizes.reduce((sum, { size }) => sum + size, 0) - mark.bytes;
}

const fileSizes = [1, 10_000];

it.each(fileSizes)("a start tells of nothing that a stop leaves (%i)", async (fileBytesMax) => {
  const { marks, stopped } = await runOf(fileBytesMax, 60_000);
  expect((await started(stopped, marks.at(-1))).told).toEqual([]);
});

it.each([
  ["at once", 10, 0],
  ["at once, and others that took long", 10, 90_000],
  ["minutes apart", 600_000, 0],
])(
  "nor of what a kill leaves before its last commit, or after it, also where its files are copied: pages %s",
  async (_, betweenPagesMs, slowMs) => {
    for (const fileBytesMax of fileSizes) {
      const { killed, marks } = await runOf(fileBytesMax, betweenPagesMs, slowMs);
      for (const mark of marks.slice(-2)) {
        const first = await started(killed, mark);
        expect(first.told).toEqual([]);
        expect((await started(first.directory, first.mark)).told).toEqual([]);
      }
    }
  },
);

it.each([
  ["a file each", 1, 4],
  ["one file", 10_000, 1],
])("a start tells once of what was committed behind its mark: %s", async (_, bytesMax, files) => {
  const { killed, marks, stopped } = await runOf(bytesMax, 30_000);
  const bytes = await bytesBehind(stopped, marks, 2);
  for (const left of [stopped, killed]) {
    const { directory, mark, told } = await started(left, marks[2]);
    expect(told).toEqual([[{ files, bytes }, startedAtMs]]);
    expect(mark).toEqual(marks.at(-1));
    expect((await started(directory, mark)).told).toEqual([]);
  }
});

it("a start tells so of a file that was finished, however soon that was", async () => {
  const { marks, stopped } = await runOf(10_000, 10);
  expect((await started(stopped, marks.at(-2))).told).toHaveLength(1);
});

it("a start tells of nothing where there is no mark, and the next one neither", async () => {
  const { stopped } = await runOf(1, 30_000);
  const { directory, mark, told } = await started(stopped, undefined);
  expect(told).toEqual([]);
  expect((await started(directory, mark)).told).toEqual([]);
});
