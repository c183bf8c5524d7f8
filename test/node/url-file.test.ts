import { execFileSync } from "node:child_process";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, it, onTestFinished } from "vitest";
import { urlLineBatches } from "../../node/url-file.ts";
import { fileSource } from "../../node/url-source.ts";
import { FakeTerminal } from "../support/fake-terminal.ts";

/** The batches of a file, with the lines that were rejected. */
async function batchesOf(text: string | Buffer, batchMax: number) {
  const rejected: { line: number; characters: number; reason: string }[] = [];
  const batches: number[][] = [];
  const source = Readable.from([typeof text === "string" ? Buffer.from(text) : text]);
  const lines = urlLineBatches(source, batchMax, ({ line, url }, reason) =>
    rejected.push({ line, characters: url.length, reason }),
  );
  for await (const batch of lines) batches.push(batch.map(({ line }) => line));
  return { batches, rejected };
}

it("takes lines of 65,536 characters from a file, and rejects longer ones with their beginning", async () => {
  const longest = "x".repeat(65_536);
  const text = `${longest}\n${longest}x\n# ${longest}\nhttp://a.example/\n`;
  expect(await batchesOf(text, 9)).toEqual({
    batches: [[1, 4]],
    rejected: [{ line: 2, characters: 201, reason: "url-length" }],
  });
});

it("hands a file over in batches of so many lines, and of so many characters where these are long", async () => {
  const short = "http://a.example/\n".repeat(7);
  expect((await batchesOf(short, 3)).batches).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
  expect((await batchesOf(short, 7)).batches).toEqual([[1, 2, 3, 4, 5, 6, 7]]);
  const long = `${"x".repeat(65_536)}\n`.repeat(130);
  expect((await batchesOf(long, 1_000)).batches.map(({ length }) => length)).toEqual([64, 64, 2]);
});

it("rejects a line that is not UTF-8, but for comments", async () => {
  const text = Buffer.from("# caf\xe9\nhttp://a.example/caf\xe9\nhttp://a.example/\n", "latin1");
  expect(await batchesOf(text, 9)).toEqual({
    batches: [[3]],
    rejected: [{ line: 2, characters: 21, reason: "invalid-url" }],
  });
});

it.each([
  ["http://a.example/\n", "http://b.example/\nhttp://c.example/\n"],
  ["http://a.example/\nhttp:", "//b.example/\nhttp://c.example/\n"],
])("lets no URL wait for what is not written yet, behind %j", async (written, more) => {
  const steps: unknown[] = [];
  async function* source(): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(Buffer.from(written));
    steps.push("more is written");
    yield Buffer.from(more);
  }
  for await (const batch of urlLineBatches(source(), 9, () => undefined)) {
    steps.push(batch.map(({ line }) => line));
  }
  expect(steps).toEqual([[1], "more is written", [2, 3]]);
});

/** The URLs of a new pipe that nobody writes to yet. */
async function silentPipeSource() {
  const folder = await mkdtemp(join(tmpdir(), "url-file-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  const source = fileSource(new FakeTerminal(), pipe, () => undefined);
  return { source, urls: source.batches[Symbol.asyncIterator](), pipe };
}

/** The URLs of a new pipe, and who writes to it. */
async function pipeSource() {
  const silent = await silentPipeSource();
  const writer = await open(silent.pipe, "r+");
  onTestFinished(() => writer.close());
  return { ...silent, writer };
}

it.runIf(process.platform !== "win32")("waits no more for a pipe once it is closed", async () => {
  const { source, urls, writer } = await pipeSource();
  for (const url of ["http://a.example/", "http://b.example/"]) {
    await writer.write(`${url}\n`);
    expect(await urls.next()).toMatchObject({ value: [{ url }] });
  }
  const next = urls.next();
  source.close();
  expect(await next).toEqual({ done: true, value: undefined });
});

it.runIf(process.platform !== "win32")("reads a pipe to its end", async () => {
  const { pipe, urls, writer } = await pipeSource();
  const text = Array.from({ length: 20_000 }, (_, page) => `http://a.example/${page}\n`).join("");
  const first = urls.next();
  await writer.write("http://a.example/\n");
  await first;
  // The one that is open for reading too would keep the pipe.
  const last = await open(pipe, "w");
  const written = last.writeFile(text).then(() => last.close());
  await writer.close();
  let count = 0;
  for (let next = await urls.next(); next.done !== true; next = await urls.next()) {
    count += next.value.length;
  }
  await written;
  expect(count).toBe(20_000);
});

it.runIf(process.platform === "linux")("waits for who writes to a pipe later", async () => {
  const { pipe, urls } = await silentPipeSource();
  const next = urls.next();
  const writer = await open(pipe, "w");
  await writer.write("http://a.example/\n");
  expect(await next).toMatchObject({ value: [{ url: "http://a.example/" }] });
  await writer.close();
  expect(await urls.next()).toMatchObject({ done: true });
});

it.runIf(process.platform === "linux")("waits no more for who never does", async () => {
  const { source, urls } = await silentPipeSource();
  const next = urls.next();
  source.close();
  expect(await next).toEqual({ done: true, value: undefined });
});
