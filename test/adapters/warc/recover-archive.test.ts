import { copyFile, readFile, readdir, rename, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ArchiveFiles } from "../../../src/adapters/warc/archive-files.ts";
import { nodeArchiveFiles } from "../../../src/adapters/warc/archive-files.ts";
import type { ArchiveLocation, ArchiveMark } from "../../../src/ports/archive.ts";
import { sampleCapture, sampleExchange } from "../../support/sample-captures.ts";
import { ArchiveDirectories } from "./archive-directories.ts";
import { faultsIn, namesIn, readRecords } from "./read-archive-file.ts";

let world: ArchiveDirectories;

beforeEach(() => {
  world = new ArchiveDirectories();
});

afterEach(() => world.dispose());

/** A directory as a crash leaves it, and what the database knew at that moment. */
interface Wreck {
  readonly directory: string;
  readonly mark: ArchiveMark | undefined;
  readonly committed: readonly ArchiveLocation[];
}

/** Two flushes into one open file, only the first of them committed. */
async function twoFlushes(): Promise<Wreck & { mark: ArchiveMark; file: string }> {
  const directory = await world.directory();
  const archive = world.open(directory);
  await archive.start(undefined);
  const page = (i: number) => archive.append(sampleCapture(sampleExchange(`/${i}`, `page ${i}`)));
  const committed = [page(2), page(1), page(3)];
  const mark = await archive.flush();
  page(4);
  await archive.flush();
  return { directory: await world.copyOf(directory), mark, committed, file: mark.file };
}

/** Starts an archive on the wreck and says what is wrong with it then; nothing, if all is well. */
async function faultsAfterRecovery({ directory, mark, committed }: Wreck): Promise<string[]> {
  const archive = world.open(directory);
  await archive.start(mark);
  const faults: string[] = [];
  for (const location of committed) {
    await archive.read(location).catch((error: unknown) => {
      faults.push(`lost ${location.file} ${location.offset}: ${String(error)}`);
    });
  }
  const next = archive.append(sampleCapture(sampleExchange("/next", "next")));
  if (committed.some(({ file }) => file === next.file)) faults.push("a file is written twice");
  await archive.stop();
  return [...faults, ...(await faultsIn(directory))];
}

/** As {@link faultsAfterRecovery}, and what was not committed must be gone. */
async function faultsAfterCut(wreck: Wreck): Promise<string[]> {
  const faults = await faultsAfterRecovery(wreck);
  const { directory, committed } = wreck;
  const files = (await namesIn(directory)).filter((name) => name.endsWith(".warc.gz"));
  const kept = await Promise.all(files.map((file) => responsesIn(directory, file)));
  const next = 1;
  const more = kept.reduce((sum, responses) => sum + responses, 0) - committed.length - next;
  return more === 0 ? faults : [...faults, `${more} records more than were committed`];
}

async function responsesIn(directory: string, file: string): Promise<number> {
  const records = await readRecords(join(directory, file));
  return records.filter(({ type }) => type === "response").length;
}

