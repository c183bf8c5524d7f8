import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nameDraft, notWritten, writeWhole } from "../../node/whole-file.ts";
import { CrawlError } from "../../src/core/errors.ts";
import { watchSyncs } from "../support/watch-syncs.ts";

describe("a draft gets its name", () => {
  let folder: string;
  let draft: string;
  let path: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "orbweaver-draft-"));
    [draft, path] = [join(folder, "draft"), join(folder, "name")];
    await writeFile(draft, "new");
  });
  afterEach(() => rm(folder, { recursive: true }));

  const failing = (code: string) => (): Promise<never> =>
    Promise.reject(Object.assign(new Error(code), { code }));

  it("which another file keeps that has it", async () => {
    await writeFile(path, "old");
    expect(await nameDraft(draft, path)).toBe(false);
    expect(await readFile(path, "utf8")).toBe("old");
  });

  it.each(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"])(
    "where files have no second one (%s)",
    async (code) => {
      expect(await nameDraft(draft, path, failing(code))).toBe(true);
      expect(await readdir(folder)).toEqual(["name"]);
      await writeFile(draft, "newer");
      expect(await nameDraft(draft, path, failing(code))).toBe(false);
      expect(await readFile(path, "utf8")).toBe("new");
    },
  );

  it.runIf(process.platform === "linux").each([
    ["as a second one", undefined],
    ["where files have no second one", failing("EPERM")],
  ])("that a power failure leaves, %s", async (_how, linkFile) => {
    const synced = await watchSyncs();
    expect(await nameDraft(draft, path, linkFile)).toBe(true);
    expect(synced).toEqual([basename(folder)]);
  });

  it("or fails as the system says", async () => {
    await expect(nameDraft(draft, path, failing("EIO"))).rejects.toThrow("EIO");
    expect(await readdir(folder)).toEqual(["draft"]);
  });
});

describe("a whole file", () => {
  let folder: string;
  let path: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "orbweaver-whole-"));
    path = join(folder, "name");
  });
  afterEach(() => rm(folder, { recursive: true }));

  // eslint-disable-next-line @typescript-eslint/require-await -- it fails instead of waiting
  async function* failing(cause: Error): AsyncGenerator<string> {
    yield "half";
    throw cause;
  }

  it.runIf(process.platform === "linux")(
    "is durable before it has its name, and then its name is",
    async () => {
      const synced = await watchSyncs();
      await writeWhole(path, "all of it", "the list");
      expect(synced).toEqual(["name.new", basename(folder)]);
      expect(await readFile(path, "utf8")).toBe("all of it");
    },
  );

  it.each([
    ["ENOSPC", "DISK_FULL"],
    ["EIO", "STORE_IO"],
    ["EACCES", "DATA_DIR_UNUSABLE"],
  ])("leaves what was there where it cannot be written (%s)", async (code, told) => {
    await writeFile(path, "old");
    const cause = Object.assign(new Error(code), { code });
    const writing = writeWhole(path, failing(cause), "the list");
    await expect(writing).rejects.toMatchObject({ code: told, details: { path }, cause });
    expect(await readdir(folder)).toEqual(["name"]);
    expect(await readFile(path, "utf8")).toBe("old");
  });

  it.each([new CrawlError("SWARM_BUSY", "busy"), new RangeError("a field of kind 4")])(
    "fails as its content does, which has nothing to do with the file: %s",
    async (cause) => {
      await expect(writeWhole(path, failing(cause), "the list")).rejects.toBe(cause);
      expect(await readdir(folder)).toEqual([]);
    },
  );
});

it("names the file that a full disk has no room for, which the system does not", () => {
  const full = Object.assign(new Error("ENOSPC: no space left on device, write"), {
    code: "ENOSPC",
    syscall: "write",
  });
  expect(notWritten(full, "/data/api.json", "the API's address")).toMatchObject({
    code: "DISK_FULL",
    message: "the API's address /data/api.json cannot be written (the disk is full)",
  });
});
