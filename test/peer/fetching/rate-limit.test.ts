import { describe, expect, it } from "vitest";
import { htmlPage } from "../../support/table-web.ts";
import { testJob, VirtualPeer } from "../../support/virtual-peer.ts";

/** A machine before a site that refuses what comes sooner than so long after its last page. */
function machineBefore(gapMs: number, status: number): VirtualPeer {
  let servedAtMs = -Infinity;
  const machine: VirtualPeer = new VirtualPeer((url) => {
    if (url.endsWith("/robots.txt")) return undefined;
    const nowMs = machine.clock.nowMs();
    if (nowMs - servedAtMs < gapMs) return { status };
    servedAtMs = nowMs;
    return htmlPage();
  });
  return machine;
}

const urls = Array.from({ length: 200 }, (_, number) => `http://site.example/${number}`);

describe("a host that refuses what comes too soon", () => {
  it.each([
    [2_000, 429],
    [2_000, 503],
    [8_000, 429],
  ])("is asked at the pace that it wants (%i ms, %i)", async (gapMs, status) => {
    const machine = machineBefore(gapMs, status);
    const startMs = machine.clock.nowMs();
    const peer = await machine.crawl(urls, { delayMs: 1_000 });
    expect(peer.job(testJob).counts).toMatchObject({ pages: urls.length });
    expect(machine.web.hits.length).toBeLessThan(urls.length * 1.2);
    expect(machine.clock.nowMs() - startMs).toBeLessThan(urls.length * gapMs * 1.7);
  });

  it("is known for its pace by the next process", async () => {
    const machine = machineBefore(8_000, 429);
    await machine.clock.run(
      (async () => {
        await machine.start();
        await machine.inject(urls, { delayMs: 1_000 });
        await machine.clock.sleep(300_000);
        machine.kill();
        const { length } = machine.web.hits;
        await machine.start();
        await machine.clock.sleep(40_000);
        const atMs = machine.web.hits.slice(length).map(({ startedAtMs }) => startedAtMs);
        expect(atMs.length).toBeGreaterThan(3);
        const gaps = atMs.slice(1).map((laterMs, at) => laterMs - (atMs[at] ?? 0));
        expect(Math.min(...gaps)).toBeGreaterThan(7_000);
      })(),
    );
  });
});
