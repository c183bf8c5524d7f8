import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import { compareKeys } from "../../../../src/core/record/compare-keys.ts";
import type { Row } from "../../../../src/core/messages/rows.ts";
import { hostAddress, hostKey, territorialTags, urlKey } from "../../../../src/core/record/keys.ts";
import { idOf } from "../../../../src/core/record/id-of.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import { circle, type RingPosition } from "../../../../src/core/ring/ring-position.ts";
import type { HostName, MemberId, SiteName } from "../../../../src/core/units.ts";
import {
  differencesFrom,
  unknownRows,
} from "../../../../src/peer/swarm/replication/range-sections.ts";
import { RangeSync } from "../../../../src/peer/swarm/replication/range-sync.ts";
import {
  ReplicaStream,
  defaultReplicaStreamOptions,
} from "../../../../src/peer/swarm/replication/replica-stream.ts";
import type { KeyRange, StoreEntry, StoreOp } from "../../../../src/ports/store.ts";

const member = "b" as MemberId;
const signal = new AbortController().signal;
const oneHalf = ArcSet.of([{ from: 0 as RingPosition, to: (circle / 2) as RingPosition }]);

function keyOf(host: string): Uint8Array {
  return hostKey("host", hostAddress("a.example" as SiteName, host as HostName));
}

function streamOf(clock: VirtualClock): ReplicaStream {
  const stream = new ReplicaStream(
    { member, generation: 1 },
    clock,
    () => Promise.resolve({ kind: "reply", payload: new Uint8Array(0) }),
    defaultReplicaStreamOptions,
    () => undefined,
  );
  stream.release(Infinity);
  return stream;
}

/** One member's rows of two hosts, one of which changes at a moment of the copy. */
class CopyBench {
  readonly changing = keyOf("changing.a.example");
  readonly still = keyOf("still.a.example");
  /** Rows that the copy sent. */
  readonly copied: Row[] = [];
  /** Of which arcs the other member was told that its copy is complete, each time. */
  readonly told: ArcSet[] = [];
  /** What was compared, and when the rows sent so far were at the other member, as it came about. */
  readonly steps: string[] = [];
  /** What it was told of in vain. */
  inVain = ArcSet.empty;
  /** What was noted as changed at each reading. */
  readonly noted: Set<string>[] = [];
  #unwritten: readonly Uint8Array[] = [];
  #observe: (ops: readonly StoreOp[]) => void = () => undefined;

  /**
   * Copies all; `onRead` is called while rows are read, `onTold` when the other member has been told that it has them,
   * and rows that are `underWay` cannot be read yet. Those that are `unwritten` can be when the journal is flushed. The copy
   * is wanted while it `isWanted`.
   */
  async run(moments: {
    readonly onRead?: (stream: ReplicaStream) => void;
    readonly onTold?: (stream: ReplicaStream) => void;
    readonly underWay?: readonly Uint8Array[];
    readonly unwritten?: readonly Uint8Array[];
    readonly isWanted?: () => boolean;
  }): Promise<ReplicaStream> {
    this.#unwritten = moments.unwritten ?? [];
    const clock = new VirtualClock();
    const stream = streamOf(clock);
    stream.goLive(ArcSet.whole, 0);
    const sync = new RangeSync(
      {
        clock,
        store: {
          range: (range, limit) => this.#range(range, limit, () => moments.onRead?.(stream)),
        },
        calls: {
          digests: async (_, { tag }) => {
            this.steps.push(`${tag} asked`);
            await clock.sleep(10);
            this.steps.push(`${tag} compared`);
            return [];
          },
          pull: () => Promise.resolve(undefined),
          synced: (_, arcs) => {
            this.told.push(arcs);
            this.steps.push("told");
            moments.onTold?.(stream);
            return Promise.resolve(true);
          },
        },
      },
      {
        journal: {
          flushed: () => Promise.resolve(void (this.#unwritten = [])),
          observe: (observer) => {
            this.#observe = (ops) => observer(ops, Promise.resolve());
          },
        },
        keeper: {
          take: () => Promise.resolve(0),
          underWay: () => {
            this.noted.push(new Set((moments.underWay ?? []).map(idOf)));
            return this.noted.at(-1) ?? new Set();
          },
        },
        replicator: {
          copy: (_, rows) => Promise.resolve(void this.copied.push(...rows)),
          drained: async () => {
            await clock.sleep(10);
            this.steps.push("drained");
          },
          room: () => Promise.resolve(),
          stream: () => (moments.isWanted?.() === false ? undefined : stream),
          sequence: 0,
        },
        greet: () => Promise.resolve(true),
      },
    );
    this.inVain = await clock.run(sync.run(stream, ArcSet.whole, signal));
    return stream;
  }

  /** The journal takes a change in, which cannot be read yet. */
  readonly change = (): void => {
    this.#observe([{ type: "put", key: this.changing, value: Uint8Array.of(1) }]);
  };

  #range(range: KeyRange, limit: number, onRead?: () => void): Promise<StoreEntry[]> {
    onRead?.();
    const rows = [this.changing, this.still]
      .filter((key) => !this.#unwritten.includes(key))
      .toSorted(compareKeys)
      .map((key) => ({ key, value: Uint8Array.of(0) }))
      .filter(({ key }) => compareKeys(key, range.gte) >= 0 && compareKeys(key, range.lt) < 0);
    return Promise.resolve(rows.slice(0, limit));
  }
}

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
