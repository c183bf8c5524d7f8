import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRetryAfter } from "../../../src/core/politeness/retry-after.ts";

/** The moment of RFC 9110's examples. */
const exampleMs = Date.UTC(1994, 10, 6, 8, 49, 37);

describe("parseRetryAfter", () => {
  it.each([
    ["0", 0],
    ["120", 120_000],
    ["  7 ", 7_000],
    ["39.9", 40_000],
    ["3.", 3_000],
    ["99999999999999999999", 2 ** 31 * 1_000],
  ])("reads %j as seconds", (value, expected) => {
    expect(parseRetryAfter(value, exampleMs)).toBe(expected);
  });

  it.each([
    "Sun, 06 Nov 1994 08:49:37 GMT",
    "Sunday, 06-Nov-94 08:49:37 GMT",
    "Sun Nov  6 08:49:37 1994",
    "sun, 06 nov 1994 08:49:37 gmt",
    "Sun, 6 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:37 UTC",
    "Sun, 06 Nov 1994 08:49:37 -0000",
  ])("reads the date %j", (value) => {
    expect(parseRetryAfter(value, exampleMs - 90_000)).toBe(90_000);
  });

  it.each([
    "90, 90",
    "90,60",
    "30,soon, 90",
    "60, Sun, 06 Nov 1994 08:49:37 GMT",
    "Sun, 6 Nov 1994 08:49:37 GMT,Sunday, 06-Nov-94 08:49:36 GMT, 1",
    "Sun Nov  6 08:49:37 1994, 0",
  ])("takes the longest of the values %j", (value) => {
    expect(parseRetryAfter(value, exampleMs - 90_000)).toBe(90_000);
  });

  it("takes a date in the past as no wait", () => {
    expect(parseRetryAfter("Sun, 06 Nov 1994 08:49:37 GMT", exampleMs + 1)).toBe(0);
  });

  it.each([
    ["is behind ours", -600_000, 90_000],
    ["is ahead of ours", 600_000, 90_000],
    ["says nothing", undefined, 30_000],
  ])("counts a date by the server's clock, where that %s", (_, aheadMs, expected) => {
    const nowMs = exampleMs - (aheadMs === undefined ? 30_000 : aheadMs + 90_000);
    const sent = aheadMs === undefined ? "now" : new Date(nowMs + aheadMs).toUTCString();
    expect(parseRetryAfter("Sun, 06 Nov 1994 08:49:37 GMT", nowMs, sent)).toBe(expected);
  });

  it("reads a leap second as the one after it", () => {
    const nowMs = Date.UTC(2016, 11, 31, 23, 59);
    expect(parseRetryAfter("Sat, 31 Dec 2016 23:59:60 GMT", nowMs)).toBe(60_000);
  });

  it("takes a two-digit year as the nearest one not more than 50 years ahead", () => {
    const nowMs = Date.UTC(2026, 0, 1);
    expect(parseRetryAfter("Friday, 01-Jan-27 00:00:00 GMT", nowMs)).toBe(365 * 86_400_000);
    expect(parseRetryAfter("Wednesday, 01-Jan-76 00:00:00 GMT", nowMs)).toBeGreaterThan(0);
    expect(parseRetryAfter("Saturday, 01-Jan-77 00:00:00 GMT", nowMs)).toBe(0);
  });

  it.each([
    "",
    "soon",
    "-1",
    ".5",
    "1.5.2",
    "0x10",
    "12 s",
    "Sun, 06 Foo 1994 08:49:37 GMT",
    "Sun, 32 Nov 1994 08:49:37 GMT",
    "Sun, 00 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 24:49:37 GMT",
    "Sun, 06 Nov 1994 08:60:37 GMT",
    "Sun, 06 Nov 1994 08:49:61 GMT",
    "Sun, 06 Nov 1994 08:49:37",
    "Sun, 06 Nov 1994 08:49:37 +0100",
    "1994-11-06T08:49:37Z",
    "1".repeat(65),
  ])("makes nothing of %j", (value) => {
    expect(parseRetryAfter(value, exampleMs)).toBeUndefined();
  });

  it("reads back every moment that is written as an HTTP date", () => {
    const seconds = fc.integer({ min: 0, max: 4_000_000_000 });
    fc.assert(
      fc.property(seconds, seconds, (now, then) => {
        const date = new Date(then * 1_000).toUTCString();
        expect(parseRetryAfter(date, now * 1_000)).toBe(Math.max(0, then - now) * 1_000);
      }),
    );
  });

  it("never fails, and never asks for less than no wait", () => {
    const piece = fc.constantFrom("0", "12", "59", ":", ",", "-", " ", "Sun", "Nov", "GMT");
    const value = fc.oneof(fc.string(), fc.string({ unit: piece, maxLength: 20 }));
    fc.assert(
      fc.property(value, (text) => {
        const waitMs = parseRetryAfter(text, exampleMs) ?? 0;
        expect(waitMs).toBeGreaterThanOrEqual(0);
        expect(Number.isFinite(waitMs)).toBe(true);
      }),
    );
  });
});
