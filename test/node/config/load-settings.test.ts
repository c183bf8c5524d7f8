import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { loadSettings } from "../../../node/config/load-settings.ts";

let file: string;

beforeAll(async () => {
  file = join(await mkdtemp(join(tmpdir(), "load-settings-")), "peer.json");
});

afterAll(() => rm(join(file, ".."), { recursive: true }));

it.each(["", "\ufeff"])("reads a configuration file that begins with %j", async (mark) => {
  await writeFile(file, `${mark}{"delay": 500}`);
  expect(await loadSettings(["delay"], { config: file }, {})).toEqual({ delay: 500 });
});

it.each(["delay=500", '{\n  "delay": x,\n  "depth": 3\n}\n'])(
  "says in one line that a configuration file is none: %j",
  async (text) => {
    await writeFile(file, text);
    await expect(loadSettings(["delay"], { config: file }, {})).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringMatching(/^peer\.json is not JSON \(.+\)$/) as string,
    });
  },
);
