import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  recallNetwork,
  recallSettings,
  rememberSettings,
} from "../../../node/config/crawl-memory.ts";
import type { SettingValues } from "../../../node/config/settings.ts";

const values: SettingValues = {
  job: "docs",
  "allow-private": true,
  dns: { host: "::1", port: 53 },
};

let dataDir: string;
let file: string;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "crawl-memory-"));
  file = join(dataDir, "settings.json");
});

afterEach(() => rm(dataDir, { recursive: true }));

describe("the memory of a crawl", () => {
  it("has nothing of a new one", async () => {
    expect(await recallSettings(dataDir)).toEqual({});
    expect(await recallSettings(join(dataDir, "new"))).toEqual({});
  });

  it("recalls what it was told, also from a file that an editor began with a byte order mark", async () => {
    await rememberSettings(dataDir, values);
    expect(await recallSettings(dataDir)).toEqual(values);
    await writeFile(file, `\ufeff${await readFile(file, "utf8")}`);
    expect(await recallSettings(dataDir)).toEqual(values);
  });

  it("does not take a file that cannot be read for one that is not there", async () => {
    await mkdir(file);
    const problem = `${file} cannot be read (it is a directory)`;
    await expect(recallSettings(dataDir)).rejects.toThrow(problem);
    await expect(recallNetwork(dataDir)).rejects.toThrow(problem);
  });
});
