/**
 * How many URLs a second go through the dedupe, and whether any is lost.
 *
 *   node test/bench/micro/sieve.ts [URLS] [--far]
 *
 * Offers URLS (default 1,000,000) URL keys, 45% of them repeats, first to the sieve alone, then to the sieve with a
 * LevelStore behind it: what the filter cannot tell is looked up, what is new is written, synced every 50 ms. At the
 * end every distinct key must stand in the store, exactly once. Repeats are as a crawl's: half of them of the last
 * 100,000 keys (a site's own navigation), half of any key so far; with --far all are of any key so far, the worst case.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LevelStore } from "../../../src/adapters/level/level-store.ts";
import { Sieve } from "../../../src/core/sieve/sieve.ts";
import { writeFingerprint } from "../../../src/core/url/fingerprint.ts";
import type { StoreOp } from "../../../src/ports/store.ts";

const offers = Number(process.argv[2] ?? 1_000_000);
const far = process.argv.includes("--far");
const repeatShare = 0.45;
const recentKeys = 100_000;
const pagesPerSite = 200;
const batchOffers = 5_000;
const syncEveryMs = 50;
/** Operations that may wait for a commit, as the peer bounds its journal. */
const pendingOpsMax = 50_000;
const space = 1;
const urlTag = 0x75;
const value = new Uint8Array(8);

/** Xorshift32 (Marsaglia 2003), so that every run offers the same. */
let random = 0x9e3779b9;
function below(limit: number): number {
  random ^= random << 13;
  random ^= random >>> 17;
  random ^= random << 5;
  return Math.floor(((random >>> 0) / 2 ** 32) * limit);
}

/** The number of the URL that each offer is of; distinct ones are numbered in the order of their first offer. */
function plan(): { readonly numbers: Uint32Array; readonly distinct: number } {
  const numbers = new Uint32Array(offers);
  let distinct = 0;
  for (let i = 0; i < offers; i++) {
    const repeat = distinct > 0 && below(1000) < repeatShare * 1000;
    const from = !far && below(2) === 0 ? Math.max(0, distinct - recentKeys) : 0;
    numbers[i] = repeat ? from + below(distinct - from) : distinct++;
  }
  return { numbers, distinct };
}

/** Pages of 50 sites are discovered in turns. */
function siteOf(n: number): number {
  return Math.floor(n / (pagesPerSite * 50)) * 50 + (n % 50);
}

/** A view forces a small array's bytes out of the heap, which costs more than the copy; so all keys are made in one. */
const keyScratch = new Uint8Array(29);
const keyView = new DataView(keyScratch.buffer);

/** 29 bytes: tag, site's position, fingerprint, job. */
function keyOf(n: number, words: Uint32Array, at: number): Uint8Array {
  const site = siteOf(n);
  keyScratch[0] = urlTag;
  keyView.setUint32(1, Math.imul(site + 1, 0x9e3779b1));
  keyView.setUint32(5, site);
  for (let word = 0; word < 4; word++) keyView.setUint32(9 + word * 4, words[at + word] ?? 0);
  keyView.setUint32(25, space);
  return keyScratch.slice();
}

interface Spent {
  readonly wallMs: number;
  /** Processor time of the main thread: what the peer's one thread pays, whatever else the machine does. */
  readonly threadMs: number;
  /** Processor time of all threads: those of the store and of the garbage collector too. */
  readonly processMs: number;
}

function spent(): Spent {
  const thread = process.threadCpuUsage();
  const all = process.cpuUsage();
  return {
    wallMs: performance.now(),
    threadMs: (thread.user + thread.system) / 1000,
    processMs: (all.user + all.system) / 1000,
  };
}

function between(start: Spent, end: Spent): Spent {
  return {
    wallMs: end.wallMs - start.wallMs,
    threadMs: end.threadMs - start.threadMs,
    processMs: end.processMs - start.processMs,
  };
}

interface Totals {
  fresh: number;
  asked: number;
  /** Asked because the Bloom filter erred: the store had no such key. */
  askedInVain: number;
  /** Spent on making the fingerprints: not the dedupe's own work. */
  hashing: Spent;
}

function noTotals(): Totals {
  return { fresh: 0, asked: 0, askedInVain: 0, hashing: { wallMs: 0, threadMs: 0, processMs: 0 } };
}

/** Fills `words` with the fingerprints of a batch. */
function fingerprint(numbers: Uint32Array, words: Uint32Array, totals: Totals): void {
  const start = spent();
  for (let i = 0; i < numbers.length; i++) {
    const n = numbers[i] ?? 0;
    writeFingerprint(`https://site-${siteOf(n)}.example/articles/${n}/index.html`, words, i * 4);
  }
  const one = between(start, spent());
  const { hashing } = totals;
  totals.hashing = {
    wallMs: hashing.wallMs + one.wallMs,
    threadMs: hashing.threadMs + one.threadMs,
    // Measured on the one thread that makes them: the others do the store's work meanwhile.
    processMs: hashing.processMs + one.threadMs,
  };
}

