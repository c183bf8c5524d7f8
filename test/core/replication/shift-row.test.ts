import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { territorialTags } from "../../../src/core/record/keys.ts";
import { HostRecord, RobotsRecord } from "../../../src/core/record/record.pb.ts";
import { mergeRow } from "../../../src/core/replication/merge-row.ts";
import { shiftHost, shiftRobots, shiftRow } from "../../../src/core/replication/shift-row.ts";
import { arbitraryValues } from "./rows.ts";

describe("a row under another clock", () => {
  it("has a host's gates as far ahead as they were", () => {
    const record = {
      host: "h",
      nextFetchAtMs: 1_500,
      haltedUntilMs: 1_100,
      politeUntilMs: 1_200,
      backoffUntilMs: 1_300,
      breakerUntilMs: 1_400,
      crawlDelayMs: 50,
      breakerBuckets: [{ startAtMs: 900, total: 1, failed: 1 }],
      failuresInRow: 3,
      jobs: [{ space: 1, admitted: 1 }],
    };
    const shifted = HostRecord.decode(shiftHost(HostRecord.encode(record), 10_000));
    expect(shifted).toEqual({
      ...record,
      nextFetchAtMs: 11_500,
      haltedUntilMs: 11_100,
      politeUntilMs: 11_200,
      backoffUntilMs: 11_300,
      breakerUntilMs: 11_400,
      breakerBuckets: [{ startAtMs: 10_900, total: 1, failed: 1 }],
    });
  });

  it("keeps what never was at never, and goes below no clock's zero", () => {
    const shifted = HostRecord.decode(
      shiftHost(HostRecord.encode({ host: "h", politeUntilMs: 40 }), -100),
    );
    expect(shifted).toMatchObject({ nextFetchAtMs: 0, politeUntilMs: 0 });
    const later = HostRecord.decode(shiftHost(HostRecord.encode({ host: "h" }), 100));
    expect(later.nextFetchAtMs).toBe(0);
  });

  it("has a robots.txt as old as it was", () => {
    const record = { origin: "o", verdict: "allow-all", fetchedAtMs: 5, expiresAtMs: 9 };
    const shifted = RobotsRecord.decode(shiftRobots(RobotsRecord.encode(record), 3));
    expect(shifted).toMatchObject({ fetchedAtMs: 8, expiresAtMs: 12 });
  });

  it.each(territorialTags)("is still a %s row, and the same where the clocks agree", (tag) => {
    fc.assert(
      fc.property(arbitraryValues[tag], fc.integer({ min: -5_000, max: 5_000 }), (value, byMs) => {
        expect(shiftRow(tag, value, 0)).toBe(value);
        expect(mergeRow(tag, undefined, shiftRow(tag, value, byMs))).toBeDefined();
      }),
    );
  });

  it("leaves alone what is no gate, and what is no row", () => {
    const noise = Uint8Array.of(0xff, 0xff);
    expect(shiftRow("host", noise, 5)).toEqual(noise);
    expect(shiftRow("robots", noise, 5)).toEqual(noise);
    const [url = noise] = fc.sample(arbitraryValues.url, { numRuns: 1, seed: 1 });
    expect(shiftRow("url", url, 5)).toEqual(url);
  });
});
