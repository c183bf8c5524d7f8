import { expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import { compareKeys } from "../../../../src/core/record/compare-keys.ts";
import { urlKey } from "../../../../src/core/record/url-keys.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import type { MemberId } from "../../../../src/core/units.ts";
import { differencesFrom } from "../../../../src/peer/swarm/replication/range-sections.ts";
import { RangeSync } from "../../../../src/peer/swarm/replication/range-sync.ts";
import {
  ReplicaStream,
  defaultReplicaStreamOptions,
} from "../../../../src/peer/swarm/replication/replica-stream.ts";
import type { KeyRange, StoreEntry } from "../../../../src/ports/store.ts";

type Parts = ConstructorParameters<typeof RangeSync>[0];

/** Of so many URLs that the comparison has many parts. */
const rows = Array.from({ length: 20_000 }, (_, number) => ({
  key: urlKey("url", 1n << 60n, Uint32Array.of(number, 0, 0, 0), 0, 7),
  value: Uint8Array.of(0),
})).toSorted((one, other) => compareKeys(one.key, other.key));

/** The same, but for some that lie far apart. */
const otherRows = rows.map(({ key, value }, index) => ({
  key,
  value: index % 1_000 === 0 ? Uint8Array.of(1) : value,
}));

function storeOf(entries: readonly StoreEntry[]): Parts["store"] {
  const range = ({ gte, lt }: KeyRange, limit: number): Promise<StoreEntry[]> => {
    const within = entries.filter(
      ({ key }) => compareKeys(key, gte) >= 0 && compareKeys(key, lt) < 0,
    );
    return Promise.resolve(within.slice(0, limit));
  };
  return { range };
}

/** Copies all to a member that takes rows; resolves with how long it was tried, and whether the copy is complete. */
async function copyTo(
  clock: VirtualClock,
  parts: Pick<Parts, "store"> & { readonly calls: Omit<Parts["calls"], "synced"> },
): Promise<{ readonly tookMs: number; readonly isComplete: boolean }> {
  const stream = new ReplicaStream(
    { member: "b" as MemberId, generation: 1 },
    clock,
    () => Promise.resolve({ kind: "reply", payload: new Uint8Array(0) }),
    defaultReplicaStreamOptions,
    () => undefined,
  );
  stream.goLive(ArcSet.whole, 0);
  const sync = new RangeSync(
    {
      clock,
      store: parts.store,
      calls: { ...parts.calls, synced: () => Promise.resolve(true) },
    },
    {
      journal: { flushed: () => Promise.resolve(), observe: () => undefined },
      keeper: { take: () => Promise.resolve(0), underWay: () => new Set() },
      replicator: {
        copy: () => Promise.resolve(),
        drained: () => Promise.resolve(),
        room: () => Promise.resolve(),
        stream: () => stream,
        sequence: 0,
      },
      greet: () => Promise.resolve(true),
    },
  );
  const startMs = clock.nowMs();
  await clock.run(sync.run(stream, ArcSet.whole, new AbortController().signal));
  return { tookMs: clock.nowMs() - startMs, isComplete: !stream.synced.isEmpty };
}

it("a member that takes rows and answers no question is left for later", async () => {
  const clock = new VirtualClock();
  const silent = async (): Promise<undefined> => clock.sleep(5_000).then(() => undefined);
  const copy = await copyTo(clock, {
    store: storeOf([]),
    calls: { digests: silent, pull: silent },
  });
  expect(copy.isComplete).toBe(false);
});

it("a member that falls silent in the middle is not waited for at each of many questions", async () => {
  const clock = new VirtualClock();
  const copy = await copyTo(clock, {
    store: storeOf(rows),
    calls: {
      digests: (_, section) => differencesFrom(storeOf(otherRows), section),
      pull: async () => clock.sleep(5_000).then(() => undefined),
    },
  });
  expect(copy.isComplete).toBe(false);
  expect(copy.tookMs).toBeLessThan(2 * 60_000);
});

it("a member that answers now and then is waited for", async () => {
  const clock = new VirtualClock();
  let answersAtMs = 0;
  const copy = await copyTo(clock, {
    store: storeOf([]),
    calls: {
      digests: async () => {
        await clock.sleep(5_000);
        if (clock.nowMs() < answersAtMs) return undefined;
        answersAtMs = clock.nowMs() + 40_000;
        return [];
      },
      pull: () => Promise.resolve(undefined),
    },
  });
  expect(copy.isComplete).toBe(true);
});

it("a member that answers of some kinds of rows alone has no complete copy, however late it does", async () => {
  const clock = new VirtualClock();
  const copy = await copyTo(clock, {
    store: storeOf([]),
    calls: {
      digests: async (_, { tag }) => {
        await clock.sleep(tag === "robots" ? 90_000 : 5_000);
        return tag === "queue" ? undefined : [];
      },
      pull: () => Promise.resolve(undefined),
    },
  });
  expect(copy).toEqual({ isComplete: false, tookMs: 90_000 });
});