describe("a WarcArchive that was killed", () => {
  test("at any step of writing, finishing and beginning files has what was committed, and that once", async () => {
    const directory = await world.directory();
    const wrecks: Wreck[] = [];
    const killHere = async () => {
      wrecks.push({ directory: await world.copyOf(directory), mark, committed });
    };
    const archive = world.open(directory, { files: watched(killHere), fileBytesMax: 1500 });
    await archive.start(undefined);
    let mark = await archive.flush();
    let committed: readonly ArchiveLocation[] = [];
    for (let batch = 0; batch < 3; batch++) {
      const locations = [0, 1, 2].map((i) =>
        archive.append(sampleCapture(sampleExchange(`/${batch}/${i}`, `page ${i}`))),
      );
      const flushed = await archive.flush();
      await killHere();
      mark = flushed;
      committed = [...committed, ...locations];
    }
    await archive.stop();
    await killHere();
    expect(archive.files().length).toBeGreaterThan(2);
    expect(wrecks.length).toBeGreaterThan(30);
    const faults = await Promise.all(wrecks.map((wreck) => faultsAfterCut(wreck)));
    expect(faults.flat()).toEqual([]);
  });

  test("while it wrote has the torn end cut off", async () => {
    const wreck = await twoFlushes();
    const openFile = join(wreck.directory, `${wreck.file}.open`);
    const whole = (await readFile(openFile)).length;
    for (const bytes of [wreck.mark.bytes, wreck.mark.bytes + 1, whole - 30, whole - 1]) {
      const torn = await world.copyOf(wreck.directory);
      await truncate(join(torn, `${wreck.file}.open`), bytes);
      const directory = await world.copyOf(torn);
      expect(await faultsAfterRecovery({ ...wreck, directory })).toEqual([]);
      expect(await responsesIn(directory, wreck.file)).toBe(3);
    }
  });

  test("before anything was committed keeps the whole records of its file", async () => {
    const wreck = await twoFlushes();
    const whole = await readRecords(join(wreck.directory, `${wreck.file}.open`));
    const responses = whole.filter(({ type }) => type === "response");
    const size = (await readFile(join(wreck.directory, `${wreck.file}.open`))).length;
    const cuts = Array.from({ length: 12 }, (_, i) => Math.floor((size * i) / 11));
    const check = async (bytes: number) => {
      const directory = await world.copyOf(wreck.directory);
      await truncate(join(directory, `${wreck.file}.open`), bytes);
      const lost = { directory, mark: undefined, committed: [] };
      expect(await faultsAfterRecovery(lost)).toEqual([]);
      const kept = responses.filter(({ offset, length }) => offset + length <= bytes).length;
      const names = await namesIn(directory);
      expect(names.includes(wreck.file)).toBe(kept > 0);
      if (kept > 0) expect(await responsesIn(directory, wreck.file)).toBe(kept);
      return kept;
    };
    expect(new Set(await Promise.all(cuts.map(check)))).toEqual(new Set([0, 1, 2, 3, 4]));
  });

  test("after it began a file that no mark names has that file removed", async () => {
    const wreck = await twoFlushes();
    const later = wreck.file.replace("00001", "00002");
    await copyFile(
      join(wreck.directory, `${wreck.file}.open`),
      join(wreck.directory, `${later}.open`),
    );
    const directory = await world.copyOf(wreck.directory);
    const archive = world.open(directory);
    await archive.start(wreck.mark);
    expect(archive.files()).toEqual([wreck.file]);
    expect(await faultsIn(directory)).toEqual([]);
    expect(archive.append(sampleCapture(sampleExchange("/", "x"))).file).toContain("-00003.");
  });

  test("keeps whole records behind an old mark, as of a database that was put back", async () => {
    const wreck = await twoFlushes();
    const path = join(wreck.directory, `${wreck.file}.open`);
    await copyFile(path, path.replace("00001", "00002"));
    await truncate(path, (await readFile(path)).length - 1);
    const directory = await world.copyOf(wreck.directory, 3_600_000);
    expect(await faultsAfterRecovery({ ...wreck, directory })).toEqual([]);
    expect(await responsesIn(directory, wreck.file)).toBe(4);
    expect(await responsesIn(directory, wreck.file.replace("00001", "00002"))).toBe(4);
  });

  test("refuses a file that is torn before an old mark", async () => {
    const wreck = await twoFlushes();
    await truncate(join(wreck.directory, `${wreck.file}.open`), wreck.mark.bytes - 1);
    const directory = await world.copyOf(wreck.directory, 3_600_000);
    await expect(world.open(directory).start(wreck.mark)).rejects.toThrow("is whole only up to");
  });

  test("keeps an open file that is older than the mark's", async () => {
    const wreck = await twoFlushes();
    const older = wreck.file.replace("00001", "00000");
    await copyFile(
      join(wreck.directory, `${wreck.file}.open`),
      join(wreck.directory, `${older}.open`),
    );
    const archive = world.open(wreck.directory);
    await archive.start(wreck.mark);
    expect(archive.files()).toEqual([older, wreck.file]);
    expect(await responsesIn(wreck.directory, older)).toBe(4);
    expect(await faultsIn(wreck.directory)).toEqual([]);
  });

  test("after its file was finished leaves that file as it is", async () => {
    const wreck = await twoFlushes();
    const path = join(wreck.directory, wreck.file);
    await rename(`${path}.open`, path);
    const before = await readFile(path);
    expect(await faultsAfterRecovery(wreck)).toEqual([]);
    expect(await readFile(path)).toEqual(before);
  });

  test("and started twice after it is as if started once", async () => {
    const wreck = await twoFlushes();
    for (let i = 0; i < 2; i++) {
      const archive = world.open(wreck.directory);
      await archive.start(wreck.mark);
      expect(archive.files()).toEqual([wreck.file]);
      expect(await faultsIn(wreck.directory)).toEqual([]);
    }
  });

  test.each([
    ["missing", () => undefined],
    ["empty", () => ""],
    ["cut within a line", (text: string) => text.slice(0, text.length / 2)],
    ["full of zeros", (text: string) => "\0".repeat(text.length)],
    [
      "zeroed in the middle",
      (text: string) => text.slice(0, 300) + "\0".repeat(90) + text.slice(390),
    ],
    ["that of another file", (text: string) => text.replaceAll("-00001.", "-00007.")],
  ])("makes a good index when the one it finds is %s", async (_, damage) => {
    const wreck = await twoFlushes();
    const path = join(wreck.directory, wreck.file.replace(".warc.gz", ".cdxj.open"));
    const whole = await readFile(path, "latin1");
    const damaged = damage(whole);
    if (damaged === undefined) await rm(path);
    else await writeFile(path, damaged, "latin1");
    expect(await faultsAfterRecovery(wreck)).toEqual([]);
    const index = await readFile(path.slice(0, -".open".length), "latin1");
    const lines = whole.match(/.*\n/g) ?? [];
    expect(index).toBe(lines.slice(0, 3).sort().join(""));
  });

  test("makes the index of a finished file that has none", async () => {
    const wreck = await twoFlushes();
    await faultsAfterRecovery(wreck);
    const path = join(wreck.directory, wreck.file.replace(".warc.gz", ".cdxj"));
    const before = await readFile(path, "latin1");
    await rm(path);
    expect(await faultsAfterRecovery(wreck)).toEqual([]);
    expect(await readFile(path, "latin1")).toBe(before);
  });

  test.each([
    ["while it sorted an index", [".cdxj"], [".cdxj.runs", ".cdxj.draft"]],
    ["after it sorted one", [], [".cdxj.runs", ".cdxj.open"]],
    ["while it removed a file", [".cdxj", ".warc.gz"], [".cdxj.runs"]],
  ])("%s leaves no part of the work behind", async (_, missing, left) => {
    const wreck = await twoFlushes();
    await faultsAfterRecovery(wreck);
    const named = (ending: string): string =>
      join(wreck.directory, wreck.file.replace(".warc.gz", ending));
    for (const ending of missing) await rm(named(ending));
    for (const ending of left) await writeFile(named(ending), "left\n");
    const isThere = !missing.includes(".warc.gz");
    const committed = isThere ? wreck.committed : [];
    expect(await faultsAfterRecovery({ ...wreck, committed })).toEqual([]);
    const names = await namesIn(wreck.directory);
    const own = names.filter((name) => name.startsWith(wreck.file.replace(".warc.gz", "")));
    expect(own).toEqual(isThere ? [wreck.file.replace(".warc.gz", ".cdxj"), wreck.file] : []);
  });

  test("goes on when its finished files were carried away", async () => {
    const wreck = await twoFlushes();
    await faultsAfterRecovery(wreck);
    for (const name of await readdir(wreck.directory)) await rm(join(wreck.directory, name));
    const archive = world.open(wreck.directory);
    await archive.start(wreck.mark);
    const location = archive.append(sampleCapture(sampleExchange("/", "x")));
    expect(location.file).toContain("-00002.");
    const [gone] = wreck.committed;
    if (gone === undefined) throw new Error("nothing was committed");
    await expect(archive.read(gone)).rejects.toMatchObject({ code: "NOT_ARCHIVED" });
    expect([gone, location].map((place) => archive.has(place))).toEqual([false, true]);
  });

  test("has no record behind the end of a finished file that was cut short meanwhile", async () => {
    const wreck = await twoFlushes();
    await faultsAfterRecovery(wreck);
    const [first, second, third] = wreck.committed;
    if (!first || !second || !third) throw new Error("three were committed");
    await truncate(join(wreck.directory, wreck.file), second.offset + second.length);
    const archive = world.open(wreck.directory);
    // A later file has the mark: nothing says how long this one was.
    await archive.start({ file: wreck.file.replace("00001", "00009"), bytes: 0 });
    expect([first, second, third].map((place) => archive.has(place))).toEqual([true, true, false]);
  });

  test("relies again on a file that was away when it was asked for, and is back in the next run", async () => {
    const wreck = await twoFlushes();
    await faultsAfterRecovery(wreck);
    const [first] = wreck.committed;
    if (!first) throw new Error("three were committed");
    const path = join(wreck.directory, wreck.file);
    const bytes = await readFile(path);
    const archive = world.open(wreck.directory);
    await archive.start(wreck.mark);
    await rm(path);
    await expect(archive.read(first)).rejects.toMatchObject({ code: "NOT_ARCHIVED" });
    await writeFile(path, bytes);
    expect(archive.has(first)).toBe(false);
    const next = world.open(wreck.directory);
    await next.start(wreck.mark);
    expect(next.has(first)).toBe(true);
  });

  test("has nothing of a file any more of which a record could not be read", async () => {
    const wreck = await twoFlushes();
    await faultsAfterRecovery(wreck);
    const [first, second] = wreck.committed;
    if (!first || !second) throw new Error("three were committed");
    const path = join(wreck.directory, wreck.file);
    const bytes = await readFile(path);
    bytes.fill(0, second.offset, second.offset + second.length);
    await writeFile(path, bytes);
    const archive = world.open(wreck.directory);
    await archive.start(wreck.mark);
    expect([first, second].map((place) => archive.has(place))).toEqual([true, true]);
    await expect(archive.read(second)).rejects.toMatchObject({ code: "ARCHIVE_CORRUPT" });
    expect([first, second].map((place) => archive.has(place))).toEqual([false, false]);
    await archive.read(first);
    await archive.stop();
    const next = world.open(wreck.directory);
    await next.start(wreck.mark);
    expect([first, second].map((place) => next.has(place))).toEqual([false, false]);
    await next.read(first);
  });

  test("touches no file of others", async () => {
    const wreck = await twoFlushes();
    const others = [
      wreck.file.replace("peer1", "peer2") + ".open",
      wreck.file.replace("orbweaver", "other") + ".open",
      "notes.open",
    ];
    for (const name of others) await writeFile(join(wreck.directory, name), "theirs");
    const archive = world.open(wreck.directory);
    await archive.start(wreck.mark);
    expect(archive.files()).toEqual([wreck.file]);
    for (const name of others) {
      expect(await readFile(join(wreck.directory, name), "utf8")).toBe("theirs");
    }
  });
});

