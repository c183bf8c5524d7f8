import { expect, it } from "vitest";
import { htmlPage } from "../../support/table-web.ts";
import { testJob, VirtualPeer } from "../../support/virtual-peer.ts";

/** Behind a look at the jobs, so that what is fetched then is over before the next one. */
const behindLookMs = [10, 30, 60, 100];

it.each(behindLookMs)(
  "a job that goes on as its limit is raised counts its time, begun %i ms behind a look",
  async (ms) => {
    const urls = [1, 2].map((page) => `http://site.example/${page}`);
    const machine = new VirtualPeer(() => htmlPage());
    await machine.clock.run(
      (async () => {
        const peer = await machine.start();
        const startMs = machine.clock.nowMs();
        await machine.inject(urls, { delayMs: 10, pagesMax: 1 });
        await peer.jobFinished(testJob, new AbortController().signal);
        await machine.clock.sleep(startMs + 10_000 + ms - machine.clock.nowMs());
        const before = peer.job(testJob).counts;
        await peer.inject(testJob, [], { delayMs: 10, pagesMax: 2 });
        await peer.jobFinished(testJob, new AbortController().signal);
        await machine.clock.sleep(1_000);
        const after = peer.job(testJob).counts;
        expect(after.pages).toBe(before.pages + 1);
        expect(after.activeMs).toBeGreaterThan(before.activeMs);
      })(),
    );
  },
);
