import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import { compareKeys } from "../../../../src/core/record/compare-keys.ts";
import type { Row } from "../../../../src/core/messages/rows.ts";
import { territorialTags } from "../../../../src/core/record/key-tags.ts";
import { urlKey } from "../../../../src/core/record/url-keys.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import {
  differencesFrom,
  unknownRows,
} from "../../../../src/peer/swarm/replication/range-sections.ts";
import { RangeSync } from "../../../../src/peer/swarm/replication/range-sync.ts";
import type { KeyRange, StoreEntry } from "../../../../src/ports/store.ts";

import { CopyBench, oneHalf, signal, streamOf } from "./copy-bench.ts";

/** Rows of one site by their numbers; of two rows of one number the higher value is the later one. */
class Side {
  readonly values: Map<number, number>;
  /** Rows that came from the other side. */
  came = 0;

  constructor(values: ReadonlyMap<number, number>) {
    this.values = new Map(values);
  }

  readonly range = ({ gte, lt }: KeyRange, limit: number): Promise<StoreEntry[]> => {
    const rows = [...this.values]
      .sort(([a], [b]) => a - b)
      .map(([number, value]) => ({ key: numbered(number), value: Uint8Array.of(value) }))
      .filter(({ key }) => compareKeys(key, gte) >= 0 && compareKeys(key, lt) < 0);
    return Promise.resolve(rows.slice(0, limit));
  };

  /** Takes rows in; says how many. */
  readonly merge = (rows: readonly Row[]): Promise<number> => {
    for (const { key, value } of rows) {
      const number = new DataView(key.buffer, key.byteOffset).getUint32(numberAt);
      this.values.set(number, Math.max(value?.[0] ?? 0, this.values.get(number) ?? 0));
      this.came += 1;
    }
    return Promise.resolve(rows.length);
  };
}

/** Where the number stands in a key. */
const numberAt = numbered(0xabcdef12).findIndex((byte) => byte === 0xab);

function numbered(number: number): Uint8Array {
  return urlKey("url", 1n << 60n, Uint32Array.of(number, 0, 0, 0), 0, 7);
}

/** Makes two sides equal; `tags` gathers the kinds of rows that were compared, and `room` resolves when copies have room. */
async function reconcile(
  here: Side,
  there: Side,
  tags = new Set<string>(),
  room: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const clock = new VirtualClock();
  const stream = streamOf(clock);
  const sync = new RangeSync(
    {
      clock,
      store: here,
      calls: {
        digests: (_, section) => {
          tags.add(section.tag);
          return differencesFrom(there, section);
        },
        pull: async (_, asked) => ({ ...(await unknownRows(there, asked)), behindMs: 0 }),
        synced: () => Promise.resolve(true),
      },
    },
    {
      journal: { flushed: () => Promise.resolve(), observe: () => undefined },
      keeper: {
        take: (rows) => here.merge(rows),
        underWay: () => new Set(),
      },
      replicator: {
        copy: async (_, rows) => {
          await there.merge(rows);
        },
        drained: () => Promise.resolve(),
        room,
        stream: () => stream,
        sequence: 0,
      },
      greet: () => Promise.resolve(true),
    },
  );
  await clock.run(sync.run(stream, ArcSet.whole, signal));
}

/** Rows of so many numbers, all of one value, but for those of other values; 0 for none at all. */
function table(count: number, others: ReadonlyMap<number, number>): Map<number, number> {
  const values = new Map<number, number>(Array.from({ length: count }, (_, number) => [number, 9]));
  for (const [number, value] of others) {
    if (value > 0) values.set(number, value);
    else values.delete(number);
  }
  return values;
}

describe("two copies", () => {
  const others = fc
    .array(fc.tuple(fc.nat(2_600), fc.nat(20)), { maxLength: 5 })
    .map((pairs) => new Map(pairs));

  it("become equal by the exchange of what differs alone", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(2_600), others, others, async (count, mine, yours) => {
        const [here, there] = [new Side(table(count, mine)), new Side(table(count, yours))];
        await reconcile(here, there);
        expect(new Map([...there.values].sort())).toEqual(new Map([...here.values].sort()));
        const differing = new Set([...mine.keys(), ...yours.keys()]).size;
        // Where the other side has nothing in a range, it is told of the whole one.
        expect(here.came).toBeLessThanOrEqual(differing);
        if (count > 0) expect(there.came).toBeLessThanOrEqual(differing);
      }),
      { numRuns: 50 },
    );
  });

  it("are compared in rows of every kind, where one has none as well", async () => {
    const tags = new Set<string>();
    await reconcile(new Side(new Map()), new Side(new Map()), tags);
    expect([...tags].sort()).toEqual([...territorialTags].sort());
  });

  it("exchange nothing twice where more is missing than one answer holds", async () => {
    const odd = Array.from({ length: 700 }, (_, at) => [2 * at + 1, 0] as const);
    const here = new Side(table(1_500, new Map([...odd, [1_499, 5]])));
    const there = new Side(table(1_499, new Map([[1_490, 5]])));
    await reconcile(here, there);
    expect(there.values).toEqual(here.values);
    // 700 rows, and the older one; the younger one, and the last.
    expect({ here: here.came, there: there.came }).toEqual({ here: 701, there: 2 });
  });

  it("take each answer in when the copies of what is here have room", async () => {
    const [here, there] = [new Side(table(3, new Map())), new Side(table(703, new Map()))];
    const came: number[] = [];
    await reconcile(here, there, new Set(), async () => {
      came.push(here.came);
      await new Promise(setImmediate);
      came.push(here.came);
    });
    expect(came).toEqual([0, 0, 500, 500]);
  });

  it("become equal where one has many times the rows of a question, and the other one few", async () => {
    for (const [few, many] of [
      [0, 5_000],
      [3, 5_000],
      [700, 9_000],
    ] as const) {
      const some = table(few, new Map([[1, 3]]));
      const [one, other] = [new Side(some), new Side(table(many, new Map()))];
      await reconcile(one, other);
      expect(one.values).toEqual(other.values);
      const [third, fourth] = [new Side(table(many, new Map())), new Side(some)];
      await reconcile(third, fourth);
      expect(fourth.values.size).toBe(many);
      expect(new Set(fourth.values.values())).toEqual(new Set([9]));
    }
    const [here, nothing] = [new Side(table(700, new Map())), new Side(new Map())];
    await reconcile(here, nothing);
    expect(nothing.values).toEqual(here.values);
  });
});

