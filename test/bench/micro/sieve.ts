/**
 * How many URLs a second go through the dedupe, and whether any is lost.
 *
 *   node test/bench/micro/sieve.ts [URLS] [--far]
 *
 * Offers URLS (default 1,000,000) URL keys, 45% of them repeats, first to the sieve alone, then to the sieve with a
 * LevelStore behind it. At the end every distinct key must stand in the store, exactly once. With --far all repeats are of
 * any key so far, the worst case. `npm run bench:micro` measures the same on less, against stored results.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LevelStore } from "../../../src/adapters/level/level-store.ts";
import { tagRange } from "../../../src/core/record/key-ranges.ts";
import { numberOr, scriptArguments } from "../flags.ts";
import { processMicros, threadMicros } from "./processor-time.ts";
import { makeBatch, MemoryDedupe, planOffers, roomFor, StoreDedupe } from "./sieve-load.ts";
import type { OfferBatch, OfferCounts, OfferPlan } from "./sieve-load.ts";

const { offers, far } = scriptArguments(
  "node test/bench/micro/sieve.ts [URLS] [--far]",
  (words) => ({
    offers: numberOr(
      1_000_000,
      "URLS",
      words.filter((word) => word !== "--far"),
    ),
    far: words.includes("--far"),
  }),
);
const batchOffers = 5_000;
/** As the peer has its journal, and a cache that holds what is not durable yet. */
const storeOptions = {
  ...{ commitEveryMs: 50, pendingOpsMax: 50_000 },
  ...{ cacheCapacity: 2 ** 18, unsettledOffersMax: 2 ** 18 },
};

interface Spent {
  readonly wallMs: number;
  /** Processor time of the main thread: what the peer's one thread pays, whatever else the machine does. */
  readonly threadMs: number;
  /** Processor time of all threads: those of the store and of the garbage collector too. */
  readonly processMs: number;
}

function spent(): Spent {
  return {
    wallMs: performance.now(),
    threadMs: threadMicros() / 1_000,
    processMs: processMicros() / 1_000,
  };
}

function between(start: Spent, end: Spent): Spent {
  return {
    wallMs: end.wallMs - start.wallMs,
    threadMs: end.threadMs - start.threadMs,
    processMs: end.processMs - start.processMs,
  };
}

/** Offers all in batches; what it took to make URLs and fingerprints is not the dedupe's own work. */
async function offerAll(
  name: string,
  { numbers }: OfferPlan,
  offer: (batch: OfferBatch) => unknown,
): Promise<(counts: OfferCounts) => void> {
  // A batch is offered while the store answers for the one before; each has room of its own.
  const rooms = [roomFor(batchOffers), roomFor(batchOffers)] as const;
  const hashing = { wallMs: 0, threadMs: 0, processMs: 0 };
  const start = spent();
  for (let first = 0; first < offers; first += batchOffers) {
    const room = rooms[first % (2 * batchOffers) === 0 ? 0 : 1];
    const begun = spent();
    const batch = makeBatch(numbers.subarray(first, first + batchOffers), room);
    const { wallMs, threadMs } = between(begun, spent());
    hashing.wallMs += wallMs;
    hashing.threadMs += threadMs;
    // Measured on the one thread that makes them: the others do the store's work meanwhile.
    hashing.processMs += threadMs;
    await offer(batch);
  }
  return (counts) => report(name, between(start, spent()), hashing, counts);
}

function report(name: string, all: Spent, hashing: Spent, counts: OfferCounts): void {
  const perSecond = (ms: number): string => Math.round((offers / ms) * 1000).toLocaleString();
  const own = between(hashing, all);
  const { fresh, asked, askedInVain } = counts;
  console.log(
    `${name}: ${perSecond(own.wallMs)} offers/s ` +
      `(${perSecond(all.wallMs)} with the making of URLs and fingerprints), ` +
      `${perSecond(own.threadMs)} per second of the main thread's processor time, ` +
      `${perSecond(own.processMs)} of all threads', ${fresh.toLocaleString()} new, ` +
      `${asked.toLocaleString()} asked (${askedInVain.toLocaleString()} in vain), ` +
      `${Math.round(process.memoryUsage().rss / 2 ** 20)} MiB resident`,
  );
}

async function measureSieve(plan: OfferPlan): Promise<void> {
  const dedupe = new MemoryDedupe(plan.distinct);
  const done = await offerAll("sieve alone", plan, (batch) => dedupe.offer(batch));
  done(dedupe.counts);
}

async function measureStore(plan: OfferPlan): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "orbweaver-sieve-"));
  const store = new LevelStore({ directory });
  await store.start();
  const dedupe = new StoreDedupe(store, storeOptions);
  const done = await offerAll("sieve and store", plan, (batch) => dedupe.offer(batch));
  await dedupe.end();
  done(dedupe.counts);

  let stored = 0;
  for await (const entry of store.scan(tagRange("url"))) stored += entry.key.length === 29 ? 1 : 0;
  const { fresh } = dedupe.counts;
  console.log(`${plan.distinct} distinct URLs, ${fresh} admitted, ${stored} in the store`);
  await store.stop();
  await rm(directory, { recursive: true });
  if (stored !== plan.distinct || fresh !== plan.distinct) process.exitCode = 1;
}

const plan = planOffers(offers, far);
console.log(`${offers.toLocaleString()} offers, ${far ? "far" : "crawl-like"} repeats`);
await measureSieve(plan);
await measureStore(plan);
