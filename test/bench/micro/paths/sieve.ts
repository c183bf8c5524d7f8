import { rm } from "node:fs/promises";
import { LevelStore } from "../../../../src/adapters/level/level-store.ts";
import type { Load, MicroBenchmark } from "../micro-benchmark.ts";
import { makeBatch, MemoryDedupe, planOffers, roomFor, StoreDedupe } from "../sieve-load.ts";
import type { OfferBatch } from "../sieve-load.ts";

const batchOffers = 1_000;
const memoryOffers = 200_000;
/** The store's log in memory takes them all: how tables are merged is LevelDB's own matter. */
const storeOffers = 80_000;

/** As many offers less than a crawl's as the cache is smaller, so that as many are left to the filter and the store. */
const memoryOptions = { cacheCapacity: 2 ** 14, unsettledOffersMax: 2 ** 14 };
/** A batch commits what the one before it brought: long before its keys can leave the cache. */
const storeOptions = { ...memoryOptions, commitEveryMs: 0, pendingOpsMax: 2_000 };

function batchesOf(offers: number): {
  readonly batches: readonly OfferBatch[];
  readonly distinct: number;
} {
  const { numbers, distinct } = planOffers(offers, false);
  const batches: OfferBatch[] = [];
  for (let first = 0; first < offers; first += batchOffers) {
    const batch = numbers.subarray(first, first + batchOffers);
    batches.push(makeBatch(batch, roomFor(batch.length)));
  }
  return { batches, distinct };
}

function startMemory(): Load {
  const { batches, distinct } = batchesOf(memoryOffers);
  let dedupe = new MemoryDedupe(distinct, memoryOptions);
  return {
    operations: memoryOffers,
    prepare: () => (dedupe = new MemoryDedupe(distinct, memoryOptions)),
    pass: () => {
      for (const batch of batches) dedupe.offer(batch);
      if (dedupe.counts.fresh !== distinct) throw new Error("a URL was lost");
    },
  };
}

/** Each pass has an empty store. */
async function startStore(directory: string): Promise<Load> {
  const { batches, distinct } = batchesOf(storeOffers);
  let store = new LevelStore({ directory });
  await store.start();
  return {
    operations: storeOffers,
    prepare: async () => {
      await store.stop();
      await rm(directory, { recursive: true });
      store = new LevelStore({ directory });
      await store.start();
    },
    pass: async () => {
      const dedupe = new StoreDedupe(store, storeOptions);
      for (const batch of batches) await dedupe.offer(batch);
      await dedupe.end();
      if (dedupe.counts.fresh !== distinct) throw new Error("a URL was lost");
    },
    stop: () => store.stop(),
  };
}

export const benchmarks: readonly MicroBenchmark[] = [
  { name: "sieve/memory", operation: "offer", start: startMemory },
  { name: "sieve/store", operation: "offer", threads: "all", start: startStore },
];
