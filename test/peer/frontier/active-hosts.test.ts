import { describe, expect, it } from "vitest";
import type { JobId } from "../../../src/core/units.ts";
import type { Peer } from "../../../src/peer/peer.ts";
import { htmlPage } from "../../support/table-web.ts";
import type { Pages } from "../../support/table-web.ts";
import { VirtualPeer } from "../../support/virtual-peer.ts";

const forever = new AbortController().signal;
const [old, next] = ["old", "next"] as [JobId, JobId];

const homePages: Pages = (url) => (/^http:\/\/\w+\.example\/$/.test(url) ? htmlPage() : undefined);

/** A peer with fewer places for hosts than the old job has of them. */
function smallMachine(): VirtualPeer {
  return new VirtualPeer(homePages, { frontier: { activeHostsMax: 10, headUrlsMax: 5_000 } });
}

function injectOld(peer: Peer, options: { delayMs: number; pagesMax?: number }): Promise<unknown> {
  const urls = Array.from({ length: 30 }, (_, number) => `http://a${number}.example/`);
  return peer.inject(old, urls, options);
}

/** How the next job stands after ten minutes. */
async function crawlNext(machine: VirtualPeer, peer: Peer): Promise<unknown> {
  await peer.inject(next, ["http://b.example/"], { delayMs: 100 });
  await machine.clock.sleep(600_000);
  return peer.job(next);
}

const done = { finished: true, counts: { pages: 1 } };

describe("the places of hosts in memory", () => {
  it("are free for other jobs when a job is cancelled", async () => {
    const machine = smallMachine();
    const state = await machine.clock.run(
      (async () => {
        const peer = await machine.start();
        await injectOld(peer, { delayMs: 60_000 });
        await peer.changeJob(old, "cancel");
        return crawlNext(machine, peer);
      })(),
    );
    expect(state).toMatchObject(done);
  });

  it("are free for other jobs while a job is paused, which goes on when it is resumed", async () => {
    const machine = smallMachine();
    const states = await machine.clock.run(
      (async () => {
        const peer = await machine.start();
        await injectOld(peer, { delayMs: 60_000 });
        await peer.changeJob(old, "pause");
        const state = await crawlNext(machine, peer);
        await peer.changeJob(old, "resume");
        await peer.jobFinished(old, forever);
        return [state, peer.job(old)];
      })(),
    );
    expect(states).toMatchObject([done, { finished: true, counts: { pages: 30, queued: 0 } }]);
    expect(new Set(machine.web.counts().values())).toEqual(new Set([1]));
  });

  it("are free for other jobs when a job has the pages that it asks for", async () => {
    const machine = smallMachine();
    const state = await machine.clock.run(
      (async () => {
        const peer = await machine.start();
        await injectOld(peer, { delayMs: 1_000, pagesMax: 3 });
        await peer.jobFinished(old, forever);
        return crawlNext(machine, peer);
      })(),
    );
    expect(state).toMatchObject(done);
  });
});
