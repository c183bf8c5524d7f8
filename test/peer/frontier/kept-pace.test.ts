import { describe, expect, it } from "vitest";
import { defaultJobOptions } from "../../../src/core/jobs/job-definition.ts";
import { tagOf } from "../../../src/core/record/key-tags.ts";
import type { JobId } from "../../../src/core/units.ts";
import { recordBatches } from "../../support/record-batches.ts";
import { htmlPage } from "../../support/table-web.ts";
import type { Pages } from "../../support/table-web.ts";
import { testJob, VirtualPeer } from "../../support/virtual-peer.ts";

const forever = new AbortController().signal;

const web: Pages = (url) =>
  htmlPage(...(url === "http://b.example/2" ? ["http://a.example/2"] : []));

/** Between the starts of requests to a host, in ms. */
function gapsAt(machine: VirtualPeer, name: string): number[] {
  const hits = machine.web.hits.filter(({ host }) => host === name);
  return hits.slice(1).map(({ startedAtMs }, at) => startedAtMs - (hits[at]?.startedAtMs ?? 0));
}

describe("the pace of a host", () => {
  it("is not written with each page", async () => {
    const machine = new VirtualPeer(web);
    const batches = recordBatches(machine.disk);
    const seeds = Array.from({ length: 40 }, (_, number) => `http://a.example/page/${number}`);
    await machine.crawl(seeds, { delayMs: 100 });
    expect(machine.peer.job(testJob).counts).toMatchObject({ pages: 40 });
    await machine.clock.run(machine.peer.stop());
    // With its seeds, with its robots.txt, and at the end.
    expect(batches.flat().filter(({ key }) => tagOf(key) === "host")).toHaveLength(3);
  });

  it("is kept by a host that has run dry and comes back", async () => {
    const machine = new VirtualPeer(web);
    const options = { scope: "any", delayMs: 1_000 } as const;
    await machine.clock.run(
      (async () => {
        const peer = await machine.start();
        await machine.inject(["http://b.example/1", "http://b.example/2"], options);
        await machine.clock.sleep(500);
        await machine.inject(["http://a.example/1"], options);
        await peer.jobFinished(testJob, forever);
      })(),
    );
    const gaps = gapsAt(machine, "a.example");
    // Its robots.txt and two pages.
    expect(gaps).toHaveLength(2);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000);
  });

  it("is kept by a host that had to give up its place in memory", async () => {
    const other = "other" as JobId;
    const machine = new VirtualPeer(web, { frontier: { activeHostsMax: 1, headUrlsMax: 100 } });
    await machine.clock.run(
      (async () => {
        const peer = await machine.start();
        await machine.inject(["http://a.example/1", "http://a.example/2"], { delayMs: 10_000 });
        await machine.clock.sleep(10_500);
        await peer.changeJob(testJob, "pause");
        await peer.inject(other, ["http://c.example/1"], { ...defaultJobOptions, delayMs: 0 });
        await peer.jobFinished(other, forever);
        await peer.changeJob(testJob, "resume");
        await peer.jobFinished(testJob, forever);
      })(),
    );
    const gaps = gapsAt(machine, "a.example");
    expect(gaps).toHaveLength(2);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(10_000);
  });
});
