import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { htmlPage } from "../support/table-web.ts";
import type { Pages } from "../support/table-web.ts";
import { testJob, VirtualPeer } from "../support/virtual-peer.ts";

const hosts = 6;
const pagesPerHost = 25;

/** Pages in a ring with chords, over several hosts: each can be reached in many ways. The first of a host leads to half of them. */
function webOf(pagesEach: number): Pages {
  return (url) => {
    const match = /^http:\/\/h(\d+)\.example\/p(\d+)$/.exec(url);
    if (!match) return undefined;
    const host = Number(match[1]);
    const page = Number(match[2]);
    const next = (page + 1) % pagesEach;
    const half = page === 0 ? Math.floor(pagesEach / 2) : 0;
    return htmlPage(
      ...Array.from({ length: half }, (_, number) => `/p${2 * number + 1}`),
      `/p${next}`,
      `/p${(page * 7 + 3) % pagesEach}`,
      `http://h${(host + 1) % hosts}.example/p${page}`,
    );
  };
}

const web = webOf(pagesPerHost);

const seed = "http://h0.example/p0";

/** Crawls to the end, killing the process after each of these times. */
async function crawlThroughKills(
  machine: VirtualPeer,
  killsAfterMs: readonly number[],
): Promise<void> {
  const forever = new AbortController().signal;
  await machine.start();
  await machine.inject([seed], { scope: "any", delayMs: 50, connectionsPerHost: 2 });
  for (const afterMs of killsAfterMs) {
    await machine.clock.sleep(afterMs);
    machine.kill();
    await machine.start();
  }
  await machine.peer.jobFinished(testJob, forever);
}

describe("a peer that is killed again and again", () => {
  it("loses no page, and fetches again no more than it counts", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 700 }), { minLength: 1, maxLength: 12 }),
        async (kills) => {
          const machine = new VirtualPeer(web);
          await machine.clock.run(crawlThroughKills(machine, kills));
          const fetched = [...machine.web.counts().values()];
          expect(fetched.length).toBe(hosts * pagesPerHost);
          const again = fetched.reduce((sum, count) => sum + count - 1, 0);
          const { counts, finished } = machine.peer.job(testJob);
          expect(again).toBeLessThanOrEqual(counts.duplicateFetches);
          expect({ finished, pages: counts.pages, queued: counts.queued }).toEqual({
            finished: true,
            pages: hosts * pagesPerHost,
            queued: 0,
          });
          const urls = [...machine.web.counts().keys()];
          const contents = await Promise.all(urls.map((url) => machine.peer.content(url)));
          expect(contents.every(({ status }) => status === 200)).toBe(true);
          expect(machine.archived().sort()).toEqual(urls.sort());
        },
      ),
      { numRuns: 15, seed: 1 },
    );
  });

  it("archives nothing twice, however soon the first kill comes", async () => {
    const slowDisk = { writeMs: 20, syncMedianMs: 5, syncTail: 0 };
    // Each kill comes before a host's pages are all fetched.
    const pagesEach = 10;
    for (let afterMs = 0; afterMs < 300; afterMs += 10) {
      const machine = new VirtualPeer(webOf(pagesEach), {}, slowDisk);
      await machine.clock.run(crawlThroughKills(machine, [afterMs]));
      expect(machine.archived().length).toBe(hosts * pagesEach);
      expect(new Set(machine.archived()).size).toBe(machine.archived().length);
    }
  });

  it("keeps every host's delay across the kill", async () => {
    const machine = new VirtualPeer(web);
    await machine.clock.run(crawlThroughKills(machine, [90, 210, 340, 20, 600]));
    const byHost = Map.groupBy(machine.web.hits, ({ host }) => host);
    for (const hits of byHost.values()) {
      const starts = hits.map(({ startedAtMs }) => startedAtMs).sort((a, b) => a - b);
      const gaps = starts.slice(1).map((startedAtMs, at) => startedAtMs - (starts[at] ?? 0));
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(50);
    }
  });
});
