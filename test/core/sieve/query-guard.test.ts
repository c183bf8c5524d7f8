import { describe, expect, it } from "vitest";
import { QueryGuard } from "../../../src/core/sieve/query-guard.ts";

const max = 10;

describe("the guard against a query explosion", () => {
  it("keeps a path at its limit as long as it is seen, however many others there are", () => {
    const guard = new QueryGuard();
    let admitted = 0;
    for (let number = 0; number < 100_000; number += 1) {
      if (guard.admit(`http://trap.example/?session=${number}`, 1, max)) admitted += 1;
      guard.admit(`http://a.example/${number}?a=1`, 1, max);
    }
    expect(admitted).toBe(max);
  });
});
