import { describe, expect, it } from "vitest";
import { commonPrefix } from "../../../src/core/text/common-prefix.ts";

describe("commonPrefix", () => {
  it.each([
    ["", "", 0],
    ["", "a", 0],
    ["abc", "abd", 2],
    ["abc", "abcd", 3],
    ["b", "a", 0],
  ])("of %j and %j has %i characters", (one, other, length) => {
    expect(commonPrefix(one, other)).toBe(length);
    expect(commonPrefix(other, one)).toBe(length);
  });

  it("ends before a character that is shared by half", () => {
    expect(commonPrefix("a\u{1f577}", "a\u{1f578}")).toBe(1);
  });
});
