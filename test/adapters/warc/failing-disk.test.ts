import { readdir, rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ArchiveFile, ArchiveFiles } from "../../../src/adapters/warc/archive-files.ts";
import { nodeArchiveFiles } from "../../../src/adapters/warc/archive-files.ts";
import type { Archive, ArchiveMark } from "../../../src/ports/archive.ts";
import { sampleCapture, sampleExchange } from "../../support/sample-captures.ts";
import { ArchiveDirectories } from "./archive-directories.ts";
import { faultsIn } from "./read-archive-file.ts";

let world: ArchiveDirectories;

beforeEach(() => {
  world = new ArchiveDirectories();
});

afterEach(() => world.dispose());

type Step = "create" | "writev" | "datasync" | "close";

/** Real files that ask `before` ahead of each step, and that count those left open. */
class ScriptedFiles implements ArchiveFiles {
  openFiles = 0;
  readonly #before: (step: Step, path: string) => void;
  readonly #bytesPerWrite: number;

  constructor(before: (step: Step, path: string) => void, bytesPerWrite = Infinity) {
    this.#before = before;
    this.#bytesPerWrite = bytesPerWrite;
  }

  async create(path: string): Promise<ArchiveFile> {
    this.#before("create", path);
    const file = await nodeArchiveFiles.create(path);
    this.openFiles++;
    return {
      writev: async (chunks, position) => {
        await Promise.resolve();
        this.#before("writev", path);
        if (this.#bytesPerWrite === Infinity) return file.writev(chunks, position);
        const some = Buffer.concat(chunks).subarray(0, this.#bytesPerWrite);
        return file.writev([some], position);
      },
      datasync: async () => {
        await Promise.resolve();
        this.#before("datasync", path);
        await file.datasync();
      },
      close: async () => {
        await file.close();
        this.openFiles--;
        this.#before("close", path);
      },
    };
  }
}

function failure(code: string): Error {
  return Object.assign(new Error(`${code}: the disk refuses`), { code });
}

function page(archive: Archive, path: string) {
  return archive.append(sampleCapture(sampleExchange(path, `page ${path}`)));
}

async function errorOf(action: () => unknown): Promise<unknown> {
  try {
    await action();
  } catch (error) {
    return error;
  }
  throw new Error("it did not fail");
}

const messageWith = (text: string): unknown => expect.stringContaining(text);

/** Of those codes that are not told as they are. */
const words: Readonly<Record<string, string>> = {
  ENOSPC: "the disk that holds",
  EDQUOT: "the disk that holds",
  EFBIG: "the limit on the length of a file is reached",
};

describe("a WarcArchive on a disk that fails", () => {
  test.each([
    ["ENOSPC", "writev", ".warc.gz.open", "DISK_FULL"],
    ["EDQUOT", "writev", ".warc.gz.open", "DISK_FULL"],
    ["ENOSPC", "create", ".warc.gz.open", "DISK_FULL"],
    ["ENOSPC", "create", ".cdxj.open", "DISK_FULL"],
    ["ENOSPC", "writev", ".cdxj.open", "DISK_FULL"],
    ["EFBIG", "writev", ".warc.gz.open", "DISK_FULL"],
    ["EIO", "datasync", ".warc.gz.open", "ARCHIVE_IO"],
    ["EMFILE", "create", ".warc.gz.open", "ARCHIVE_IO"],
  ])("on %s in %s of a %s fails for good with %s", async (code, step, ending, expected) => {
    const directory = await world.directory();
    let failing = true;
    const files = new ScriptedFiles((at, path) => {
      if (failing && at === step && path.endsWith(ending)) throw failure(code);
    });
    const archive = world.open(directory, { files });
    await archive.start(undefined);
    const location = page(archive, "/a");
    const first = await errorOf(() => archive.flush());
    expect(first).toMatchObject({ code: expected, details: { code } });
    expect(first).toHaveProperty("cause.code", code);
    expect(first).toHaveProperty("message", messageWith(words[code] ?? code));
    expect(first).toHaveProperty("details.path", expect.stringContaining(ending));

    failing = false;
    expect(await errorOf(() => archive.flush())).toBe(first);
    expect(await errorOf(() => archive.read(location))).toBe(first);
    expect(await errorOf(() => page(archive, "/b"))).toBe(first);
    expect(await errorOf(() => archive.stop())).toBe(first);
    expect(files.openFiles).toBe(0);
  });

  test("keeps what was committed before", async () => {
    const directory = await world.directory();
    let full = false;
    const files = new ScriptedFiles((step) => {
      if (full && step === "writev") throw failure("ENOSPC");
    }, 100);
    const archive = world.open(directory, { files });
    await archive.start(undefined);
    const kept = page(archive, "/a");
    const mark = await archive.flush();
    page(archive, "/b");
    full = true;
    await expect(archive.flush()).rejects.toMatchObject({ code: "DISK_FULL" });
    await expect(archive.stop()).rejects.toMatchObject({ code: "DISK_FULL" });

    const next = world.open(directory);
    await next.start(mark);
    expect((await next.read(kept)).url).toBe("http://example.com/a");
    expect(await faultsIn(directory)).toEqual([]);
  });

  test("fails every flush that waited behind the failed one", async () => {
    const files = new ScriptedFiles((step) => {
      if (step === "datasync") throw failure("EIO");
    });
    const archive = world.open(await world.directory(), { files });
    await archive.start(undefined);
    page(archive, "/a");
    const first = archive.flush();
    await Promise.resolve();
    page(archive, "/b");
    const results = await Promise.allSettled([first, archive.flush(), archive.flush()]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  });

  test("writes all bytes when each write takes only some", async () => {
    const directory = await world.directory();
    const files = new ScriptedFiles(() => undefined, 37);
    const archive = world.open(directory, { files });
    await archive.start(undefined);
    page(archive, "/a");
    await archive.flush();
    page(archive, "/b");
    await archive.stop();
    expect(await faultsIn(directory)).toEqual([]);
  });

  test("fails where a write takes nothing: to try for ever would look like a crawl that stands still", async () => {
    const archive = world.open(await world.directory(), {
      files: new ScriptedFiles(() => undefined, 0),
    });
    await archive.start(undefined);
    page(archive, "/a");
    const expected = { code: "ARCHIVE_IO", message: messageWith("takes no bytes") };
    await expect(archive.flush()).rejects.toMatchObject(expected);
  });

  test("makes no index of one that has lost lines, and a good one when it is started again", async () => {
    const directory = await world.directory();
    const archive = world.open(directory);
    await archive.start(undefined);
    page(archive, "/a");
    const mark = await archive.flush();
    const [index = ""] = (await readdir(directory)).filter((name) => name.includes(".cdxj"));
    await truncate(join(directory, index), 0);
    const expected = { code: "ARCHIVE_IO", message: messageWith("0 lines, for 1 captures") };
    await expect(archive.stop()).rejects.toMatchObject(expected);
    await world.open(directory).start(mark);
    expect(await faultsIn(directory)).toEqual([]);
  });

  test("says that a file was removed while it was written: the system goes on taking bytes for it", async () => {
    const directory = await world.directory();
    const archive = world.open(directory);
    await archive.start(undefined);
    page(archive, "/a");
    await archive.flush();
    for (const name of await readdir(directory)) await rm(join(directory, name));
    page(archive, "/b");
    const expected = { code: "ARCHIVE_IO", message: messageWith("removed or moved away") };
    await expect(archive.flush()).rejects.toMatchObject(expected);
    await expect(archive.stop()).rejects.toMatchObject(expected);
  });

  test("says that its directory cannot be made", async () => {
    const archive = world.open("/dev/null/archive");
    await expect(archive.start(undefined)).rejects.toMatchObject({
      code: "ARCHIVE_IO",
      details: { path: "/dev/null/archive", code: "ENOTDIR" },
    });
  });
});

describe("the flushes of a WarcArchive", () => {
  test("share one synchronisation when they wait for the same one", async () => {
    let syncs = 0;
    const late: Promise<ArchiveMark>[] = [];
    const files = new ScriptedFiles((step) => {
      if (step !== "datasync" || syncs++ > 0) return;
      for (const path of ["/1", "/2", "/3"]) {
        page(archive, path);
        late.push(archive.flush());
      }
    });
    const archive = world.open(await world.directory(), { files });
    await archive.start(undefined);
    page(archive, "/0");
    const first = await archive.flush();
    const marks = await Promise.all(late);
    expect(syncs).toBe(2);
    expect(marks).toHaveLength(3);
    const bytes = [first, ...marks].map((mark) => mark.bytes);
    expect(bytes).toEqual([...new Set(bytes)].sort((a, b) => a - b));
  });
});
