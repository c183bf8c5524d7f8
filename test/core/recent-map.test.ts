import { describe, expect, it } from "vitest";
import { RecentMap } from "../../src/core/recent-map.ts";

function newMap(): RecentMap<string, number> {
  return new RecentMap({ costMax: 10, costOf: (value) => value, idleMsMax: 100 });
}

describe("RecentMap", () => {
  it("forgets what was used longest ago when all together cost too much", () => {
    const map = newMap();
    map.set("a", 4, 0);
    map.set("b", 4, 1);
    expect(map.get("a", 2)).toBe(4);
    map.set("c", 3, 3);
    expect(["a", "b", "c"].map((key) => map.get(key, 4))).toEqual([4, undefined, 3]);
  });

  it("counts a value's cost once, however often it is replaced", () => {
    const map = newMap();
    map.set("a", 4, 0);
    for (let n = 0; n < 10; n += 1) map.set("b", 6, n);
    expect(map.size).toBe(2);
    map.delete("b");
    map.set("c", 6, 20);
    expect(map.size).toBe(2);
  });

  it("keeps the newest value, whatever it costs", () => {
    const map = newMap();
    map.set("a", 1, 0);
    map.set("b", 11, 1);
    expect(map.size).toBe(1);
    expect(map.get("b", 2)).toBe(11);
  });

  it("forgets what nobody has used for long when something new comes", () => {
    const map = newMap();
    map.set("a", 1, 0);
    map.set("b", 1, 1);
    map.get("a", 60);
    map.set("c", 1, 101);
    expect(["a", "b", "c"].map((key) => map.get(key, 102))).toEqual([1, undefined, 1]);
    map.set("d", 1, 202);
    expect(map.size).toBe(1);
  });
});
