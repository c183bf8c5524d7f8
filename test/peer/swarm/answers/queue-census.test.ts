import { describe, expect, it } from "vitest";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import { countQueued, takeCensus } from "../../../../src/peer/swarm/answers/queue-census.ts";
import { hosts, job, registry, store } from "./queued-rows.ts";

describe("takeCensus", () => {
  it("hands over what is to be written bit by bit, for each host once", async () => {
    let [most, waiting, missing] = [0, 0, 0];
    const { counts } = await takeCensus(store, registry, ArcSet.whole, (mends) => {
      waiting += mends.waiting.length;
      missing += mends.missing.length;
      most = Math.max(most, mends.waiting.length + mends.outdated.length + mends.missing.length);
      return Promise.resolve();
    });
    expect(counts).toEqual(new Map([[job.space, 2 * hosts]]));
    expect([waiting, missing]).toEqual([hosts, 2 * hosts]);
    expect(most).toBeLessThan(400);
  });
});

describe("countQueued", () => {
  it("counts what is queued", async () => {
    expect(await countQueued(store, ArcSet.whole)).toEqual(new Map([[job.space, 2 * hosts]]));
  });
});
