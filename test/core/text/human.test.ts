import { describe, expect, it } from "vitest";
import {
  counted,
  formatBytes,
  formatClock,
  formatCount,
  formatDuration,
  formatRate,
  formatShare,
} from "../../../src/core/text/human.ts";

describe("numbers for people", () => {
  it.each([
    [0, "0"],
    [999, "999"],
    [1_000, "1,000"],
    [1_234_567.6, "1,234,568"],
  ])("writes the count %d as %s", (value, text) => {
    expect(formatCount(value)).toBe(text);
  });

  it.each([
    [0, "0"],
    [NaN, "0"],
    [0.0049, "0"],
    [0.005, "0.01"],
    [0.346, "0.35"],
    [4.25, "4.3"],
    [9.96, "10"],
    [1_234.4, "1,234"],
  ])("writes the rate %d as %s", (value, text) => {
    expect(formatRate(value)).toBe(text);
  });

  it.each([
    [0, "0 B"],
    [1_023, "1,023 B"],
    [1_024, "1.0 KiB"],
    [1_048_575, "1.0 MiB"],
    [123_456_789, "117.7 MiB"],
    [5 * 1_024 ** 4, "5.0 TiB"],
    [2_000 * 1_024 ** 5, "2000.0 PiB"],
  ])("writes %d bytes as %s", (value, text) => {
    expect(formatBytes(value)).toBe(text);
  });

  it.each([
    [-5, "0.0 s"],
    [4_200, "4.2 s"],
    [59_949, "59.9 s"],
    [59_950, "1 min 0 s"],
    [200_000, "3 min 20 s"],
    [3_599_999, "1 h 0 min"],
    [7_500_000, "2 h 5 min"],
    [100 * 3_600_000, "4 d 4 h"],
  ])("writes %d ms as %s", (value, text) => {
    expect(formatDuration(value)).toBe(text);
  });

  it.each([
    [0, "00:00:00"],
    [83_999, "00:01:23"],
    [360_000_000, "100:00:00"],
  ])("shows %d ms on a clock as %s", (value, text) => {
    expect(formatClock(value)).toBe(text);
  });

  it.each([
    [0, "0.00%"],
    [0.004_9, "0.49%"],
    [0.973_4, "97.3%"],
    [1, "100.0%"],
  ])("writes the share %d as %s", (value, text) => {
    expect(formatShare(value)).toBe(text);
  });

  it("counts one thing and many", () => {
    expect([counted(1, "page"), counted(0, "page"), counted(2_000, "entry", "entries")]).toEqual([
      "1 page",
      "0 pages",
      "2,000 entries",
    ]);
  });
});
