import { invariant } from "../errors.ts";
import { decodeSnapshot, encodeSnapshot } from "./cascade-snapshot.ts";
import { FingerprintFilter, FingerprintHashing, filterShape } from "./fingerprint-filter.ts";
import type { FilterPlan, KeyHashes } from "./fingerprint-filter.ts";

export interface BloomCascadeOptions {
  /**
   * Keys that the first filter takes; each further one takes twice as many as the one before. Too small costs a
   * lookup in one filter more for each doubling, too large costs 1.7 bytes a key from the start. @default 1_000_000
   */
  readonly capacity: number;
  /**
   * Bound of the whole cascade's false-positive rate: how often a key never seen makes a question to the store.
   * Each tenth of it costs about 5 bits a key. @default 0.01
   */
  readonly falsePositiveRate: number;
}

/** Every option's default. */
export const defaultBloomCascadeOptions: BloomCascadeOptions = {
  capacity: 1_000_000,
  falsePositiveRate: 0.01,
};

/** Each filter takes this many times the keys of the one before: few filters, and at most half of the bits idle. */
const growth = 2;
/**
 * Each filter's rate is this part of the one before, so that the sum converges. Almeida et al. (section 3.2) advise
 * 0.8 to 0.9 where the set grows by orders of magnitude.
 */
const tightening = 0.8;
/** The largest bit index that the hashing reaches: 32 bits of hash pick the bit. */
const bitsMax = 2 ** 32;

/** The plan of the cascade's filter number `index`, counted from 0. */
export function filterPlan(options: BloomCascadeOptions, index: number): FilterPlan {
  return {
    capacity: options.capacity * growth ** index,
    falsePositiveRate: options.falsePositiveRate * (1 - tightening) * tightening ** index,
  };
}

/**
 * A set of fingerprints that may say yes to one it has never seen, at a bounded rate, and never says no to one it has.
 *
 * Scalable Bloom filter (Almeida, Baquero, Preguica, Hutchison 2007, section 3): when the newest filter is full a
 * larger one with a smaller rate is put on top, so the rate stays bounded however many keys come. The filters are
 * those of `bloom-filters`, with indexes that come from the fingerprint instead of a hash of its text.
 *
 * Invariant: a key that was added is found for ever, also after a snapshot taken later was restored.
 */
export class BloomCascade {
  readonly options: BloomCascadeOptions;
  readonly #hashing = new FingerprintHashing();
  /** Newest first: it is the largest, so most hits end there. */
  readonly #filters: FingerprintFilter[] = [];

  constructor(options: Partial<BloomCascadeOptions> = {}) {
    const { capacity, falsePositiveRate } = { ...defaultBloomCascadeOptions, ...options };
    this.options = { capacity, falsePositiveRate };
    invariant(Number.isInteger(capacity) && capacity >= 1, "a Bloom filter takes at least one key");
    invariant(falsePositiveRate > 0 && falsePositiveRate < 1, "a rate lies between 0 and 1");
    this.#grow();
  }

  /** Keys that were added: exact but for those that were positive already when {@link testAndAdd} met them. */
  get size(): number {
    return this.#filters.reduce((sum, filter) => sum + filter.items, 0);
  }

  /** Memory of the filters. */
  get bytes(): number {
    return this.#filters.reduce((sum, filter) => sum + filter.bits.byteLength, 0);
  }

  has(space: number, words: Uint32Array, at: number): boolean {
    this.#hashing.aim(space, words, at);
    return this.#hit();
  }

  add(space: number, words: Uint32Array, at: number): void {
    this.#hashing.aim(space, words, at);
    this.#take();
  }

  /** Whether the key may have been there; it is afterwards. */
  testAndAdd(space: number, words: Uint32Array, at: number): boolean {
    this.#hashing.aim(space, words, at);
    return this.#testAndTake();
  }

  /** The same for a key of which only the hashes are known. */
  testAndAddHashes(hashes: KeyHashes): boolean {
    this.#hashing.aimAt(hashes);
    return this.#testAndTake();
  }

  /**
   * The state as chunks of at most 256 KiB, made while they are taken. Keys may be added meanwhile: those from before
   * this call are all in the snapshot, later ones perhaps.
   */
  snapshot(): Generator<Uint8Array, void, undefined> {
    return encodeSnapshot(this.options, this.#filters.toReversed());
  }

  /** A cascade with the state of {@link snapshot}; undefined when `chunks` are not a whole one of equal options. */
  static restore(
    options: Partial<BloomCascadeOptions>,
    chunks: readonly Uint8Array[],
  ): BloomCascade | undefined {
    const cascade = new BloomCascade(options);
    const bitBytesOf = (filter: number): number =>
      Math.ceil(filterShape(filterPlan(cascade.options, filter)).size / 8);
    const states = decodeSnapshot(cascade.options, bitBytesOf, chunks);
    if (!states) return undefined;
    for (const [index, { items, pieces }] of states.entries()) {
      const filter = index === 0 ? cascade.#newest : cascade.#grow();
      filter.restore(items, pieces);
    }
    return cascade;
  }

  get #newest(): FingerprintFilter {
    const newest = this.#filters[0];
    invariant(newest !== undefined, "a cascade has at least one filter");
    return newest;
  }

  #testAndTake(): boolean {
    if (this.#hit()) return true;
    this.#take();
    return false;
  }

  #hit(): boolean {
    for (const filter of this.#filters) {
      if (filter.hasAimed()) return true;
    }
    return false;
  }

  #take(): void {
    let filter = this.#newest;
    if (filter.items >= filter.capacity) filter = this.#grow();
    filter.addAimed();
  }

  #grow(): FingerprintFilter {
    const plan = filterPlan(this.options, this.#filters.length);
    const filter = FingerprintFilter.of(plan, this.#hashing);
    invariant(filter.size <= bitsMax, "a Bloom filter has outgrown its 32-bit hashes");
    this.#filters.unshift(filter);
    return filter;
  }
}
