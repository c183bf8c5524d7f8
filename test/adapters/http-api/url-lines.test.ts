import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import {
  endOfPart,
  linesOf,
  urlBatches,
  type LineFormat,
} from "../../../src/adapters/http-api/url-lines.ts";

async function* inChunks(text: string, chunkBytes: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    yield await Promise.resolve(bytes.subarray(at, at + chunkBytes));
  }
}

async function batches(text: string, format: LineFormat, chunkBytes = 7, batchMax = 3) {
  const found: string[][] = [];
  const source = inChunks(text, chunkBytes);
  for await (const batch of urlBatches(source, format, batchMax)) found.push(batch);
  return found;
}

describe("urlBatches", () => {
  it("reads a URL a line, however the stream is cut, and skips comments and empty lines", async () => {
    const text = "\ufeffhttp://a/\r\n\n# no\n  http://b/é  \nhttp://c/\nhttp://d/";
    const expected = ["http://a/", "http://b/é", "http://c/", "http://d/"];
    for (const chunkBytes of [1, 2, 3, 5, 1_000]) {
      expect((await batches(text, "text", chunkBytes)).flat()).toEqual(expected);
    }
  });

  it("fills batches of at most so many URLs from what has come", async () => {
    const text = "http://a/\nhttp://b/\nhttp://c/\nhttp://d/\n";
    expect(await batches(text, "text", 1_000)).toEqual([
      ["http://a/", "http://b/", "http://c/"],
      ["http://d/"],
    ]);
  });

  it.each([
    ["text", "http://a/\n", "http://b/\nhttp://c/\n"],
    ["text", "http://a/\nhttp:", "//b/\nhttp://c/\n"],
    ["ndjson", '"http://a/"\n', '"http://b/"\n"http://c/"\n'],
  ] as const)("lets no URL of %s wait for a part that has not come", async (format, a, b) => {
    const steps: unknown[] = [];
    async function* source(): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(Buffer.from(a));
      steps.push("next part");
      yield Buffer.from(b);
    }
    for await (const batch of urlBatches(source(), format, 3)) steps.push(batch);
    expect(steps).toEqual([["http://a/"], "next part", ["http://b/", "http://c/"]]);
  });

  it("reads JSON strings and objects", async () => {
    const text = '"http://a/"\n{"url":"http://b/","x":1}\n\n';
    expect((await batches(text, "ndjson")).flat()).toEqual(["http://a/", "http://b/"]);
  });

  it.each(["{", "12", "null", '{"uri":"http://a/"}', "http://a/"])(
    "names the line that is neither: %j",
    async (line) => {
      await expect(batches(`"http://a/"\n${line}\n`, "ndjson")).rejects.toThrow(
        "line 2 is neither",
      );
    },
  );

  it.each(["text", "ndjson"] as const)(
    "refuses a line of %s that is not UTF-8, but for comments",
    async (format) => {
      const [mark, comment] = format === "text" ? ["", "# \xe9\n"] : ['"', "\n"];
      const lines = `${comment}${mark}http://a/\xe9${mark}\n`;
      const source = Readable.from([Buffer.from(lines, "latin1")]);
      await expect(urlBatches(source, format, 3).next()).rejects.toMatchObject({
        code: "BAD_REQUEST",
        message: "line 2 is not UTF-8",
      });
    },
  );

  it("takes the line of a status whose title was no UTF-8 where it was found", async () => {
    const status = { url: "http://a/", state: "done", title: "caf\ufffd" };
    expect(await batches(JSON.stringify(status), "ndjson")).toEqual([["http://a/"]]);
  });

  it("yields nothing for nothing", async () => {
    expect(await batches("", "text")).toEqual([]);
    expect(await batches("\n \n#\n", "text")).toEqual([]);
  });

  it.each([1_000, 100_000])(
    "gives up on a line that is too long, %d bytes a chunk",
    async (chunk) => {
      for (const end of ["", "\nhttp://a/\n"]) {
        await expect(batches(`${"x".repeat(70_000)}${end}`, "text", chunk)).rejects.toMatchObject({
          code: "TOO_LARGE",
        });
      }
    },
  );
});

describe("the longest line that is taken", () => {
  it.each([7, 1_000, 100_000])("has 65,536 characters, %d bytes a chunk", async (chunk) => {
    for (const end of ["", "\n"]) {
      const longest = "x".repeat(65_536);
      expect(await batches(`${longest}${end}`, "text", chunk)).toEqual([[longest]]);
      await expect(batches(`${longest}x${end}`, "text", chunk)).rejects.toMatchObject({
        code: "TOO_LARGE",
      });
    }
  });
});

/** Without the ends of parts. */
async function linesAlone(source: AsyncIterable<Uint8Array>): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of linesOf(source)) if (line !== endOfPart) lines.push(line);
  return lines;
}

describe("linesOf", () => {
  it("ends a line with LF, CR LF or CR, wherever the stream is cut", async () => {
    const text = "one\r\ntwo\rthree\n\r\n\r\rfour\r";
    for (const chunkBytes of [1, 2, 3, 4, 5, 100]) {
      const lines = await linesAlone(inChunks(text, chunkBytes));
      expect(lines, `${chunkBytes}`).toEqual(["one", "two", "three", "", "", "", "four"]);
    }
  });

  it("takes CR LF for one end with nothing in between, and half a character at the end for one that is broken", async () => {
    const bytes = ["a\r", "", "\nb\n\xc3"].map((text) => Buffer.from(text, "latin1"));
    expect(await linesAlone(Readable.from(bytes))).toEqual(["a", "b", "\ufffd"]);
  });

  it("keeps of a long line no more than shows that it is too long, and goes on behind it", async () => {
    const text = `a\n${"x".repeat(500_000)}\nb\n${"y".repeat(65_536)}\n`;
    const lengths = (await linesAlone(inChunks(text, 1_000))).map(({ length }) => length);
    expect(lengths).toEqual([1, expect.any(Number), 1, 65_536]);
    expect(lengths[1]).toBeGreaterThan(65_536);
    expect(lengths[1]).toBeLessThan(65_536 + 2_000);
  });
});
