import { crc32, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { gzipHeadBytes, isGzipFootOf } from "../../../src/core/net/gzip-member.ts";

const plain = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];

/** The plain head with these flags, and `more` behind it. */
function head(flags: number, more: readonly number[]): Uint8Array {
  return Uint8Array.from([...plain.slice(0, 3), flags, ...plain.slice(4), ...more]);
}

describe("gzipHeadBytes", () => {
  it.each([
    ["a plain head", head(0, []), 10],
    ["one with data behind it", head(0, [1, 2, 3]), 10],
    ["one with an extra field", head(4, [2, 0, 8, 9]), 14],
    ["one with a name", head(8, [65, 66, 0]), 13],
    ["one with all that there may be", head(30, [1, 0, 7, 65, 0, 66, 67, 0, 1, 2]), 20],
    ["a part of one", head(0, []).subarray(0, 9), undefined],
    ["a name without an end", head(8, [65, 66]), undefined],
    ["an extra field without an end", head(4, [9, 0, 1]), undefined],
    ["text", Buffer.from("<!-- made in 3 ms -->"), undefined],
  ])("of %s", (_what, bytes, length) => {
    expect(gzipHeadBytes(bytes)).toBe(length);
  });
});

describe("isGzipFootOf", () => {
  it("knows the foot of the data and no other", () => {
    const foot = gzipSync("night").subarray(-8);
    expect(isGzipFootOf(foot, crc32("night"), 5)).toBe(true);
    expect(isGzipFootOf(foot, crc32("light"), 5)).toBe(false);
    expect(isGzipFootOf(foot, crc32("night"), 6)).toBe(false);
  });
});
