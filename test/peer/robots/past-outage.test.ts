import { expect, it } from "vitest";
import type { JobId } from "../../../src/core/units.ts";
import { htmlPage } from "../../support/table-web.ts";
import { testJob, VirtualPeer } from "../../support/virtual-peer.ts";

const never = new AbortController().signal;
const again = "again" as JobId;
const hourMs = 3_600_000;
const site = ["http://site.example/1", "http://site.example/2", "http://site.example/3"];

/** A site that is out of reach for all of the first job, and for `outMs` of one a day later. */
async function crawlTwice(outMs: number): Promise<VirtualPeer> {
  let openAtMs = Infinity;
  const machine: VirtualPeer = new VirtualPeer((url) => {
    if (machine.clock.nowMs() < openAtMs) return { failure: "connect-refused" };
    return url.endsWith("/robots.txt") ? { status: 404 } : htmlPage();
  });
  await machine.clock.run(
    (async () => {
      const peer = await machine.start();
      await machine.inject(site);
      await peer.jobFinished(testJob, never);
      await machine.clock.sleep(25 * hourMs);
      openAtMs = machine.clock.nowMs() + outMs;
      await peer.inject(again, site);
      await peer.jobFinished(again, never);
    })(),
  );
  return machine;
}

it("costs no URL of a later job, of which the origin is out of reach for a moment", async () => {
  const { peer } = await crawlTwice(10_000);
  expect(peer.job(testJob).counts).toMatchObject({ fetched: 0, failed: 3 });
  expect(peer.job(again).counts).toMatchObject({ fetched: 3, failed: 0 });
});

it("does not keep a later job from giving the origin up after as many attempts", async () => {
  const { peer, web } = await crawlTwice(Infinity);
  expect(peer.job(again).counts).toMatchObject({ fetched: 0, failed: 3 });
  expect(web.hits).toHaveLength(2 * 7);
});

it("is one and the same where the host's turns are hours apart, so that the job comes to its end", async () => {
  const machine = new VirtualPeer((_, asked) =>
    asked < 20 ? { failure: "connect-refused" } : { status: 404 },
  );
  await machine.crawl(site.slice(0, 2), { delayMs: 2 * hourMs });
  expect(machine.peer.job(testJob).counts).toMatchObject({ failed: 2, queued: 0 });
  expect(machine.web.hits).toHaveLength(7 + 1);
});
