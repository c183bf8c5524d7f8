import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ownText } from "../../../src/core/text/own-text.ts";

describe("ownText", () => {
  it("is the same text, of any length and in any script", () => {
    const text = fc.oneof(fc.string({ unit: "grapheme" }), fc.string({ maxLength: 20_000 }));
    fc.assert(
      fc.property(text, (one) => {
        expect(ownText(one)).toBe(one);
      }),
    );
    expect(ownText("\ufeffa")).toBe("\ufeffa");
    for (const length of [0, 1, 2_730, 2_731, 8_192, 8_193]) {
      expect(ownText("\u20ac".repeat(length))).toBe("\u20ac".repeat(length));
    }
  });

  it("leaves U+FFFD of half a surrogate pair", () => {
    expect(ownText("a\ud800b")).toBe("a\ufffdb");
  });
});
