import { expect, it } from "vitest";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import type { MemberId } from "../../../../src/core/units.ts";
import { OwnershipBench } from "./ownership-bench.ts";

const [a, b] = ["a" as MemberId, "b" as MemberId];

it("what is to be crawled is told when it is set who needs copies, on which it hangs", async () => {
  const bench = new OwnershipBench([a, b]);
  const own = bench.view.ring.arcsOf(a);
  bench.territory.take(own);
  const unknown = (): ArcSet => (bench.needs.length === 0 ? ArcSet.whole : ArcSet.empty);
  Object.defineProperty(bench, "blind", { get: unknown });
  await bench.run(() => Promise.resolve());
  expect(bench.crawled[0]?.equals(own)).toBe(true);
});