describe("a WarcArchive whose disk lost what it had confirmed", () => {
  test.each([".open", ""])("says so when the file%s is shorter than the mark", async (ending) => {
    const wreck = await twoFlushes();
    const path = join(wreck.directory, wreck.file);
    await rename(`${path}.open`, path + ending);
    await truncate(path + ending, wreck.mark.bytes - 1);
    const archive = world.open(wreck.directory);
    await expect(archive.start(wreck.mark)).rejects.toMatchObject({
      code: "ARCHIVE_CORRUPT",
      // What to do stands behind a semicolon, or a general advice is added to it.
      message: expect.stringMatching(
        / had confirmed; put back a good copy of the file, /,
      ) as string,
      details: {
        path: path + ending,
        goodBytes: wreck.mark.bytes - 1,
        expectedBytes: wreck.mark.bytes,
      },
    });
  });

  test("says so when the file is torn before the mark, and leaves it alone", async () => {
    const wreck = await twoFlushes();
    const path = join(wreck.directory, `${wreck.file}.open`);
    const [, second] = wreck.committed;
    const bytes = await readFile(path);
    bytes.fill(0, (second?.offset ?? 0) + 40, (second?.offset ?? 0) + 60);
    await writeFile(path, bytes);
    await rm(join(wreck.directory, wreck.file.replace(".warc.gz", ".cdxj.open")));
    const archive = world.open(wreck.directory);
    await expect(archive.start(wreck.mark)).rejects.toMatchObject({
      code: "ARCHIVE_CORRUPT",
      details: { goodBytes: second?.offset, expectedBytes: wreck.mark.bytes },
    });
    expect(await namesIn(wreck.directory)).toEqual([`${wreck.file}.open`]);
    expect(await readFile(path)).toEqual(bytes);
  });
});

/** Files that call `killHere` before everything that is done to them, and once more when they are made. */
function watched(killHere: () => Promise<void>): ArchiveFiles {
  const before = async <T>(action: () => Promise<T>): Promise<T> => {
    await killHere();
    return action();
  };
  return {
    create: (path) =>
      before(async () => {
        const file = await nodeArchiveFiles.create(path);
        await killHere();
        return {
          writev: (chunks, position) => before(() => file.writev(chunks, position)),
          datasync: () => before(() => file.datasync()),
          close: () => before(() => file.close()),
        };
      }),
  };
}