function report(name: string, all: Spent, totals: Totals): void {
  const perSecond = (ms: number): string => Math.round((offers / ms) * 1000).toLocaleString();
  const own = between(totals.hashing, all);
  const { fresh, asked, askedInVain } = totals;
  console.log(
    `${name}: ${perSecond(own.wallMs)} offers/s ` +
      `(${perSecond(all.wallMs)} with the making of URLs and fingerprints), ` +
      `${perSecond(own.threadMs)} per second of the main thread's processor time, ` +
      `${perSecond(own.processMs)} of all threads', ${fresh.toLocaleString()} new, ` +
      `${asked.toLocaleString()} asked (${askedInVain.toLocaleString()} in vain), ` +
      `${Math.round(process.memoryUsage().rss / 2 ** 20)} MiB resident`,
  );
}

/** The sieve alone; an array of bits stands for the exact set. */
function measureSieve(numbers: Uint32Array): void {
  const sieve = new Sieve();
  const known = new Uint8Array(offers);
  const words = new Uint32Array(batchOffers * 4);
  const totals = noTotals();
  const start = spent();
  for (let first = 0; first < offers; first += batchOffers) {
    const batch = numbers.subarray(first, first + batchOffers);
    fingerprint(batch, words, totals);
    for (let i = 0; i < batch.length; i++) {
      const n = batch[i] ?? 0;
      const answer = sieve.offer(space, words, i * 4);
      if (answer === "ask") {
        totals.asked++;
        totals.askedInVain += known[n] === 1 ? 0 : 1;
        sieve.settle(space, words, i * 4, known[n] === 1);
      }
      if (answer === "new" || (answer === "ask" && known[n] === 0)) {
        totals.fresh++;
        known[n] = 1;
      }
    }
  }
  report("sieve alone", between(start, spent()), totals);
}

/** The writes on their way into the store: one synced commit at a time, at most every `syncEveryMs`. */
class Commits {
  readonly #store: LevelStore;
  #pending: StoreOp[] = [];
  #committing: Promise<void> | undefined;
  #startedAtMs = performance.now();
  committed = 0;

  constructor(store: LevelStore) {
    this.#store = store;
  }

  put(key: Uint8Array): void {
    this.#pending.push({ type: "put", key, value });
  }

  /** Begins a commit where one is due; waits while too much is pending. */
  async turn(): Promise<void> {
    if (this.#pending.length >= pendingOpsMax) await this.#committing;
    if (this.#committing || performance.now() - this.#startedAtMs < syncEveryMs) return;
    this.#committing = this.#commit().finally(() => (this.#committing = undefined));
  }

  async end(): Promise<void> {
    await this.#committing;
    await this.#commit();
  }

  async #commit(): Promise<void> {
    this.#startedAtMs = performance.now();
    const ops = this.#pending;
    this.#pending = [];
    await this.#store.write(ops, { sync: true });
    this.committed += ops.length;
  }
}

interface AskedKey {
  readonly key: Uint8Array;
  /** Where its fingerprint stands in the words of its batch. */
  readonly at: number;
}

async function measureStore(numbers: Uint32Array, distinct: number): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "orbweaver-sieve-"));
  const store = new LevelStore({ directory });
  await store.start();
  const sieve = new Sieve({ cacheCapacity: 2 ** 18, unsettledOffersMax: 2 ** 18 });
  const commits = new Commits(store);
  const totals = noTotals();
  // A batch is offered while the store answers for the one before; each has words of its own.
  const wordsOfTwo = [new Uint32Array(batchOffers * 4), new Uint32Array(batchOffers * 4)] as const;
  let answered: Promise<void> = Promise.resolve();
  const ask = async (asked: readonly AskedKey[], words: Uint32Array): Promise<void> => {
    const found = await store.hasMany(asked.map(({ key }) => key));
    for (const [i, { key, at }] of asked.entries()) {
      const existed = found[i] === true;
      sieve.settle(space, words, at, existed);
      if (existed) continue;
      totals.askedInVain++;
      commits.put(key);
    }
  };
  const start = spent();
  for (let first = 0; first < offers; first += batchOffers) {
    const batch = numbers.subarray(first, first + batchOffers);
    const words = wordsOfTwo[first % (2 * batchOffers) === 0 ? 0 : 1];
    fingerprint(batch, words, totals);
    const asked: AskedKey[] = [];
    for (let i = 0; i < batch.length; i++) {
      const answer = sieve.offer(space, words, i * 4);
      if (answer === "seen") continue;
      const key = keyOf(batch[i] ?? 0, words, i * 4);
      if (answer === "new") commits.put(key);
      else asked.push({ key, at: i * 4 });
    }
    totals.asked += asked.length;
    await answered;
    answered = ask(asked, words);
    await commits.turn();
  }
  await answered;
  await commits.end();
  totals.fresh = commits.committed;
  report("sieve and store", between(start, spent()), totals);

  let stored = 0;
  const urls = { gte: Uint8Array.of(urlTag), lt: Uint8Array.of(urlTag + 1) };
  for await (const entry of store.scan(urls)) stored += entry.key.length === 29 ? 1 : 0;
  console.log(`${distinct} distinct URLs, ${totals.fresh} admitted, ${stored} in the store`);
  await store.stop();
  await rm(directory, { recursive: true });
  if (stored !== distinct || totals.fresh !== distinct) process.exitCode = 1;
}

const { numbers, distinct } = plan();
console.log(`${offers.toLocaleString()} offers, ${far ? "far" : "crawl-like"} repeats`);
measureSieve(numbers);
await measureStore(numbers, distinct);
