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

it("reads the file that the command line names, else the one of the environment, if any", async () => {
  await writeFile(file, '{"delay": 500}');
  const absent = `${file}.none`;
  const load = (config?: string, variable?: string) =>
    loadSettings(["delay"], config === undefined ? {} : { config }, { ORBWEAVER_CONFIG: variable });
  expect(await load(file, absent)).toEqual({ delay: 500 });
  expect(await load(undefined, file)).toEqual({ delay: 500 });
  expect(await load(undefined, "")).toEqual({});
  await expect(load(absent, file)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
});

it("reads a configuration file of a mebibyte, and nothing larger", async () => {
  const text = '{"delay": 500}';
  await writeFile(file, text.padEnd(1_048_576));
  expect(await loadSettings(["delay"], { config: file }, {})).toEqual({ delay: 500 });
  await writeFile(file, text.padEnd(1_048_577));
  await expect(loadSettings(["delay"], { config: file }, {})).rejects.toMatchObject({
    message: expect.stringContaining("it is larger than 1048576 bytes") as string,
  });
});

it("fails on what is wrong with a value", async () => {
  await expect(loadSettings(["delay"], { delay: "soon" }, {})).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    message: expect.stringMatching(/^--delay must be /) as string,
  });
});