describe("RangeSync", () => {
  it("copies every row", async () => {
    const bench = new CopyBench();
    await bench.run({});
    expect(bench.copied.map(({ key }) => key)).toEqual(
      expect.arrayContaining([bench.changing, bench.still]),
    );
  });

  it("copies a row that was on its way into the database when the stream took its arc up", async () => {
    const bench = new CopyBench();
    await bench.run({ unwritten: [bench.changing] });
    expect(bench.copied.map(({ key }) => key)).toContainEqual(bench.changing);
  });

  it("leaves out a row that changes meanwhile, as its change goes its own way", async () => {
    const bench = new CopyBench();
    await bench.run({ onRead: bench.change });
    expect(bench.copied.map(({ key }) => key)).toEqual([bench.still]);
  });

  it("notes nothing any more of what changes behind its readings", async () => {
    const bench = new CopyBench();
    await bench.run({});
    bench.change();
    expect(new Set(bench.noted.map(({ size }) => size))).toEqual(new Set([0]));
  });

  it("leaves out a row whose change is on its way into the database", async () => {
    const bench = new CopyBench();
    await bench.run({ underWay: [bench.changing] });
    expect(bench.copied.map(({ key }) => key)).toEqual([bench.still]);
  });

  it("calls no copy complete of which changes went elsewhere for a while", async () => {
    const bench = new CopyBench();
    const stream = await bench.run({
      onRead: (read) => {
        read.keepOnly(ArcSet.empty);
        read.goLive(ArcSet.whole, 1);
      },
    });
    expect(stream.synced.share).toBe(0);
  });

  it("tells the other member anew that its copy is complete where that is doubted meanwhile", async () => {
    const bench = new CopyBench();
    const stream = await bench.run({
      onTold: (told) => {
        if (told.doubts === 0) told.doubt(ArcSet.whole);
      },
    });
    expect(bench.told).toHaveLength(2);
    expect(stream.synced.share).toBe(1);
  });

  it("calls a copy complete when the other member has all that was sent", async () => {
    const bench = new CopyBench();
    await bench.run({});
    expect(bench.steps.slice(-2)).toEqual(["drained", "told"]);
  });

  it("compares records behind the queues and links, and exclusions behind the records", async () => {
    const bench = new CopyBench();
    await bench.run({});
    const tags = ["queue", "outbox", "url", "exclusion"];
    const steps = bench.steps.filter((step) => tags.some((tag) => step.startsWith(`${tag} `)));
    expect(steps).toEqual(tags.flatMap((tag) => [`${tag} asked`, `${tag} compared`]));
  });

  it("calls a copy complete where all changes went to it alone", async () => {
    const bench = new CopyBench();
    const stream = await bench.run({
      onRead: (read) => {
        read.keepOnly(oneHalf);
        read.goLive(ArcSet.whole, 1);
      },
    });
    expect(bench.told.map((arcs) => arcs.equals(oneHalf))).toEqual([true]);
    expect(stream.synced.equals(oneHalf)).toBe(true);
    expect(bench.inVain.isEmpty).toBe(true);
  });

  it("says what the other member was told of in vain, as changes went elsewhere by then", async () => {
    const bench = new CopyBench();
    const stream = await bench.run({ onTold: (told) => told.keepOnly(oneHalf) });
    expect(stream.synced.equals(oneHalf)).toBe(true);
    expect(bench.inVain.equals(ArcSet.whole.subtract(oneHalf))).toBe(true);
  });

  it("says so of all where the copy was not wanted any more before there was an answer", async () => {
    const bench = new CopyBench();
    const stream = await bench.run({
      onTold: (told) => told.doubt(ArcSet.whole),
      isWanted: () => bench.told.length === 0,
    });
    expect(stream.synced.isEmpty).toBe(true);
    expect(bench.inVain.equals(ArcSet.whole)).toBe(true);
  });
});
