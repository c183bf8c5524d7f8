import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FingerprintCache } from "../../../src/core/sieve/fingerprint-cache.ts";

const key = fc.record({
  space: fc.constantFrom(0, 1, 0xffff_ffff),
  words: fc.tuple(...Array.from({ length: 4 }, () => fc.constantFrom(0, 1, 0xffff_ffff))),
});

describe("FingerprintCache", () => {
  it("never holds a key that was not added, nor forgets one within `capacity` further insertions", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 4 }),
        fc.array(key, { minLength: 1, maxLength: 200 }),
        (exponent, keys) => {
          const capacity = 2 ** exponent;
          const cache = new FingerprintCache(capacity);
          /** The number of the insertion that brought each key in last. */
          const insertedAt = new Map<string, number>();
          let insertions = 0;
          for (const { space, words } of keys) {
            const name = [space, ...words].join();
            const at = insertedAt.get(name);
            const held = cache.has(space, Uint32Array.from(words), 0);
            if (at === undefined) expect(held).toBe(false);
            else if (insertions - at <= capacity) expect(held).toBe(true);
            else if (insertions - at > 2 * capacity) expect(held).toBe(false);
            expect(cache.testAndAdd(space, Uint32Array.from(words), 0)).toBe(held);
            if (!held) insertedAt.set(name, ++insertions);
            expect(cache.has(space, Uint32Array.from(words), 0)).toBe(true);
          }
        },
      ),
    );
  });

  it("reads a key at its place among others", () => {
    const cache = new FingerprintCache(4);
    const words = Uint32Array.of(9, 9, 1, 2, 3, 4, 9);
    cache.testAndAdd(5, words, 2);
    expect(cache.has(5, Uint32Array.of(1, 2, 3, 4), 0)).toBe(true);
    expect(cache.has(5, words, 1)).toBe(false);
  });

  it("takes no capacity but a power of two", () => {
    for (const capacity of [0, 3, 1.5, 2 ** 27, Number.NaN]) {
      expect(() => new FingerprintCache(capacity)).toThrow(/power of two/u);
    }
  });
});
