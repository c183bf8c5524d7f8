import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HostRecord, RobotsRecord } from "../../../src/core/record/record.pb.ts";
import { mergedTags, mergeRow } from "../../../src/core/replication/merge-row.ts";
import { shiftHost, shiftRobots } from "../../../src/core/replication/shift-row.ts";
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
    expect(shiftHost(record, 10_000)).toEqual({
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
    const fresh = HostRecord.decode(HostRecord.encode({ host: "h" }));
    const shifted = shiftHost({ ...fresh, politeUntilMs: 40 }, -100);
    expect(shifted).toMatchObject({ nextFetchAtMs: 0, politeUntilMs: 0 });
    expect(shiftHost(fresh, 100).nextFetchAtMs).toBe(0);
  });

  it("has a robots.txt as old as it was", () => {
    const record = { origin: "o", verdict: "allow-all", fetchedAtMs: 5, expiresAtMs: 9 };
    const robots = RobotsRecord.decode(RobotsRecord.encode(record));
    expect(shiftRobots(robots, 3)).toEqual({ ...robots, fetchedAtMs: 8, expiresAtMs: 12 });
  });

  it.each(mergedTags)("is still a %s row in its normal form", (tag) => {
    fc.assert(
      fc.property(arbitraryValues[tag], fc.integer({ min: -5_000, max: 5_000 }), (value, byMs) => {
        const merged = mergeRow(tag, undefined, value, byMs);
        expect(mergeRow(tag, merged?.value, merged?.value ?? value)?.changed).toBe(false);
        expect(mergeRow(tag, undefined, merged?.value ?? value)?.value).toEqual(merged?.value);
      }),
    );
  });

  it("moves with its host and its robots.txt when it is merged, and with nothing else", () => {
    const moving = mergedTags.filter((tag) => {
      const [value = Uint8Array.of()] = fc.sample(arbitraryValues[tag], { numRuns: 1, seed: 3 });
      const [there, here] = [0, 5].map((byMs) => mergeRow(tag, undefined, value, byMs)?.value);
      return Buffer.compare(there ?? value, here ?? value) !== 0;
    });
    expect(moving).toEqual(["host", "robots"]);
  });
});
