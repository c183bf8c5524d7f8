import { expect, it } from "vitest";
import { SystemEntropy } from "../../../src/adapters/system/system-entropy.ts";

it("draws numbers from zero to below one that are spread over the whole range", () => {
  const entropy = new SystemEntropy();
  const tenths = new Set<number>();
  for (let i = 0; i < 2_000; i += 1) {
    const drawn = entropy.random();
    expect(drawn >= 0 && drawn < 1).toBe(true);
    tenths.add(Math.floor(drawn * 10));
  }
  expect(tenths.size).toBe(10);
});
