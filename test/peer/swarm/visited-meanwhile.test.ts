import { expect, it } from "vitest";
import { plainSampleWebOptions } from "../../../sim/sample-web/sample-web-options.ts";
import type { VirtualHit } from "../../../sim/world/virtual-web.ts";
import type { Row } from "../../../src/core/messages/rows.ts";
import { UrlRecord } from "../../../src/core/record/record.pb.ts";
import { urlState } from "../../../src/core/record/url-state.ts";
import type { CanonicalUrl, Millis } from "../../../src/core/units.ts";
import { urlRow } from "../../../src/peer/admission/url-row.ts";
import { JobRegistry } from "../../../src/peer/jobs/job-registry.ts";
import { job, SwarmBench } from "./swarm-bench.ts";

const named = new JobRegistry().define(job);
const hourMs = 3_600_000;

/** What another member says that it has fetched. */
function doneRow(url: string, fetchedAtMs: Millis): Row {
  const done = { state: urlState.done, url, httpStatus: 200, fetchedAtMs, attempts: 1 };
  const value = UrlRecord.encode({ ...urlState.fresh, ...done, capturedBy: "x" });
  return { key: urlRow(url as CanonicalUrl, named).key, value };
}

/** Crawls a small web, in which each page's end comes from another member while it is being fetched. */
async function crawl(
  endedAfterMs: Millis,
  shares: Partial<typeof plainSampleWebOptions.shares> = {},
): Promise<{ readonly bench: SwarmBench; readonly told: ReadonlyMap<string, Millis> }> {
  const web = { ...plainSampleWebOptions, sites: 6, totalPages: 60, seed: 1 };
  const sampleWeb = { ...web, shares: { ...web.shares, ...shares } };
  const bench = new SwarmBench(2, { sampleWeb });
  const told = new Map<string, Millis>();
  await bench.run(async () => {
    await bench.begin();
    bench.world.web.onHit(({ url, isRobots }: VirtualHit) => {
      const holder = bench.holderOf(url);
      if (isRobots || told.has(url)) return;
      const atMs = Math.floor(bench.world.clock.nowMs()) + endedAfterMs;
      told.set(url, atMs);
      const to = bench.machine(holder).id;
      void bench.peer(1 - holder).swarm?.calls.rows(to, [doneRow(url, atMs)]);
    });
    await bench.inject(0);
    await bench.finished(0);
  });
  return { bench, told };
}

function overlapsAt({ peers }: SwarmBench): number {
  const overlaps = peers.map((peer) => peer.stats().jobs[0]?.counts.overlapFetches ?? 0);
  return overlaps.reduce((sum, count) => sum + count);
}

it("an end that is heard of during a visit, and is the later one, stays at all members", async () => {
  const { bench, told } = await crawl(hourMs);
  expect(told.size).toBeGreaterThan(50);
  for (const [url, atMs] of told) {
    for (const { disk } of bench.world.machines) {
      const value = disk.get(urlRow(url as CanonicalUrl, named).key);
      expect(value && UrlRecord.decode(value)).toMatchObject({ fetchedAtMs: atMs, url });
    }
  }
  expect(overlapsAt(bench)).toBe(told.size);
});

it("an end that is heard of during a visit, and is the earlier one, changes nothing", async () => {
  const { bench, told } = await crawl(-hourMs);
  for (const [url, atMs] of told) {
    const value = bench.machine(0).disk.get(urlRow(url as CanonicalUrl, named).key);
    expect(value && UrlRecord.decode(value).fetchedAtMs).toBeGreaterThan(atMs);
  }
  // They are counted by who made the other fetch.
  expect(overlapsAt(bench)).toBe(0);
});

it("an end that is heard of during a visit spares the URL another try", async () => {
  const { bench, told } = await crawl(hourMs, { unavailable: 0.9 });
  expect(told.size).toBeGreaterThan(0);
  expect(bench.hits.map(({ url }) => url).toSorted()).toEqual([...told.keys()].toSorted());
});
