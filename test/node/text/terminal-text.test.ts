import { describe, expect, it } from "vitest";
import { nearest } from "../../../node/text/nearest.ts";
import { cut, labelled, printable, shellWord, table } from "../../../node/text/terminal-text.ts";

describe("text on a terminal", () => {
  it.each(["\u001b[2J", "a\nb", "\u009b1m", "\u202eabc", "\u2028", "\r", "\ud800", "\u0000"])(
    "lets nothing through that steers it: %j",
    (hostile) => {
      expect(printable(hostile)).toMatch(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]*$/u);
      expect(printable(hostile)).toContain("\ufffd");
    },
  );

  it("leaves what people write as it is", () => {
    expect(printable("Größe – 日本語 ✓")).toBe("Größe – 日本語 ✓");
  });

  it.each([
    ["abcdef", 6, "abcdef"],
    ["abcdef", 5, "abcd…"],
    ["abcdef", 1, "…"],
    ["abcdef", 0, ""],
    ["東京都", 6, "東京都"],
    ["東京都", 5, "東京…"],
    ["東京都", 4, "東…"],
    ["a🕷b🕸", 5, "a🕷b🕸"],
    ["😀😀", 3, "😀…"],
    ["e\u0301te\u0301", 3, "e\u0301te\u0301"],
  ])("cuts %s to %d columns as %s", (text, columns, expected) => {
    expect(cut(text, columns)).toBe(expected);
  });

  it("aligns columns and leaves no spaces at the end", () => {
    const rows = [
      ["NAME", "N", "WHY"],
      ["a", "1,000", ""],
      ["東京", "2", "x"],
    ];
    expect(table(rows, ["left", "right", "left"])).toBe(
      "NAME      N  WHY\na     1,000\n東京      2  x\n",
    );
  });
});

describe("labelled rows", () => {
  it("have their values in one column, leave out what is not known, and steer nothing", () => {
    const rows = [
      ["state", "done"],
      ["why", undefined],
      ["attempts", "a\u001bb"],
    ] as const;
    expect(labelled(rows)).toBe("state     done\nattempts  a\ufffdb\n");
    expect(labelled(rows.slice(0, 1), "  ")).toBe("  state     done\n");
  });
});

describe("a shell's word", () => {
  it.each([
    ["./crawls/a-1", "./crawls/a-1"],
    ["my crawls", "'my crawls'"],
    ["it's", "'it'\\''s'"],
    ["$HOME", "'$HOME'"],
    ["", "''"],
  ])("of %j is %s", (text, word) => {
    expect(shellWord(text)).toBe(word);
  });
});

describe("nearest", () => {
  const words = ["depth", "delay", "data", "max-pages"];
  it.each([
    ["dept", "depth"],
    ["dealy", "delay"],
    ["maxpages", "max-pages"],
    ["date", "data"],
    ["seeds", undefined],
    ["x", undefined],
  ])("takes %s for %s", (word, meant) => {
    expect(nearest(word, words)).toBe(meant);
  });
});
