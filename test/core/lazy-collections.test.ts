import { describe, expect, it } from "vitest";
import { LazyMap, LazySet } from "../../src/core/lazy-collections.ts";

describe("LazyMap", () => {
  it("is a map, with entries or without", () => {
    const map = new LazyMap<string, number>();
    expect([map.size, map.get("a"), map.has("a"), map.delete("a")]).toEqual([
      0,
      undefined,
      false,
      false,
    ]);
    expect([...map, ...map.values()]).toEqual([]);
    map.set("a", 1);
    map.set("b", 2);
    map.set("a", 3);
    expect([map.size, map.get("a"), map.has("b"), map.has("c")]).toEqual([2, 3, true, false]);
    expect([...map]).toEqual([
      ["a", 3],
      ["b", 2],
    ]);
    expect(map.delete("a")).toBe(true);
    expect([...map.values()]).toEqual([2]);
  });
});

describe("LazySet", () => {
  it("is a set, with entries or without", () => {
    const set = new LazySet<string>();
    set.delete("a");
    expect([set.size, set.has("a"), ...set]).toEqual([0, false]);
    for (const value of ["a", "b", "a"]) set.add(value);
    expect([set.size, set.has("a"), ...set]).toEqual([2, true, "a", "b"]);
    set.delete("a");
    expect([set.size, set.has("a"), ...set]).toEqual([1, false, "b"]);
  });
});
