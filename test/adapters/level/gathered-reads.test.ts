import { describe, expect, it } from "vitest";
import { GatheredReads } from "../../../src/adapters/level/gathered-reads.ts";
import type { Bytes } from "../../../src/ports/store.ts";

const bytes = (value: number): Bytes => Uint8Array.of(value >> 8, value & 255);

/** Reads that are answered, or fail, when the test says so. */
function held(): {
  readonly reads: GatheredReads;
  readonly asked: Bytes[][];
  readonly answer: (values: (Bytes | undefined)[]) => void;
  readonly fail: (error: Error) => void;
} {
  const asked: Bytes[][] = [];
  let waiting = Promise.withResolvers<(Bytes | undefined)[]>();
  const reads = new GatheredReads((keys) => {
    asked.push(keys);
    waiting = Promise.withResolvers();
    return waiting.promise;
  });
  return {
    reads,
    asked,
    answer: (values) => waiting.resolve(values),
    fail: (error) => waiting.reject(error),
  };
}

describe("GatheredReads", () => {
  it("reads at once, and gathers what is asked for meanwhile in the next read", async () => {
    const { reads, asked, answer } = held();
    const first = reads.get(bytes(1));
    const others = [reads.get(bytes(2)), reads.get(bytes(3)), reads.get(bytes(2))];
    expect(asked).toEqual([[bytes(1)]]);
    answer([bytes(10)]);
    expect(await first).toEqual(bytes(10));
    expect(asked).toEqual([[bytes(1)], [bytes(2), bytes(3), bytes(2)]]);
    answer([bytes(20), undefined, bytes(20)]);
    expect(await Promise.all(others)).toEqual([bytes(20), undefined, bytes(20)]);
    const last = reads.get(bytes(4));
    expect(asked).toHaveLength(3);
    answer([undefined]);
    expect(await last).toBeUndefined();
  });

  it("fails those of a read that failed, and no others", async () => {
    const { reads, answer, fail } = held();
    const first = reads.get(bytes(1));
    const second = reads.get(bytes(2));
    fail(new Error("the disk"));
    await expect(first).rejects.toThrow("the disk");
    answer([bytes(20)]);
    expect(await second).toEqual(bytes(20));
  });

  it("keeps each read small, and loses none", async () => {
    const sizes: number[] = [];
    const reads = new GatheredReads((keys) => {
      sizes.push(keys.length);
      return Promise.resolve(keys);
    });
    const keys = Array.from({ length: 1_000 }, (_, n) => bytes(n));
    expect(await Promise.all(keys.map((key) => reads.get(key)))).toEqual(keys);
    expect(Math.max(...sizes)).toBe(256);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(1_000);
  });
});
