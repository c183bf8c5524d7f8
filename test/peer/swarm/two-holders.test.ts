import { describe, expect, it } from "vitest";
import type { VirtualHit } from "../../../sim/world/virtual-web.ts";
import type { CanonicalUrl, Millis } from "../../../src/core/units.ts";
import { hostOf } from "../../../src/core/url/site-of.ts";
import { job, SwarmBench } from "./swarm-bench.ts";
import { tellHosts } from "./tell-hosts.ts";

const restMs: Millis = 30_000;

describe("a host of which another member says that it must be left alone", () => {
  it.each(["backoffUntilMs", "breakerUntilMs"] as const)(
    "is not asked before by the one that holds it, at work or not: %s",
    async (clock) => {
      const bench = new SwarmBench(2);
      const untilMs = await bench.run(async () => {
        await bench.begin();
        await bench.inject(0);
        const hosts = bench.world.sampleWeb.rootUrls().map((url) => hostOf(url as CanonicalUrl));
        // Some are being crawled by then.
        await bench.pass(1_000);
        expect(bench.hits.length).toBeGreaterThan(0);
        const endMs = bench.world.clock.nowMs() + restMs;
        for (const [from, to] of [
          [0, 1],
          [1, 0],
        ] as const) {
          await tellHosts(bench, { from, to }, hosts, { nextFetchAtMs: endMs, [clock]: endMs });
        }
        const told = new Set<string>(hosts);
        // Requests that were under way have come to their end.
        await bench.pass(1_000);
        const asked = (): number => bench.hits.filter(({ host }) => told.has(host)).length;
        const before = asked();
        await bench.pass(restMs / 2);
        await bench.peer(0).changeJob(job, "pause");
        await bench.peer(0).changeJob(job, "resume");
        await bench.pass(restMs / 3);
        expect(asked()).toBe(before);
        await bench.finished(0);
        return endMs;
      });
      expect(bench.urls).toHaveLength(240);
      expect(bench.world.clock.nowMs()).toBeGreaterThan(untilMs);
    },
  );

  it("is asked from then on as slowly as that one has been told", async () => {
    const bench = new SwarmBench(2);
    const crawlDelayMs = 5_000;
    await bench.run(async () => {
      await bench.begin();
      await bench.inject(0);
      const [url = ""] = bench.world.sampleWeb.rootUrls();
      const told = hostOf(url as CanonicalUrl);
      const hits = (): VirtualHit[] => bench.hits.filter(({ host }) => host === told);
      while (hits().length < 2) await bench.pass(10);
      const to = bench.holderOf(url);
      await tellHosts(bench, { from: 1 - to, to }, [told], { crawlDelayMs });
      await bench.pass(1_000);
      const before = hits().length;
      await bench.finished(0);
      const later = hits().slice(before);
      expect(later.length).toBeGreaterThan(2);
      const gaps = later.slice(1).map(({ atMs }, at) => atMs - (later[at]?.atMs ?? 0));
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(crawlDelayMs - 1);
    });
  });
});
