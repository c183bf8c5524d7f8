import { expect } from "vitest";
import { ArcSet } from "../../src/core/ring/arc-set.ts";

// All that two sets differ by is private: to toEqual any two of them would be the same.
expect.addEqualityTesters([
  (one: unknown, other: unknown) =>
    one instanceof ArcSet && other instanceof ArcSet ? one.equals(other) : undefined,
]);
