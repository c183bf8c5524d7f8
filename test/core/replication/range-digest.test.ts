import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InvariantError } from "../../../src/core/errors.ts";
import { compareKeys } from "../../../src/core/record/compare-keys.ts";
import { hostKey, robotsKey } from "../../../src/core/record/host-keys.ts";
import { queueKey } from "../../../src/core/record/queue-keys.ts";
import { tagRange } from "../../../src/core/record/key-ranges.ts";
import { urlKey } from "../../../src/core/record/url-keys.ts";
import type { TerritorialTag } from "../../../src/core/record/key-tags.ts";
import { RobotsRecord } from "../../../src/core/record/record.pb.ts";
import { RangeComparison, RangeDigest } from "../../../src/core/replication/range-digest.ts";
import type { RangeBucket, RangeDifference } from "../../../src/core/replication/range-digest.ts";
import type { OriginName, SiteName } from "../../../src/core/units.ts";

type Row = readonly [key: Uint8Array, value: Uint8Array];

function digest(rows: readonly Row[], size = 3, tag: TerritorialTag = "url"): RangeDigest {
  const digester = new RangeDigest(tag, size);
  for (const [key, value] of rows) digester.add(key, value);
  return digester;
}

function compare(
  buckets: readonly RangeBucket[],
  rows: readonly Row[],
  tag: TerritorialTag = "url",
): readonly RangeDifference[] {
  const comparison = new RangeComparison(tag, buckets);
  for (const [key, value] of rows) comparison.add(key, value);
  return comparison.finish();
}

function keyOf(number: number): Uint8Array {
  return urlKey("url", BigInt(number), Uint32Array.of(1, 2, 3, 4), 0, 5);
}

function rowsOf(values: ReadonlyMap<number, number>): Row[] {
  return [...values]
    .sort(([a], [b]) => a - b)
    .map(([number, value]) => [keyOf(number), Uint8Array.of(value)]);
}

const tables = fc
  .array(fc.tuple(fc.nat(30), fc.nat(1)), { maxLength: 20 })
  .map((pairs) => new Map(pairs));

describe("a digest of ranges", () => {
  it("finds no difference between equal sides, however they are cut", () => {
    fc.assert(
      fc.property(tables, fc.integer({ min: 1, max: 6 }), (table, size) => {
        const rows = rowsOf(table);
        expect(compare(digest(rows, size).finish(), rows)).toEqual([]);
      }),
    );
  });

  it("finds exactly the buckets in which the two sides differ, and what this side has there", () => {
    fc.assert(
      fc.property(tables, tables, fc.integer({ min: 1, max: 6 }), (mine, yours, size) => {
        const buckets = digest(rowsOf(yours), size).finish();
        const expected: RangeDifference[] = [];
        let after: Uint8Array = new Uint8Array(0);
        for (const [index, { lastKey }] of buckets.entries()) {
          const start = after;
          const within = ([key]: Row) =>
            compareKeys(key, start) > 0 && compareKeys(key, lastKey) <= 0;
          const here = rowsOf(mine).filter(within);
          const there = rowsOf(yours).filter(within);
          if (JSON.stringify(here) !== JSON.stringify(there)) {
            expected.push({ index, count: here.length });
          }
          after = lastKey;
        }
        expect(compare(buckets, rowsOf(mine))).toEqual(expected);
      }),
    );
  });

  it("cuts buckets of no more rows than it may, and reaches the tag's end", () => {
    const rows = rowsOf(new Map(Array.from({ length: 7 }, (_, i) => [i, i])));
    const buckets = digest(rows, 3).finish();
    expect(buckets.map(({ count }) => count)).toEqual([3, 3, 1]);
    const last = buckets.at(-1)?.lastKey ?? new Uint8Array(0);
    const highest = urlKey("url", 2n ** 64n - 1n, new Uint32Array(4).fill(0xffff_ffff), 0, 2 ** 30);
    expect(compareKeys(highest, last)).toBeLessThan(0);
    expect(compareKeys(last, tagRange("url").lt)).toBeLessThan(0);
  });

  it("is one empty bucket of no rows, in which the other side's rows are a difference", () => {
    const buckets = digest([]).finish();
    expect(buckets).toMatchObject([{ count: 0, hash: 0n }]);
    expect(compare(buckets, rowsOf(new Map([[1, 1]])))).toEqual([{ index: 0, count: 1 }]);
  });

  it("says from where on there is more to compare once a bucket has more rows than the other side's", () => {
    const buckets = digest(rowsOf(new Map([2, 4, 6, 8].map((i) => [i, 0]))), 2).finish();
    const comparison = new RangeComparison("url", buckets);
    const add = (number: number) => comparison.add(keyOf(number), Uint8Array.of(0));
    expect([1, 2].map(add)).toEqual([true, true]);
    expect(add(3)).toBe(false);
    expect(comparison.resumesBehind).toEqual(keyOf(4));
    expect([6, 8].map(add)).toEqual([true, true]);
    expect(add(9)).toBe(false);
    expect(comparison.resumesBehind).toEqual(buckets.at(-1)?.lastKey);
    expect(comparison.finish()).toEqual([
      { index: 0, count: 3 },
      { index: 2, count: 1 },
    ]);
  });

  it("speaks of nothing behind its full buckets where it is cut off there", () => {
    const rows = rowsOf(new Map(Array.from({ length: 5 }, (_, i) => [i, i])));
    const comparison = new RangeComparison("url", digest(rows, 3).full());
    expect(rows.map(([key, value]) => comparison.add(key, value))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(comparison.finish()).toEqual([]);
  });

  it("takes rows in the order of their keys only", () => {
    const digester = digest(rowsOf(new Map([[2, 0]])));
    expect(() => digester.add(keyOf(1), Uint8Array.of(0))).toThrow(InvariantError);
    expect(() => digester.add(keyOf(2), Uint8Array.of(0))).toThrow(InvariantError);
  });

  it("does not look at what has left a row of a queue", () => {
    const key = queueKey({ position: 1n, hostHash: 2n }, 1, 5, 7, [new Uint8Array(29)]);
    const there = digest([[key, Uint8Array.of(1)]], 3, "queue").finish();
    expect(compare(there, [[key, Uint8Array.of(2)]], "queue")).toEqual([]);
    expect(compare(there, [], "queue")).toEqual([{ index: 0, count: 0 }]);
  });

  it("does not look at clocks: neither at a host's, nor at the times of a robots.txt", () => {
    const host = hostKey("host", { position: 1n, hostHash: 2n });
    const there = digest([[host, Uint8Array.of(1)]], 3, "host").finish();
    expect(compare(there, [[host, Uint8Array.of(2)]], "host")).toEqual([]);
    expect(compare(there, [], "host")).toEqual([{ index: 0, count: 0 }]);

    const robots = robotsKey("a.com" as SiteName, "http://a.com" as OriginName);
    const read = (body: string, fetchedAtMs: number): Row => [
      robots,
      RobotsRecord.encode({
        origin: "o",
        verdict: "rules",
        body,
        fetchedAtMs,
        expiresAtMs: fetchedAtMs + 9,
      }),
    ];
    const buckets = digest([read("a", 1)], 3, "robots").finish();
    expect(compare(buckets, [read("a", 2)], "robots")).toEqual([]);
    expect(compare(buckets, [read("b", 1)], "robots")).toEqual([{ index: 0, count: 1 }]);
  });
});
