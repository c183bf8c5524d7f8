import type { LevelStore } from "../../../src/adapters/level/level-store.ts";
import { ringPosition } from "../../../src/core/record/host-keys.ts";
import { urlKey } from "../../../src/core/record/url-keys.ts";
import { Sieve } from "../../../src/core/sieve/sieve.ts";
import type { SieveOptions } from "../../../src/core/sieve/sieve.ts";
import type { SiteName } from "../../../src/core/units.ts";
import { writeFingerprint } from "../../../src/core/url/fingerprint.ts";
import type { StoreBatch } from "../../../src/ports/store.ts";
import { seeded } from "../../support/seeded.ts";

const repeatShare = 0.45;
const recentKeys = 100_000;
const pagesPerSite = 200;
const space = 1;
const value = new Uint8Array(8);

/** Which URL each offer is of: distinct ones are numbered in the order of their first offer. */
export interface OfferPlan {
  readonly numbers: Uint32Array;
  readonly distinct: number;
}

/**
 * 45% of the offers are repeats, as a crawl's: half of them of the last 100,000 keys (a site's own navigation), half of any
 * key so far; with `far` all are of any key so far, the worst case.
 */
export function planOffers(offers: number, far: boolean): OfferPlan {
  const random = seeded(1);
  const below = (limit: number): number => Math.floor(random() * limit);
  const numbers = new Uint32Array(offers);
  let distinct = 0;
  for (let i = 0; i < offers; i += 1) {
    const isRepeat = distinct > 0 && random() < repeatShare;
    const from = !far && random() < 0.5 ? Math.max(0, distinct - recentKeys) : 0;
    numbers[i] = isRepeat ? from + below(distinct - from) : distinct++;
  }
  return { numbers, distinct };
}

/** Pages of 50 sites are discovered in turns. */
function siteOf(n: number): SiteName {
  return `site-${Math.floor(n / (pagesPerSite * 50)) * 50 + (n % 50)}.example` as SiteName;
}

/** Offers that are made together: what a crawler has of URLs before their dedupe. */
export interface OfferBatch {
  readonly numbers: Uint32Array;
  /** Fingerprints, four words each. */
  readonly words: Uint32Array;
  /** Where their sites stand on the ring. */
  readonly positions: BigUint64Array;
}

/** Room for as many offers. */
export function roomFor(offers: number): Pick<OfferBatch, "words" | "positions"> {
  return { words: new Uint32Array(offers * 4), positions: new BigUint64Array(offers) };
}

/** Makes the URLs of a batch, their fingerprints and the positions of their sites, in `room`. */
export function makeBatch(
  numbers: Uint32Array,
  { words, positions }: Pick<OfferBatch, "words" | "positions">,
): OfferBatch {
  for (const [i, n] of numbers.entries()) {
    const site = siteOf(n);
    positions[i] = ringPosition(site);
    writeFingerprint(`https://${site}/articles/${n}/index.html`, words, i * 4);
  }
  return { numbers, words, positions };
}

/** What became of offers. */
export interface OfferCounts {
  fresh: number;
  asked: number;
  /** Asked because the Bloom filter erred: the store had no such key. */
  askedInVain: number;
}

function noCounts(): OfferCounts {
  return { fresh: 0, asked: 0, askedInVain: 0 };
}

/** The sieve alone; an array of bits stands for the exact set. */
export class MemoryDedupe {
  readonly counts = noCounts();
  readonly #sieve: Sieve;
  readonly #known: Uint8Array;

  constructor(distinct: number, options: Partial<SieveOptions> = {}) {
    this.#sieve = new Sieve(options);
    this.#known = new Uint8Array(distinct);
  }

  offer({ numbers, words }: Pick<OfferBatch, "numbers" | "words">): void {
    const { counts } = this;
    const [sieve, known] = [this.#sieve, this.#known];
    for (let i = 0; i < numbers.length; i += 1) {
      const n = numbers[i] ?? 0;
      const answer = sieve.offer(space, words, i * 4);
      if (answer === "seen") continue;
      const existed = known[n] === 1;
      if (answer === "ask") {
        counts.asked += 1;
        sieve.settle(space, words, i * 4, existed);
        if (existed) continue;
        counts.askedInVain += 1;
      }
      counts.fresh += 1;
      known[n] = 1;
    }
  }
}

interface AskedKey {
  readonly key: Uint8Array;
  /** Where its fingerprint stands in the words of its batch. */
  readonly at: number;
}

/** How often what is new is written. */
export interface CommitOptions {
  /** From the beginning of a commit to the next, at least. */
  readonly commitEveryMs: number;
  /** Operations that may wait for a commit: when there are so many, the commit under way is waited for. */
  readonly pendingOpsMax: number;
}

/** The sieve with a store behind it: what it cannot tell is looked up, what is new is written and synced. */
export class StoreDedupe {
  readonly counts = noCounts();
  readonly #store: LevelStore;
  readonly #sieve: Sieve;
  readonly #options: CommitOptions;
  #answered: Promise<void> = Promise.resolve();
  #pending: StoreBatch;
  #committing: Promise<void> | undefined;
  #committedAtMs = performance.now();

  constructor(store: LevelStore, options: CommitOptions & Partial<SieveOptions>) {
    this.#store = store;
    this.#pending = store.batch();
    this.#options = options;
    this.#sieve = new Sieve(options);
  }

  /** Offers a batch while the store answers for the one before, whose `words` must stay as they were until then. */
  async offer({ numbers, words, positions }: OfferBatch): Promise<void> {
    const asked: AskedKey[] = [];
    for (let i = 0; i < numbers.length; i += 1) {
      const answer = this.#sieve.offer(space, words, i * 4);
      if (answer === "seen") continue;
      const key = urlKey("url", positions[i] ?? 0n, words, i * 4, space);
      if (answer === "new") this.#put(key);
      else asked.push({ key, at: i * 4 });
    }
    this.counts.asked += asked.length;
    await this.#answered;
    this.#answered = this.#ask(asked, words);
    await this.#turn();
  }

  /** Resolves when all that is new is durable. */
  async end(): Promise<void> {
    await this.#answered;
    await this.#committing;
    await this.#commit();
  }

  async #ask(asked: readonly AskedKey[], words: Uint32Array): Promise<void> {
    const found = await this.#store.hasMany(asked.map(({ key }) => key));
    for (const [i, { key, at }] of asked.entries()) {
      const existed = found[i] === true;
      this.#sieve.settle(space, words, at, existed);
      if (existed) continue;
      this.counts.askedInVain += 1;
      this.#put(key);
    }
  }

  #put(key: Uint8Array): void {
    this.counts.fresh += 1;
    this.#pending.add([{ type: "put", key, value }]);
  }

  /** Begins a commit where one is due, one at a time; waits while too much is pending. */
  async #turn(): Promise<void> {
    const { commitEveryMs, pendingOpsMax } = this.#options;
    if (this.#pending.length >= pendingOpsMax) await this.#committing;
    if (this.#committing || performance.now() - this.#committedAtMs < commitEveryMs) return;
    this.#committing = this.#commit().finally(() => (this.#committing = undefined));
  }

  async #commit(): Promise<void> {
    this.#committedAtMs = performance.now();
    const batch = this.#pending;
    this.#pending = this.#store.batch();
    await this.#store.write(batch, { sync: true });
  }
}
