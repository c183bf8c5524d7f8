import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nameDraft } from "../../node/whole-file.ts";

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
    await nameDraft(draft, path);
    expect(await readFile(path, "utf8")).toBe("old");
  });

  it.each(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"])(
    "where files have no second one (%s)",
    async (code) => {
      await nameDraft(draft, path, failing(code));
      expect(await readdir(folder)).toEqual(["name"]);
      await writeFile(draft, "newer");
      await nameDraft(draft, path, failing(code));
      expect(await readFile(path, "utf8")).toBe("new");
    },
  );

  it("or fails as the system says", async () => {
    await expect(nameDraft(draft, path, failing("EIO"))).rejects.toThrow("EIO");
    expect(await readdir(folder)).toEqual(["draft"]);
  });
});
