import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BinaryHeap } from "../../../src/core/frontier/binary-heap.ts";

function drain<T>(heap: BinaryHeap<T>): T[] {
  const items: T[] = [];
  for (let item = heap.pop(); item !== undefined; item = heap.pop()) items.push(item);
  return items;
}

describe("BinaryHeap", () => {
  it("serves the smallest key first, and who came first among equal keys", () => {
    const heap = new BinaryHeap<string>();
    for (const [item, key] of Object.entries({ a: 2, b: 1, c: 2, d: 1, e: 0 })) heap.set(item, key);
    expect(drain(heap)).toEqual(["e", "b", "d", "a", "c"]);
  });

  it("moves an item to another key, behind those that have it already", () => {
    const heap = new BinaryHeap<string>();
    for (const item of ["a", "b", "c"]) heap.set(item, 1);
    heap.set("a", 0);
    heap.set("a", 1);
    heap.set("c", 0);
    expect(drain(heap)).toEqual(["c", "b", "a"]);
  });

  it("leaves an item in its turn when it is set to the key that it has", () => {
    const heap = new BinaryHeap<string>();
    for (const item of ["a", "b"]) heap.set(item, 1);
    heap.set("a", 1);
    expect(drain(heap)).toEqual(["a", "b"]);
  });

  it("refuses what is no number", () => {
    expect(() => new BinaryHeap<string>().set("a", NaN)).toThrow("a heap's key is a number");
  });

  it("agrees with a sorted list, whatever is put in, moved and removed", () => {
    const item = fc.nat(30);
    const change = fc.oneof(
      { weight: 5, arbitrary: fc.record({ set: item, key: fc.nat(60) }) },
      { weight: 2, arbitrary: fc.record({ remove: item }) },
      { weight: 2, arbitrary: fc.constant("pop" as const) },
    );
    fc.assert(
      fc.property(fc.array(change, { maxLength: 200, size: "max" }), (changes) => {
        const heap = new BinaryHeap<number>();
        let model: { item: number; key: number }[] = [];
        for (const made of changes) {
          if (made === "pop") {
            expect(heap.pop()).toBe(model.shift()?.item);
          } else if ("remove" in made) {
            const without = model.filter((entry) => entry.item !== made.remove);
            expect(heap.remove(made.remove)).toBe(without.length < model.length);
            model = without;
          } else if (model.find((entry) => entry.item === made.set)?.key !== made.key) {
            model = model.filter((entry) => entry.item !== made.set);
            model.push({ item: made.set, key: made.key });
            model.sort((left, right) => left.key - right.key);
          }
          if (typeof made === "object" && "set" in made) heap.set(made.set, made.key);
          expect(heap.size).toBe(model.length);
          expect(heap.peek()).toBe(model[0]?.item);
          expect(heap.peekKey()).toBe(model[0]?.key);
        }
        expect(drain(heap)).toEqual(model.map((entry) => entry.item));
      }),
    );
  });
});
