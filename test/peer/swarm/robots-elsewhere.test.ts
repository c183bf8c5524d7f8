import { describe, expect, it } from "vitest";
import type { VirtualHit } from "../../../sim/world/virtual-web.ts";
import { SwarmBench } from "./swarm-bench.ts";

const delayMs = 1_000;

/** A request reaches the web half a round trip after its start: times there say what times here were. */
const web = { roundTripMedianMs: 1, roundTripTail: 0 };

describe("a robots.txt that stands at a host of another member", () => {
  it("is asked for a delay apart from the requests of all others", async () => {
    const bench = new SwarmBench(3, { web });
    const [root = ""] = bench.world.sampleWeb.rootUrls();
    const { host: hub } = new URL(root);
    bench.world.web.addRule(({ host, url }) =>
      host !== hub && url.endsWith("/robots.txt")
        ? { kind: "redirect", location: `http://${hub}/robots-of/${host}` }
        : undefined,
    );
    const hits: VirtualHit[] = [];
    bench.world.web.onHit((hit) => {
      if (hit.host === hub) hits.push(hit);
    });
    await bench.run(async () => {
      await bench.begin();
      await bench.inject(0, { delayMs });
      await bench.finished(0);
    });
    const rests = hits.slice(1).map((hit, at) => hit.atMs - (hits[at]?.atMs ?? 0));
    expect(new Set(hits.map(({ peer }) => peer)).size).toBe(3);
    expect(Math.min(...rests)).toBeGreaterThanOrEqual(delayMs);
    expect(bench.hits.filter(({ page }) => page >= 0)).toHaveLength(240);
  });
});
