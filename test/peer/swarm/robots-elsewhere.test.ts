import { describe, expect, it } from "vitest";
import { plainSampleWebOptions } from "../../../sim/sample-web/sample-web-options.ts";
import type { VirtualHit } from "../../../sim/world/virtual-web.ts";
import { SwarmBench } from "./swarm-bench.ts";

const delayMs = 1_000;

/** A request reaches the web half a round trip after its start: times there say what times here were. */
const web = { roundTripMedianMs: 1, roundTripTail: 0 };

/** Crawls a web whose robots.txts all lead to its first host, the hub; what that was asked. */
async function crawledByHub(bench: SwarmBench): Promise<{ hub: string; hits: VirtualHit[] }> {
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
  return { hub, hits };
}

function gapsMs(hits: readonly VirtualHit[]): number[] {
  return hits.slice(1).map((hit, at) => hit.atMs - (hits[at]?.atMs ?? 0));
}

describe("a robots.txt that stands at a host of another member", () => {
  it("is asked for a delay apart from the requests of all others", async () => {
    const bench = new SwarmBench(3, { web });
    const { hits } = await crawledByHub(bench);
    expect(new Set(hits.map(({ peer }) => peer)).size).toBe(3);
    expect(Math.min(...gapsMs(hits))).toBeGreaterThanOrEqual(delayMs);
    expect(bench.hits.filter(({ page }) => page >= 0)).toHaveLength(240);
  });

  it("is asked for at the pace that its host's own robots.txt asks for, and not given up for it", async () => {
    const crawlDelaySeconds = 30;
    const sites = { sites: 12, totalPages: 240, seed: 1 };
    const pace = { crawlDelayShare: 1, crawlDelaySeconds };
    const sampleWeb = { ...plainSampleWebOptions, ...sites, ...pace };
    const bench = new SwarmBench(3, { web, sampleWeb });
    const { hits, hub } = await crawledByHub(bench);
    const told = hits.findIndex(({ url }) => url === `http://${hub}/robots.txt`);
    const later = hits.slice(told + 1);
    expect(new Set(later.map(({ peer }) => peer)).size).toBeGreaterThan(1);
    expect(Math.min(...gapsMs(later))).toBeGreaterThanOrEqual(crawlDelaySeconds * 1_000);
    expect(bench.hits.filter(({ page }) => page >= 0)).toHaveLength(240);
  });
});
