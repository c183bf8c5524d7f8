import { expect, it } from "vitest";
import { numberedKey } from "../../../src/core/record/named-keys.ts";
import { idOf } from "../../../src/core/record/id-of.ts";
import { MergedUrls } from "../../../src/peer/admission/merged-urls.ts";

it("remembers the rows that come in while somebody watches, and none of before", () => {
  const merged = new MergedUrls();
  const key = numberedKey("sieveLog", 1);
  const hasAfter = (step: () => void): boolean => {
    step();
    return merged.has(key);
  };
  const add = (): void => merged.add(idOf(key));
  expect(hasAfter(add)).toBe(false);
  expect(hasAfter(() => merged.watch())).toBe(false);
  expect(hasAfter(add)).toBe(true);
  expect(merged.has(numberedKey("sieveLog", 2))).toBe(false);
  expect(hasAfter(() => merged.watch())).toBe(false);
  add();
  expect(hasAfter(() => merged.unwatch())).toBe(false);
  expect(hasAfter(add)).toBe(false);
});
