import { afterEach, describe, expect, it, vi } from "vitest";
import type { JobId } from "../../../src/core/units.ts";
import { HostPreparer } from "../../../src/peer/frontier/host-preparer.ts";
import { htmlPage, type Pages } from "../../support/table-web.ts";
import { VirtualPeer } from "../../support/virtual-peer.ts";

const hosts = 400;
const job = "limited" as JobId;

const homes = Array.from({ length: hosts }, (_, number) => `http://h${number}.example/`);

afterEach(() => {
  vi.restoreAllMocks();
});

/** Crawls the homes with a limit; returns the job's end, and how often a host was looked after. */
async function crawl(pages: Pages, pagesMax: number): Promise<{ ended: unknown; looks: number }> {
  const looks = vi.spyOn(HostPreparer.prototype, "prepare");
  const machine = new VirtualPeer(pages);
  const ended = await machine.clock.run(
    (async () => {
      const peer = await machine.start();
      await peer.inject(job, homes, { delayMs: 1_000, pagesMax });
      await peer.jobFinished(job, new AbortController().signal);
      return peer.job(job);
    })(),
  );
  return { ended, looks: looks.mock.calls.length };
}

describe("a request that ends without a page, of a job at its limit", () => {
  it("rouses some hosts, not all", async () => {
    const { ended, looks } = await crawl(() => undefined, 1);
    expect(ended).toMatchObject({ counts: { fetched: hosts, pages: 0, queued: 0 } });
    expect(looks).toBeLessThan(hosts * 150);
  });

  it("leaves no host behind while there may be pages", async () => {
    // Many requests end at once, and of those that may follow only some fail.
    const isPage = (url: string): boolean => Number(/\d+/.exec(url)?.[0]) % 4 === 0;
    const { ended } = await crawl((url) => (isPage(url) ? htmlPage() : undefined), 90);
    expect(ended).toMatchObject({ finished: true, counts: { pages: 90 } });
  });
});
