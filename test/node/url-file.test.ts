import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { urlLineBatches } from "../../node/url-file.ts";

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
