/**
 * The dedupe: of all offers of one key, exactly one comes out.
 *
 * Mercator called this part "URL-seen" (Heydon and Najork 1999, section 3.7): fingerprints in a sorted file, a cache of
 * the popular ones before it. IRLbot's DRUM (Lee et al. 2008, section 4) and BUbiNG's sieve (Boldi et al. 2018, section
 * 4.1) collect offers in memory and merge them with the file in one sequential pass: cheap per key at billions of keys,
 * but a URL waits for the next pass, hours in a slow crawl, and what waits is lost in a crash.
 *
 * Here the exact set is the peer's database, which has to hold a record for each URL anyhow, so that a key is known if
 * and only if its record is durable. A question to it costs microseconds, and two structures in memory answer nearly
 * all offers without one: a cache of recent keys (a page's links repeat those of the page before) says "seen" exactly,
 * and a Bloom filter over all keys says "new" exactly. What neither can tell is asked.
 */
import { invariant } from "../errors.ts";
import { BloomCascade, defaultBloomCascadeOptions } from "./bloom-cascade.ts";
import type { BloomCascadeOptions } from "./bloom-cascade.ts";
import { FingerprintCache } from "./fingerprint-cache.ts";
import type { KeyHashes } from "./fingerprint-filter.ts";

export interface SieveOptions extends BloomCascadeOptions {
  /**
   * Keys in each of the two generations of the cache of recent keys, a power of two; 96 bytes of memory each.
   * @default 2^17, which is 12 MiB
   */
  readonly cacheCapacity: number;
  /**
   * The caller's promise: the most offers from the one that admitted a key to the moment when the store's answers
   * include that key, and from an "ask" to its settlement. At most `cacheCapacity`. @default 2^16
   */
  readonly unsettledOffersMax: number;
}

/** Every option's default. */
export const defaultSieveOptions: SieveOptions = {
  ...defaultBloomCascadeOptions,
  cacheCapacity: 2 ** 17,
  unsettledOffersMax: 2 ** 16,
};

/**
 * - `new`: never offered before; the caller writes it.
 * - `seen`: a duplicate of an earlier offer, whose fate it shares.
 * - `ask`: the caller asks the store whether it has the key and reports that with {@link Sieve.settle}.
 */
export type SieveAnswer = "new" | "seen" | "ask";

/**
 * A key is a 128-bit fingerprint (four words at `words[at]`) and the space in which it must be unique: a number of 32
 * bits that stands for a job and a kind of record.
 *
 * How the caller uses it: one loop offers a batch, asks the store for all "ask" keys of it, settles each, and writes
 * the admitted ones. It need not wait for the write, nor for the store's answers, before it offers the next batch: all
 * that must hold is `unsettledOffersMax`.
 *
 * Invariant: of all offers of a key, at most one is answered `new` or settled as not existing: the one that admits it.
 * Invariant: a key that the store does not have is admitted by its first offer; the Bloom filter alone drops none.
 * Invariant: an asked key is in the cache from the moment it is asked, so its second offer in the same batch is `seen`:
 * whether the store turns out to have it or its first offer admits it, the second is a duplicate. `seen` can therefore
 * precede the key's durability; a receipt for a `seen` key may only be given when all writes before it are durable.
 */
export class Sieve {
  readonly options: SieveOptions;
  #bloom: BloomCascade;
  readonly #cache: FingerprintCache;
  #offers = 0;
  #unsettled = 0;

  constructor(options: Partial<SieveOptions> = {}) {
    this.options = { ...defaultSieveOptions, ...options };
    const { cacheCapacity, unsettledOffersMax } = this.options;
    invariant(
      unsettledOffersMax <= cacheCapacity,
      `a sieve must remember ${unsettledOffersMax} offers, but its cache holds ${cacheCapacity}`,
    );
    this.#bloom = new BloomCascade(this.options);
    this.#cache = new FingerprintCache(cacheCapacity);
  }

  /** Keys admitted, by offers or by {@link add}; the few `add` finds positive already are not counted. */
  get size(): number {
    return this.#bloom.size;
  }

  /** Offers so far. */
  get offers(): number {
    return this.#offers;
  }

  /** Asked keys that are not settled yet. */
  get unsettled(): number {
    return this.#unsettled;
  }

  offer(space: number, words: Uint32Array, at: number): SieveAnswer {
    this.#offers++;
    if (this.#cache.testAndAdd(space, words, at)) return "seen";
    if (!this.#bloom.testAndAdd(space, words, at)) return "new";
    this.#unsettled++;
    return "ask";
  }

  /** Reports whether the store has an asked key. Where it has not, the caller writes it, as if it had been `new`. */
  settle(space: number, words: Uint32Array, at: number, existed: boolean): void {
    invariant(this.#unsettled > 0, "a key was settled that had not been asked");
    invariant(this.#cache.has(space, words, at), "an asked key left the cache before its answer");
    this.#unsettled--;
    if (!existed) this.#bloom.add(space, words, at);
  }

  /** Takes in a key that the store has, at start; every key written after a restored snapshot must be added. */
  add(space: number, words: Uint32Array, at: number): void {
    this.#bloom.testAndAdd(space, words, at);
  }

  /** The same for a key of which only the {@link keyHashes} are known. */
  addHashes(hashes: KeyHashes): void {
    this.#bloom.testAndAddHashes(hashes);
  }

  /** False: the key was certainly never admitted. True: it was, or the filter errs. Changes nothing. */
  mayHave(space: number, words: Uint32Array, at: number): boolean {
    return this.#bloom.has(space, words, at);
  }

  /**
   * The filter's state, as chunks of at most 256 KiB; see {@link BloomCascade.snapshot}. After a restore
   * the caller adds what it admitted after this call.
   */
  snapshot(): Generator<Uint8Array, void, undefined> {
    return this.#bloom.snapshot();
  }

  /** A sieve from a snapshot; undefined when the bytes are not a whole one of equal options: then all keys are added. */
  static restore(options: Partial<SieveOptions>, chunks: readonly Uint8Array[]): Sieve | undefined {
    const sieve = new Sieve(options);
    const bloom = BloomCascade.restore(sieve.options, chunks);
    if (!bloom) return undefined;
    sieve.#bloom = bloom;
    return sieve;
  }
}
