// The package's own entry loads all its structures and, for some of them, half of lodash: 60 ms of a start.
import bloomFilter from "bloom-filters/dist/bloom/bloom-filter.js";
import hashing from "bloom-filters/dist/hashing/hashing.js";

/** What a filter is made for. */
export interface FilterPlan {
  readonly capacity: number;
  readonly falsePositiveRate: number;
}

/**
 * Bits and number of hashes of the optimal filter (Bloom 1970; the usual `n ln(1/p) / ln(2)^2` and `ln(1/p) / ln(2)`).
 */
export function filterShape({ capacity, falsePositiveRate }: FilterPlan): {
  readonly size: number;
  readonly hashCount: number;
} {
  const size = Math.ceil((capacity * -Math.log(falsePositiveRate)) / Math.LN2 ** 2);
  return { size, hashCount: Math.ceil(-Math.log2(falsePositiveRate)) };
}

/** 2^-32: scales a 32-bit hash to a fraction of 1. */
const hashScale = 2 ** -32;
/** Odd multipliers that spread small space numbers over all bits (xxHash specification 0.1.1, primes of XXH32). */
const spacePrimeA = 0x9e3779b1;
const spacePrimeB = 0x85ebca77;

/** All of a key that its bits depend on: two words of 32 bits. */
export interface KeyHashes {
  readonly a: number;
  readonly b: number;
}

/** The hashes of a fingerprint in its space. */
export function keyHashes(space: number, words: Uint32Array, at: number): KeyHashes {
  return { a: hashA(space, words, at), b: hashB(space, words, at) };
}

function hashA(space: number, words: Uint32Array, at: number): number {
  return (words[at] ?? 0) ^ Math.imul(space, spacePrimeA);
}

function hashB(space: number, words: Uint32Array, at: number): number {
  return (words[at + 1] ?? 0) ^ Math.imul(space, spacePrimeB);
}

/**
 * Indexes from a fingerprint by double hashing: index i comes from `a + i * b` (Kirsch and Mitzenmacher 2006, section
 * 3), with two of the fingerprint's words as `a` and `b`, which are uniform already.
 *
 * The sum wraps at 2^32 and is scaled to the filter's size by a multiplication; `b` is odd, so the sums are distinct.
 * The key is aimed at once for all filters, and the array of indexes is used again: nothing is allocated for a key.
 */
export class FingerprintHashing extends hashing.default {
  #a = 0;
  #b = 1;
  readonly #indexes: number[] = [];

  /** Names the key that {@link getIndexes} speaks of from now on. */
  aim(space: number, words: Uint32Array, at: number): void {
    this.#a = hashA(space, words, at);
    this.#b = hashB(space, words, at) | 1;
  }

  /** The same for a key of which the hashes are known. */
  aimAt({ a, b }: KeyHashes): void {
    this.#a = a;
    this.#b = b | 1;
  }

  /** The aimed key's indexes; the element that `bloom-filters` passes on is not looked at. */
  override getIndexes(_element: string, size: number, hashCount: number): number[] {
    const indexes = this.#indexes;
    indexes.length = hashCount;
    const scale = size * hashScale;
    let sum = this.#a;
    for (let i = 0; i < hashCount; i++) {
      indexes[i] = Math.floor((sum >>> 0) * scale);
      sum = (sum + this.#b) | 0;
    }
    return indexes;
  }
}

/** `bloom-filters` hashes what it is given; here the hashing knows the key already. */
const aimedKey = "";

/** One Bloom filter of `bloom-filters` that takes the key its hashing is aimed at. */
export class FingerprintFilter extends bloomFilter.default {
  /** Keys that it is made for. */
  readonly capacity: number;
  #items = 0;

  constructor(bits: number, hashCount: number, capacity: number, hashing: FingerprintHashing) {
    super(bits, hashCount);
    this._hashing = hashing;
    this.capacity = capacity;
  }

  /** The optimal filter for `capacity` keys at a false-positive rate of `falsePositiveRate`. */
  static of(
    { capacity, falsePositiveRate }: FilterPlan,
    hashing: FingerprintHashing,
  ): FingerprintFilter {
    const { size, hashCount } = filterShape({ capacity, falsePositiveRate });
    return new FingerprintFilter(size, hashCount, capacity, hashing);
  }

  /** Keys that were added. */
  get items(): number {
    return this.#items;
  }

  /** The filter's bits, in whole bytes; they change with every key. */
  get bits(): Uint8Array {
    return this._filter.array;
  }

  hasAimed(): boolean {
    return this.has(aimedKey);
  }

  addAimed(): void {
    this.add(aimedKey);
    this.#items++;
  }

  /** Takes over the state of a filter of the same shape; its bits are those of `pieces`, one after the other. */
  restore(items: number, pieces: readonly Uint8Array[]): void {
    let at = 0;
    for (const piece of pieces) {
      this.bits.set(piece, at);
      at += piece.byteLength;
    }
    this.#items = items;
  }
}
