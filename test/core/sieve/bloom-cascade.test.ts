import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BloomCascade, filterPlan } from "../../../src/core/sieve/bloom-cascade.ts";
import { wordsOf } from "./words.ts";

const small = { capacity: 100, falsePositiveRate: 0.01 };

function cascadeOf(from: number, to: number, options = small): BloomCascade {
  const cascade = new BloomCascade(options);
  for (let n = from; n < to; n++) cascade.add(1, wordsOf(n), 0);
  return cascade;
}

const hits = (cascade: BloomCascade, space: number, from: number, to: number): number => {
  let count = 0;
  for (let n = from; n < to; n++) if (cascade.has(space, wordsOf(n), 0)) count++;
  return count;
};

describe("BloomCascade", () => {
  it("finds every key that was added, however far it has grown", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 0xffff_ffff })), { maxLength: 300 }),
        (keys) => {
          const cascade = new BloomCascade({ capacity: 3, falsePositiveRate: 0.3 });
          for (const [n, space] of keys) cascade.add(space, wordsOf(n), 0);
          expect(keys.every(([n, space]) => cascade.has(space, wordsOf(n), 0))).toBe(true);
        },
      ),
    );
  });

  it("plans filters whose rates add up to less than the whole cascade's", () => {
    const rates = Array.from({ length: 40 }, (_, i) => filterPlan(small, i).falsePositiveRate);
    expect(rates.reduce((sum, rate) => sum + rate)).toBeLessThan(small.falsePositiveRate);
    expect(filterPlan(small, 3).capacity).toBe(800);
  });

  it.each([100, 1000, 20_000])("keeps its false-positive rate with %i keys", (keys) => {
    const cascade = cascadeOf(0, keys);
    const asked = 100_000;
    const rate = hits(cascade, 1, keys, keys + asked) / asked;
    expect(rate).toBeLessThan(small.falsePositiveRate * 1.2);
  });

  it("spends at most 3 bytes a key while it doubles", () => {
    expect(cascadeOf(0, 20_000).bytes / 20_000).toBeLessThan(3);
  });

  it("tells the same fingerprint in two spaces apart", () => {
    const cascade = cascadeOf(0, 1000);
    expect(hits(cascade, 2, 0, 1000)).toBeLessThan(40);
    expect(hits(cascade, 0xffff_fffe, 0, 1000)).toBeLessThan(40);
  });

  it("adds only what it has not", () => {
    const cascade = new BloomCascade(small);
    expect(cascade.testAndAdd(1, wordsOf(1), 0)).toBe(false);
    expect(cascade.testAndAdd(1, wordsOf(1), 0)).toBe(true);
    expect(cascade.size).toBe(1);
  });
});

describe("the snapshot of a cascade", () => {
  const large = { capacity: 300_000, falsePositiveRate: 0.001 };

  it.each([
    [small, 0],
    [small, 100],
    [small, 5000],
    [large, 50_000],
  ])("brings all of it back: %o with %i keys", (options, keys) => {
    const cascade = cascadeOf(0, keys, options);
    const chunks = [...cascade.snapshot()];
    const restored = BloomCascade.restore(options, chunks);
    expect(restored?.size).toBe(keys);
    expect(restored && hits(restored, 1, 0, keys)).toBe(keys);
    expect(restored && hits(restored, 1, keys, keys + 5000)).toBe(
      hits(cascade, 1, keys, keys + 5000),
    );
    expect(restored && [...restored.snapshot()]).toEqual(chunks);
  });

  it("is several chunks of at most 256 KiB where it is large", () => {
    const sizes = [...new BloomCascade(large).snapshot()].map(({ byteLength }) => byteLength);
    expect(sizes.length).toBeGreaterThan(3);
    expect(Math.max(...sizes)).toBe(256 * 1024);
  });

  it("holds all keys from before it was asked for, whatever is added while it is taken", () => {
    const cascade = cascadeOf(0, 100);
    const taken = cascade.snapshot();
    for (let n = 100; n < 2000; n++) cascade.add(1, wordsOf(n), 0);
    const restored = BloomCascade.restore(small, [...taken]);
    expect(restored && hits(restored, 1, 0, 100)).toBe(100);
  });

  it("goes on growing after it was restored", () => {
    const restored = BloomCascade.restore(small, [...cascadeOf(0, 250).snapshot()]);
    for (let n = 250; n < 3000; n++) restored?.add(1, wordsOf(n), 0);
    expect(restored && hits(restored, 1, 0, 3000)).toBe(3000);
    expect(restored && hits(restored, 1, 3000, 53_000) / 50_000).toBeLessThan(0.012);
  });

  it("is refused when a bit of it has changed, anywhere", () => {
    const chunks = [...cascadeOf(0, 250).snapshot()];
    const bits = chunks.flatMap((chunk, index) =>
      Array.from({ length: chunk.byteLength * 8 }, (_, bit) => ({ index, bit })),
    );
    fc.assert(
      fc.property(fc.constantFrom(...bits), ({ index, bit }) => {
        const damaged = chunks.map((chunk) => chunk.slice());
        const chunk = damaged[index] ?? new Uint8Array();
        chunk[bit >>> 3] = (chunk[bit >>> 3] ?? 0) ^ (1 << (bit & 7));
        expect(BloomCascade.restore(small, damaged)).toBeUndefined();
      }),
    );
  });

  it("is refused when chunks are missing, torn, doubled, out of order or of another snapshot", () => {
    const chunks = [...cascadeOf(0, 250).snapshot()];
    const others = [...cascadeOf(1000, 1251).snapshot()];
    const torn = chunks.map((chunk, i) => (i === 1 ? chunk.subarray(0, -1) : chunk));
    const mixed = chunks.map((chunk, i) => (i === 1 ? (others[1] ?? chunk) : chunk));
    const [first, ...rest] = chunks;
    const variants = [
      [],
      rest,
      chunks.slice(0, -1),
      [...chunks, ...chunks.slice(-1)],
      [...(first ? [first] : []), ...rest.toReversed()],
      torn,
      mixed,
      chunks.map(() => new Uint8Array()),
    ];
    for (const variant of variants) expect(BloomCascade.restore(small, variant)).toBeUndefined();
    expect(BloomCascade.restore(small, chunks)).toBeDefined();
  });

  it("is refused when two pieces of one filter have changed places", () => {
    const [header, first, second, ...rest] = [...cascadeOf(0, 1000, large).snapshot()];
    const swapped = [header, second, first, ...rest].filter((chunk) => chunk !== undefined);
    expect(swapped.length).toBeGreaterThan(3);
    expect(BloomCascade.restore(large, swapped)).toBeUndefined();
  });

  it("is refused by a cascade with other options", () => {
    const chunks = [...cascadeOf(0, 10).snapshot()];
    expect(BloomCascade.restore({ ...small, capacity: 101 }, chunks)).toBeUndefined();
    expect(BloomCascade.restore({ ...small, falsePositiveRate: 0.011 }, chunks)).toBeUndefined();
  });

  it("is refused, and never throws, whatever the bytes are", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 64 }), { maxLength: 4 }), (chunks) => {
        expect(BloomCascade.restore(small, chunks)).toBeUndefined();
      }),
    );
  });
});
