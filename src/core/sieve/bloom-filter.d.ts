/**
 * The part of `bloom-filters/dist/bloom/bloom-filter.js` that the sieve uses, for `core`'s own type check: the package's
 * declarations bring in those of Node, and with them every impure global.
 */
import type { Hashing } from "./bloom-hashing.d.ts";

export declare class BloomFilter {
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

/** The module is CommonJS: what it exports as its default is a property. */
declare const bloomFilter: { readonly default: typeof BloomFilter };
export default bloomFilter;
