import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasMoreValues } from "../../../src/adapters/http-api/value-count.ts";

/** Lists, objects, names, and values but the first of each list or object: as many as there are marks. */
function marksOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const inner = Object.values(value as Readonly<Record<string, unknown>>);
  const names = Array.isArray(value) ? 0 : inner.length;
  const commas = Math.max(inner.length - 1, 0);
  return inner.reduce<number>((sum, each) => sum + marksOf(each), 1 + names + commas);
}

describe("hasMoreValues", () => {
  it("counts what is there, and nothing within strings", () => {
    const mark = fc.string({ unit: fc.constantFrom("[", "{", ",", ":", '"', "\\", "é", "x") });
    const value = fc.jsonValue();
    const text = fc.tuple(value, fc.array(mark), fc.dictionary(mark, mark));
    fc.assert(
      fc.property(text, fc.constantFrom(undefined, 2), (each, indent) => {
        const bytes = Buffer.from(JSON.stringify(each, undefined, indent));
        // As a reader sees it: of two equal names the last one counts, and a minus of zero is lost.
        const marks = marksOf(JSON.parse(bytes.toString()));
        expect(hasMoreValues(bytes, marks)).toBe(false);
        expect(hasMoreValues(bytes, marks - 1)).toBe(true);
      }),
    );
  });

  it("reads no further than it takes", () => {
    const read: number[] = [];
    const bytes = new Proxy(Buffer.from("[[[[[[["), {
      get: (target, key) => {
        if (typeof key === "string" && /^\d+$/u.test(key)) read.push(Number(key));
        return Reflect.get(target, key, target) as unknown;
      },
    });
    expect(hasMoreValues(bytes, 2)).toBe(true);
    expect(read).toEqual([0, 1, 2]);
  });
});
