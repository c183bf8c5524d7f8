import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareKeys } from "../../../../src/core/record/compare-keys.ts";
import {
  decodeRangeDigests,
  encodeRangeDigests,
} from "../../../../src/core/messages/reconciliation.ts";
import { urlKey } from "../../../../src/core/record/url-keys.ts";
import { ArcMap } from "../../../../src/core/ring/arc-map.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import {
  circle,
  positionOfKey,
  type RingPosition,
} from "../../../../src/core/ring/ring-position.ts";
import {
  differencesFrom,
  differingSpans,
  rangeSections,
  readSpan,
  sectionsOfParts,
  wholeSpan,
  type Section,
} from "../../../../src/peer/swarm/replication/range-sections.ts";
import type { KeyRange, StoreEntry } from "../../../../src/ports/store.ts";

/** Buckets of a section here, of 256 rows each. */
const bucketsMax = 2;
const sectionRows = bucketsMax * 256;

/** The three sites' positions on the ring. */
const sites = [1n << 60n, 1n << 61n, 1n << 62n];

/** A row by the place of its site and its number there. */
function rowOf(site: number, number: number): StoreEntry {
  const key = urlKey("url", sites[site] ?? 0n, Uint32Array.of(0, 0, 0, number), 0, 7);
  return { key, value: Uint8Array.of(1) };
}

/** A site's rows, all of so many but those that are left out. */
function siteOf(site: number, count: number, without: readonly number[] = []): StoreEntry[] {
  const numbers = Array.from({ length: count }, (_, number) => number);
  return numbers.filter((number) => !without.includes(number)).map((number) => rowOf(site, number));
}

class Rows {
  readonly rows: readonly StoreEntry[];
  /** Rows that were given out, and how often some were asked for. */
  read = 0;
  turns = 0;

  constructor(...rows: StoreEntry[][]) {
    this.rows = rows.flat().sort((a, b) => compareKeys(a.key, b.key));
  }

  range({ gte, lt }: KeyRange, limit: number): Promise<StoreEntry[]> {
    const start = this.rows.findIndex(({ key }) => compareKeys(key, gte) >= 0);
    const rows = start < 0 ? [] : this.rows.slice(start, start + limit);
    const within = rows.filter(({ key }) => compareKeys(key, lt) < 0);
    this.read += within.length;
    this.turns += 1;
    return Promise.resolve(within);
  }
}

async function sectionsOf(rows: Rows, arcs = ArcSet.whole): Promise<Section[]> {
  const sections: Section[] = [];
  for await (const section of rangeSections(rows, "url", arcs, bucketsMax)) sections.push(section);
  return sections;
}

/** As the other member gets it. */
function received(section: Section): Section {
  const message = decodeRangeDigests(encodeRangeDigests(section));
  if (!message) throw new Error("a section is no message");
  return message;
}

/** The rows here and there of all the spans in which the two differ. */
async function differing(here: Rows, there: Rows): Promise<StoreEntry[]> {
  const rows: StoreEntry[] = [];
  for (const section of await sectionsOf(here)) {
    const differences = await differencesFrom(there, received(section));
    for (const { span } of differingSpans(section, differences)) {
      for (const side of [here, there]) {
        for await (const chunk of readSpan(side, span, 500)) rows.push(...chunk);
      }
    }
  }
  return rows;
}

