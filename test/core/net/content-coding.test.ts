import { brotliCompressSync, constants, deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sniffBytes, sniffFormat } from "../../../src/core/net/content-coding.ts";

describe("sniffFormat of a coding without a signature", () => {
  const told = (bytes: Uint8Array): unknown[] => [
    sniffFormat("br", bytes),
    sniffFormat("deflate", bytes),
  ];

  it.each([
    ["Russian", "Привет, мир! "],
    ["Japanese", "<title>日本語のページ</title>"],
    ["one beyond the basic plane", "🦋 "],
    ["one behind a byte order mark", "\ufeffé"],
  ])("takes a text for no coding, wherever its first part ends: %s", (_what, text) => {
    for (let pad = 0; pad < 4; pad += 1) {
      const bytes = Buffer.from(" ".repeat(pad) + text.repeat(20));
      expect(told(bytes)).toEqual([undefined, undefined]);
      expect(told(bytes.subarray(0, sniffBytes))).toEqual([undefined, undefined]);
    }
  });

  it.each([
    ["is no UTF-8", Buffer.from("café, thé".repeat(20), "latin1")],
    ["has a control character", Buffer.from(`é\u0001${"é".repeat(40)}`)],
    ["deletes", Buffer.from(`é\u007f${"é".repeat(40)}`)],
  ])("takes for it what %s", (_what, bytes) => {
    expect(told(bytes)).toEqual(["br", "raw-deflate"]);
  });

  it("knows what coders make of bytes and of words", () => {
    const bodies = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.string({ unit: "grapheme", maxLength: 300 }).map((text) => Buffer.from(text)),
    );
    const levels = fc.integer({ min: 0, max: 9 });
    fc.assert(
      fc.property(bodies, levels, (body, level) => {
        const params = { [constants.BROTLI_PARAM_QUALITY]: level };
        expect(sniffFormat("br", brotliCompressSync(body, { params }))).toBe("br");
        expect(sniffFormat("deflate", deflateRawSync(body, { level }))).toBe("raw-deflate");
      }),
    );
  });
});
