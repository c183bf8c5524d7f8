/**
 * The part of `bloom-filters` that the sieve uses, for `core`'s own type check: the package's declarations bring in
 * those of Node, and with them every impure global.
 */

/** Turns an element into the indexes of its bits. */
export class Hashing {
  getIndexes(element: string, size: number, hashCount: number, seed?: number): number[];
}

export class BloomFilter {
  /** Subclasses may put their own in place. */
  _hashing: Hashing;
  /** The bits, eight in a byte. */
  readonly _filter: { readonly array: Uint8Array };

  constructor(size: number, hashCount: number);
  /** Bits in the filter. */
  get size(): number;
  add(element: string): void;
  has(element: string): boolean;
}