describe("the sections of a range", () => {
  it("are bounded, however many rows one site has", async () => {
    const sections = await sectionsOf(new Rows(siteOf(0, 5 * sectionRows), siteOf(1, 10)));
    expect(sections.map(({ buckets }) => buckets.length)).toEqual([2, 2, 2, 2, 2, 1]);
    expect(sections.at(-1)?.buckets[0]?.count).toBe(10);
  });

  it("are answered by reading what they speak of, and no row again and again", async () => {
    const rows = [siteOf(0, 4 * sectionRows), siteOf(1, 100)];
    const [here, there] = [new Rows(...rows), new Rows(...rows)];
    const sections = await sectionsOf(here);
    for (const section of sections) {
      expect(await differencesFrom(there, received(section))).toEqual([]);
    }
    expect(there.read).toBe(there.rows.length);
  });

  it.each([
    { name: "some", lacks: (number: number) => number % 8 === 0, turnsMax: 25 },
    { name: "most", lacks: (number: number) => number % 8 !== 0, turnsMax: 12 },
  ])("are answered in few turns where every bucket lacks $name of the rows here", async (given) => {
    const count = 40 * 256;
    const lacking = Array.from({ length: count }, (_, number) => number).filter(given.lacks);
    const there = new Rows(siteOf(0, count));
    const asked: number[] = [];
    const differing: number[] = [];
    for await (const one of rangeSections(
      new Rows(siteOf(0, count, lacking)),
      "url",
      ArcSet.whole,
    )) {
      asked.push(...one.buckets.keys());
      const differences = await differencesFrom(there, received(one));
      differing.push(...differences.map(({ index }) => index));
    }
    expect(differing.length).toBeGreaterThanOrEqual(asked.length - 1);
    expect(there.turns).toBeLessThan(given.turnsMax);
  });

  it("are answered by a few turns of the database each", async () => {
    const rows = siteOf(0, 150 * 256);
    const there = new Rows(rows);
    const turns: number[] = [];
    for await (const section of rangeSections(new Rows(rows), "url", ArcSet.whole)) {
      const before = there.turns;
      expect(await differencesFrom(there, received(section))).toEqual([]);
      turns.push(there.turns - before);
    }
    expect(Math.max(...turns)).toBeLessThan(40);
  });

  it("are answered by a small page where they tell of few rows, and much lies between the arcs", async () => {
    const behind = (positionOfKey(rowOf(0, 0).key) + 1) as RingPosition;
    const arcs = ArcSet.of([{ from: 0 as RingPosition, to: behind }]);
    const there = new Rows(siteOf(0, 3), siteOf(1, 1_000));
    const [section] = await sectionsOf(new Rows(siteOf(0, 3)), arcs);
    if (!section) throw new Error("three rows have no section");
    expect(await differencesFrom(there, received(section))).toEqual([]);
    expect(there.read).toBeLessThan(20);
  });

  it("show every difference, in a site that is in several of them too", async () => {
    const missing = fc.uniqueArray(fc.nat(3 * sectionRows - 1), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(missing, missing, fc.nat(2), async (mine, yours, site) => {
        const others = [siteOf((site + 1) % 3, 300), siteOf((site + 2) % 3, 300)];
        const here = new Rows(siteOf(site, 3 * sectionRows, mine), ...others);
        const there = new Rows(siteOf(site, 3 * sectionRows, yours), ...others);
        const found = new Set((await differing(here, there)).map(({ key }) => String(key)));
        const either = mine.filter((one) => !yours.includes(one));
        either.push(...yours.filter((one) => !mine.includes(one)));
        for (const number of either) expect(found).toContain(String(rowOf(site, number).key));
        if (either.length === 0) expect(found.size).toBe(0);
      }),
      { numRuns: 30 },
    );
  });

  it("differ in one span where neighbouring buckets do, and in no row between", async () => {
    const rows = new Rows(siteOf(0, 6 * 256));
    const sections: Section[] = [];
    for await (const one of rangeSections(rows, "url", ArcSet.whole, 6)) sections.push(one);
    const [section] = sections;
    if (!section) throw new Error("no section");
    const differences = [0, 1, 3, 4, 7].map((index) => ({ index, count: index + 1 }));
    const spans = differingSpans(section, differences);
    expect(spans.map(({ count }) => count)).toEqual([3, 9]);
    const found: StoreEntry[] = [];
    for (const { span } of spans) {
      for await (const chunk of readSpan(rows, span, 1_000)) found.push(...chunk);
    }
    expect(found).toHaveLength(4 * 256);
    expect(found.some(({ key }) => compareKeys(key, rowOf(0, 2 * 256).key) === 0)).toBe(false);
  });

  it("keep to the arcs", async () => {
    const rows = new Rows(...[0, 1, 2].map((site) => siteOf(site, 2 * sectionRows)));
    const [second, third] = [1, 2].map((site) => positionOfKey(rowOf(site, 0).key));
    const arcs = ArcSet.of([
      { from: second ?? circle, to: third ?? circle },
      { from: ((third ?? 0) + 1) as RingPosition, to: circle },
    ]);
    const sections = await sectionsOf(rows, arcs);
    const count = sections
      .flatMap(({ buckets }) => buckets)
      .reduce((sum, one) => sum + one.count, 0);
    expect(count).toBe(2 * sectionRows);
    for (const section of sections) expect(section.arcs.subtract(arcs).isEmpty).toBe(true);
  });

  it("of many parts are those of each one, from one reading of the rows", async () => {
    const count = 3 * sectionRows;
    const key = (number: number): Uint8Array =>
      urlKey("url", BigInt(number >> 1) << 52n, Uint32Array.of(0, 0, 0, number & 1), 0, 7);
    const numbers = Array.from({ length: count }, (_, number) => number);
    const rows = new Rows(numbers.map((number) => ({ key: key(number), value: Uint8Array.of(1) })));
    const parts = [0, 1, 2].map((index) => {
      const sitesOfPart = numbers.filter((number) => number % 6 === 2 * index);
      const arcs = sitesOfPart.map((number) => {
        const from = positionOfKey(key(number));
        return { from, to: (from + 1) as RingPosition };
      });
      return { arcs: ArcSet.of(arcs), sections: [] as Section[] };
    });
    const map = new ArcMap<(typeof parts)[number]>();
    for (const part of parts) map.set(part.arcs, part);
    const { signal } = new AbortController();
    for await (const { part, section } of sectionsOfParts(rows, "url", map, signal, bucketsMax)) {
      part.sections.push(section);
    }
    expect(rows.read).toBe(count);
    for (const { arcs, sections } of parts) {
      expect(sections).toEqual(await sectionsOf(rows, arcs));
      expect(sections.length).toBeGreaterThan(1);
    }
  });

  it("of many parts end with the signal", async () => {
    const map = new ArcMap<{ readonly arcs: ArcSet }>();
    map.set(ArcSet.whole, { arcs: ArcSet.whole });
    const rows = new Rows(siteOf(0, 5 * sectionRows));
    const sections = sectionsOfParts(rows, "url", map, AbortSignal.abort(), bucketsMax);
    expect((await sections.next()).done).toBe(true);
    expect(rows.read).toBeLessThan(sectionRows);
  });

  it.each([
    { name: "nothing", kept: [], differing: [0] },
    {
      name: "some rows",
      kept: siteOf(0, 30_000).filter((_, at) => at % 100 === 0),
      differing: [0, 1],
    },
  ])("are answered in time by a member that has far more ($name here)", async (given) => {
    const there = new Rows(siteOf(0, 30_000));
    const [section] = await sectionsOf(new Rows(given.kept));
    const differences = section && (await differencesFrom(there, received(section)));
    expect(differences?.map(({ index }) => index)).toEqual(given.differing);
    expect(there.read).toBeLessThan(1_500);
  });
});

describe("the rows of a span", () => {
  const large = 512 * 1_024 - rowOf(0, 0).key.length;

  it.each([
    ["rows", 3, 1, [3, 3, 1]],
    ["bytes", 500, large, [2, 2, 2, 1]],
  ])("come in chunks of so many %s", async (_, limit, bytes, expected) => {
    const value = new Uint8Array(bytes);
    const rows = new Rows(siteOf(0, 7).map(({ key }) => ({ key, value })));
    const lengths: number[] = [];
    for await (const chunk of readSpan(rows, wholeSpan("url", ArcSet.whole), limit)) {
      lengths.push(chunk.length);
    }
    expect(lengths).toEqual(expected);
  });
});
