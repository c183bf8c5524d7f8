import { describe, expect, it } from "vitest";
import { planOf } from "../../../sim/scenarios/scenarios.ts";

const seeds = Array.from({ length: 20 }, (_, seed) => seed);

function drawn(peers: number) {
  const webs = seeds.map(
    (seed) => planOf("crash", { seed, peers, sites: 15, pages: 300 }).settings.sampleWeb,
  );
  const of = (name: "crawlDelaySeconds" | "retryAfterSeconds"): unknown[] =>
    [...new Set(webs.map((web) => web[name]))].sort();
  return { crawlDelays: of("crawlDelaySeconds"), retryAfters: of("retryAfterSeconds") };
}

describe("the web of a scenario", () => {
  it("asks for more patience with some seeds than it takes to bury a member, and than a failure", () => {
    expect(drawn(4)).toEqual({ crawlDelays: [1, 8], retryAfters: [1, 5] });
  });

  it("keeps no crowd of members waiting", () => {
    expect(drawn(50).crawlDelays).toEqual([1]);
  });
});
