import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareKeys } from "../../../../src/core/record/compare-keys.ts";
import { rangeOfArc, tagRange } from "../../../../src/core/record/key-ranges.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import {
  circle,
  positionOfKey,
  type RingPosition,
} from "../../../../src/core/ring/ring-position.ts";
import { scanArcs } from "../../../../src/peer/swarm/replication/scan-arcs.ts";
import type { KeyRange, StoreEntry } from "../../../../src/ports/store.ts";

/** Places on the circle that keys and arcs share, so that keys fall on the bounds of arcs too. */
const places = 60;

function positionAt(place: number): RingPosition {
  return Math.floor((circle / places) * place) as RingPosition;
}

function arcsOf(bounds: readonly number[]): ArcSet {
  const rising = [...new Set(bounds)].sort((a, b) => a - b);
  const pairs = Array.from({ length: rising.length >> 1 }, (_, n) =>
    rising.slice(n * 2, n * 2 + 2),
  );
  return ArcSet.of(
    pairs.map(([from = 0, to = 0]) => ({ from: positionAt(from), to: positionAt(to) })),
  );
}

class Rows {
  readonly rows: readonly StoreEntry[];
  asked = 0;
  given = 0;

  constructor(placesOfRows: readonly number[], bytes = 1) {
    const keys = placesOfRows.map((place, n) => {
      const { gte } = rangeOfArc("queue", { from: positionAt(place), to: circle });
      return Uint8Array.of(...gte, n >> 8, n & 255);
    });
    const value = new Uint8Array(bytes);
    this.rows = keys.sort(compareKeys).map((key) => ({ key, value }));
  }

  range({ gte, lt }: KeyRange, limit: number, bytesMax = Infinity): Promise<StoreEntry[]> {
    this.asked += 1;
    const within = this.rows.filter(
      ({ key }) => compareKeys(key, gte) >= 0 && compareKeys(key, lt) < 0,
    );
    let bytes = 0;
    const last = within.findIndex(
      ({ key, value }) => (bytes += key.length + value.length) >= bytesMax,
    );
    const page = within.slice(0, last === -1 ? limit : Math.min(limit, last + 1));
    this.given += page.length;
    return Promise.resolve(page);
  }
}

async function all(rows: Rows, arcs: ArcSet, within?: KeyRange): Promise<Uint8Array[]> {
  const keys: Uint8Array[] = [];
  for await (const { key } of scanArcs(rows, "queue", arcs, within)) keys.push(key);
  return keys;
}

const place = fc.nat({ max: places - 1 });
const bound = fc.nat({ max: places });

describe("scanArcs", () => {
  it("gives the rows within the arcs, in order and once each", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(place, { maxLength: 400 }),
        fc.array(bound, { maxLength: 40 }),
        async (placesOfRows, bounds) => {
          const rows = new Rows(placesOfRows);
          const arcs = arcsOf(bounds);
          const expected = rows.rows.filter(({ key }) => arcs.contains(positionOfKey(key)));
          expect(await all(rows, arcs)).toEqual(expected.map(({ key }) => key));
        },
      ),
      { numRuns: 60 },
    );
  });

  it("stays within a range of keys", async () => {
    const rows = new Rows(Array.from({ length: 200 }, (_, n) => n % places));
    const [gte, lt] = [rows.rows[50]?.key, rows.rows[120]?.key];
    const { gte: first, lt: last } = tagRange("queue");
    const expected = rows.rows.slice(50, 120).map(({ key }) => key);
    expect(await all(rows, ArcSet.whole, { gte: gte ?? first, lt: lt ?? last })).toEqual(expected);
  });

  it("reads once where there is nothing, however many arcs there are", async () => {
    const rows = new Rows([]);
    await all(rows, arcsOf(Array.from({ length: places }, (_, n) => n)));
    expect(rows.asked).toBe(1);
  });

  it("reads long pages where every second arc is another's", async () => {
    const rows = new Rows(Array.from({ length: 6_000 }, (_, n) => n % places));
    const arcs = arcsOf(Array.from({ length: places }, (_, n) => n));
    expect(await all(rows, arcs)).toHaveLength(3_000);
    expect(rows.asked).toBeLessThan(25);
  });

  it("hardly reads of large sites that are another's, and soon reads long pages of its own", async () => {
    // Twenty sites at even places, the one at 20 its own; at odd ones arcs that have no site yet.
    const rows = new Rows(Array.from({ length: 40_000 }, (_, n) => (n % 20) * 2));
    const odd = [1, 3, 5, 7, 9, 11, 13, 15, 17, 23, 25, 27, 29, 31, 33, 35, 37];
    const arcs = arcsOf([...odd.flatMap((at) => [at, at + 1]), 19, 21]);
    expect(await all(rows, arcs)).toHaveLength(2_000);
    expect(rows.asked).toBeLessThan(35);
    expect(rows.given).toBeLessThan(3_000);
  });

  it("reads few rows at a time where they are large", async () => {
    const rows = new Rows(
      Array.from({ length: 100 }, () => 1),
      100_000,
    );
    expect(await all(rows, ArcSet.whole)).toHaveLength(100);
    expect(rows.asked).toBeGreaterThan(10);
  });

  it("reads few large rows also for who wants many", async () => {
    const rows = new Rows(
      Array.from({ length: 100 }, (_, n) => n % places),
      100_000,
    );
    const { done } = await scanArcs(rows, "queue", ArcSet.whole, tagRange("queue"), 500).next();
    expect(done).toBe(false);
    expect(rows.given).toBeLessThan(10);
  });
});
