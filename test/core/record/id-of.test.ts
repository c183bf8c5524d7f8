import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareKeys } from "../../../src/core/record/compare-keys.ts";
import { idOf, keyOf } from "../../../src/core/record/id-of.ts";

const keys = fc.uint8Array({ maxLength: 6 });

describe("a key's id", () => {
  it("is that of one key", () => {
    fc.assert(
      fc.property(keys, (key) => {
        expect(keyOf(idOf(key))).toEqual(key);
      }),
    );
  });

  it("stands in the order of the keys", () => {
    fc.assert(
      fc.property(keys, keys, (one, other) => {
        const order = compareKeys(one, other);
        expect(idOf(one) < idOf(other)).toBe(order < 0);
        expect(idOf(one) === idOf(other)).toBe(order === 0);
      }),
    );
  });
});
