import { describe, expect, it } from "vitest";
import { urlBatches, type LineFormat } from "../../../src/adapters/http-api/url-lines.ts";

async function batches(text: string, format: LineFormat, chunkBytes = 7, batchMax = 3) {
  const bytes = new TextEncoder().encode(text);
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, i) =>
    bytes.subarray(i * chunkBytes, (i + 1) * chunkBytes),
  );
  async function* source() {
    await Promise.resolve();
    yield* chunks;
  }
  const found: string[][] = [];
  for await (const batch of urlBatches(source(), format, batchMax)) found.push(batch);
  return found;
}

describe("urlBatches", () => {
  it("reads a URL a line, however the stream is cut, and skips comments and empty lines", async () => {
    const text = "\ufeffhttp://a/\r\n\n# no\n  http://b/é  \nhttp://c/\nhttp://d/";
    const expected = [["http://a/", "http://b/é", "http://c/"], ["http://d/"]];
    for (const chunkBytes of [1, 2, 3, 5, 1_000]) {
      expect(await batches(text, "text", chunkBytes)).toEqual(expected);
    }
  });

  it("reads JSON strings and objects", async () => {
    expect(await batches('"http://a/"\n{"url":"http://b/","x":1}\n\n', "ndjson")).toEqual([
      ["http://a/", "http://b/"],
    ]);
  });

  it.each(["{", "12", "null", '{"uri":"http://a/"}', "http://a/"])(
    "names the line that is neither: %j",
    async (line) => {
      await expect(batches(`"http://a/"\n${line}\n`, "ndjson")).rejects.toThrow(
        "line 2 is neither",
      );
    },
  );

  it("yields nothing for nothing", async () => {
    expect(await batches("", "text")).toEqual([]);
    expect(await batches("\n \n#\n", "text")).toEqual([]);
  });

  it("gives up on a line without an end instead of keeping it", async () => {
    await expect(batches("x".repeat(70_000), "text", 1_000)).rejects.toMatchObject({
      code: "TOO_LARGE",
    });
  });
});
