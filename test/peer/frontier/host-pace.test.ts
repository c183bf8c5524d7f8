import { describe, expect, it } from "vitest";
import { defaultJobOptions } from "../../../src/core/jobs/job-definition.ts";
import type { JobOptions } from "../../../src/core/jobs/job-definition.ts";
import type { JobId } from "../../../src/core/units.ts";
import { htmlPage } from "../../support/table-web.ts";
import { VirtualPeer } from "../../support/virtual-peer.ts";

const pages = Array.from({ length: 40 }, (_, number) => `/${number}`);
const seed = "http://site.example/";
const [before, after] = ["before", "after"] as [JobId, JobId];

type Meanwhile = (machine: VirtualPeer) => Promise<unknown>;

/** Two jobs of the same pages, the second of which begins `meanwhile` later; what the server saw from then on. */
async function crawl(
  one: Partial<JobOptions>,
  other: Partial<JobOptions>,
  meanwhile: Meanwhile,
): Promise<VirtualPeer["web"]["hits"]> {
  const machine = new VirtualPeer((url) =>
    url.endsWith("/robots.txt") ? { status: 404 } : htmlPage(...pages),
  );
  const seen = await machine.clock.run(
    (async () => {
      const peer = await machine.start();
      await peer.inject(before, [seed], { ...defaultJobOptions, ...one });
      await meanwhile(machine);
      const { length } = machine.web.hits;
      await peer.inject(after, [seed], { ...defaultJobOptions, ...other });
      await peer.jobFinished(after, new AbortController().signal);
      return length;
    })(),
  );
  return machine.web.hits.slice(seen);
}

const untilItsLimit: Meanwhile = ({ clock }) => clock.sleep(60_000);

const untilPaused: Meanwhile = async ({ clock, peer }) => {
  await clock.sleep(15_000);
  await peer.changeJob(before, "pause");
  await clock.sleep(60_000);
};

describe("a host of several jobs", () => {
  it.each<[string, Partial<JobOptions>, Meanwhile]>([
    ["has come to its limit", { pagesMax: 2 }, untilItsLimit],
    ["is paused", {}, untilPaused],
  ])("does not keep the delay of one that %s", async (_, options, meanwhile) => {
    const hits = await crawl({ ...options, delayMs: 10_000 }, { delayMs: 100 }, meanwhile);
    const rests = hits.slice(1).map((hit, at) => hit.startedAtMs - (hits[at]?.startedAtMs ?? 0));
    expect(rests).toHaveLength(40);
    expect(Math.max(...rests)).toBeLessThan(200);
  });

  it("has no more requests open than each of them wants", async () => {
    const open = { connectionsPerHost: 4, delayMs: 0 };
    const hits = await crawl(open, { delayMs: 0 }, ({ clock }) => clock.sleep(25));
    const ends = hits.map(({ finishedAtMs }) => finishedAtMs);
    const overlaps = hits.filter(({ startedAtMs }, at) => startedAtMs < (ends[at - 1] ?? 0));
    expect(hits.length).toBeGreaterThan(60);
    expect(overlaps).toEqual([]);
  });

  it("has more turns for one of a higher priority, and some for the other", async () => {
    const machine = new VirtualPeer(() => htmlPage());
    const seeds = (path: string) => pages.map((page) => `${seed}${path}${page}`);
    await machine.clock.run(
      (async () => {
        const peer = await machine.start();
        const options = { ...defaultJobOptions, scope: "page" } as const;
        await peer.inject(before, seeds("low"), { ...options, priority: 4 });
        await peer.inject(after, seeds("high"), { ...options, priority: 7 });
        await machine.clock.sleep(40_000);
      })(),
    );
    const paths = [...machine.web.counts().keys()];
    const high = paths.filter((url) => url.startsWith(`${seed}high/`)).length;
    expect(paths.length).toBeGreaterThan(35);
    // Of nine turns eight.
    expect(high / paths.length).toBeGreaterThan(0.8);
    expect(high).toBeLessThan(paths.length - 3);
  });
});
