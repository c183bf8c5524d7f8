import { describe, expect, it } from "vitest";
import { QueryGuard } from "../../../src/core/sieve/query-guard.ts";

const max = 10;

/** How many of so many queries of a path are let in. */
function admittedOf(guard: QueryGuard, path: string, queries: number, space = 1): number {
  const urls = Array.from({ length: queries }, (_, number) => `${path}?session=${number}`);
  return urls.filter((url) => guard.admit(url, space, max)).length;
}

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

  it("counts no URL that has no query", () => {
    expect(new QueryGuard().admit("http://a.example/", 1, 0)).toBe(true);
  });

  it("counts each path of each job for itself", () => {
    const guard = new QueryGuard();
    const [path, other] = ["http://a.example/", "http://a.example/b"];
    const admitted = [path, other].map((each) => admittedOf(guard, each, max + 1));
    expect([...admitted, admittedOf(guard, path, max + 1, 2)]).toEqual([max, max, max]);
  });

  it("lets one more in where the limit is one higher than what was let in", () => {
    const guard = new QueryGuard();
    const path = "http://a.example/";
    admittedOf(guard, path, 2 * max);
    const admitted = [1, 2].map((number) => guard.admit(`${path}?${number}`, 1, max + 1));
    expect(admitted).toEqual([true, false]);
  });

  it("forgets a path that has not been seen for thousands of others", () => {
    const guard = new QueryGuard();
    const path = "http://a.example/";
    admittedOf(guard, path, max);
    for (let number = 0; number < 2 * 8_192; number += 1) guard.admit(`${path}${number}?`, 1, max);
    expect(admittedOf(guard, path, 1)).toBe(1);
  });
});
