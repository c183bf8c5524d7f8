import { expect, it } from "vitest";
import { forgetOldest } from "../../src/core/forget-oldest.ts";

it("forgets what has been there for longest, and no more than is too much", () => {
  const set = new Set(["a", "b", "c", "d"]);
  forgetOldest(set, 4);
  expect([...set]).toEqual(["a", "b", "c", "d"]);
  forgetOldest(set, 2);
  expect([...set]).toEqual(["c", "d"]);
});

it("counts an entry of a map as new that was deleted before it was set again", () => {
  const map = new Map([
    ["a", 1],
    ["b", 2],
  ]);
  map.delete("a");
  map.set("a", 3);
  forgetOldest(map, 1);
  expect([...map]).toEqual([["a", 3]]);
});
