import { describe, expect, it } from "vitest";
import { htmlPage } from "../support/table-web.ts";
import type { Pages } from "../support/table-web.ts";
import { testJob, VirtualPeer } from "../support/virtual-peer.ts";

const forever = new AbortController().signal;

/** Many pages end while one commit is under way. */
const slowDisk = { writeMs: 1, syncMedianMs: 2_000, syncTail: 0 };

const homePages: Pages = (url) => (/^http:\/\/h\d+\.example\/$/.test(url) ? htmlPage() : undefined);

/** Of two hosts the first has a link to a page of the second, which only the second may follow. */
const pairs: Pages = (url) => {
  const number = Number(/^http:\/\/h(\d+)\.example\/$/.exec(url)?.[1]);
  if (number % 2 === 0) return htmlPage(`http://h${number + 1}.example/page`);
  return number % 2 === 1 ? htmlPage("/page") : htmlPage();
};

function homes(count: number): string[] {
  return Array.from({ length: count }, (_, number) => `http://h${number}.example/`);
}

describe("admission", () => {
  it("holds pages back while the archive is full", async () => {
    const machine = new VirtualPeer(homePages, {}, slowDisk);
    machine.archivePendingMax = 600;
    const peer = await machine.crawl(homes(900));
    expect(peer.job(testJob).counts).toMatchObject({ pages: 900, failed: 0 });
  });

  it("leaves nothing behind of a round that fails half-way", async () => {
    const machine = new VirtualPeer(pairs);
    // More pages than that end together.
    machine.archivePendingMax = 60;
    await machine.clock.run(
      (async () => {
        const peer = await machine.start();
        await machine.inject(homes(400), { scope: "host" });
        await peer.failed;
        await peer.stop();
        machine.archivePendingMax = Infinity;
        const next = await machine.start();
        await next.jobFinished(testJob, forever);
      })(),
    );
    expect(machine.peer.job(testJob).counts).toMatchObject({ pages: 600, queued: 0 });
    expect(machine.archived()).toHaveLength(600);
  });
});
