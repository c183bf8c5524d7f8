import fc from "fast-check";
import { expect, it } from "vitest";
import { isKeyWithin, isWithin } from "../../../src/core/frontier/sorted-head.ts";
import { keyOf } from "../../../src/core/record/id-of.ts";

it("a key is within a horizon where its id is", () => {
  // Few different bytes, so that one is often the beginning of the other.
  const unit = fc.constantFrom("\u0000", "a", "\u00ff");
  const id = fc.string({ unit, minLength: 1, maxLength: 4 });
  const horizon = fc.option(fc.string({ unit, maxLength: 4 }), { nil: undefined });
  fc.assert(
    fc.property(id, horizon, (one, end) => {
      expect(isKeyWithin(keyOf(one), end)).toBe(isWithin(one, end));
    }),
    { numRuns: 1_000 },
  );
});
