/**
 * The part of `bloom-filters/dist/hashing/hashing.js` that the sieve uses, for `core`'s own type check: the package's
 * declarations bring in those of Node, and with them every impure global.
 */

/** Turns an element into the indexes of its bits. */
export declare class Hashing {
  getIndexes(element: string, size: number, hashCount: number, seed?: number): number[];
}

/** The module is CommonJS: what it exports as its default is a property. */
declare const hashing: { readonly default: typeof Hashing };
export default hashing;
