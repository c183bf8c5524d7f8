import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { Dice } from "../../../sim/world/dice.ts";
import { VirtualDisk } from "../../../sim/world/virtual-disk.ts";
import { VirtualProcess } from "../../../sim/world/virtual-process.ts";
import { VirtualStore } from "../../../sim/world/virtual-store.ts";
import { packLinks } from "../../../src/core/page/packed-links.ts";
import { ArcSet } from "../../../src/core/ring/arc-set.ts";
import { positionOf, type RingPosition } from "../../../src/core/ring/ring-position.ts";
import type { CanonicalUrl, HostName } from "../../../src/core/units.ts";
import { siteOfHost } from "../../../src/core/url/site-of.ts";
import { Admission } from "../../../src/peer/admission/admission.ts";
import { seedsOf } from "../../../src/peer/admission/judge-seeds.ts";
import { SieveKeeper } from "../../../src/peer/admission/sieve-keeper.ts";
import { Journal } from "../../../src/peer/durability/journal.ts";
import { Sequence } from "../../../src/peer/durability/sequence.ts";
import { Frontier } from "../../../src/peer/frontier/frontier.ts";
import { JobRegistry } from "../../../src/peer/jobs/job-registry.ts";
import { defaultPeerOptions } from "../../../src/peer/peer-options.ts";
import { noMetrics } from "../../../src/ports/metrics.ts";
import { MemoryArchive } from "../../support/memory-archive.ts";
import { silentLogger } from "../../support/silent-logger.ts";
import { TableWeb } from "../../support/table-web.ts";

const [left, kept] = ["a.example", "b.example"] as [HostName, HostName];

/** A frontier with one place for hosts, and what admits URLs to it. */
async function newFrontier(clock: VirtualClock) {
  const process = new VirtualProcess("peer-1", 1, clock);
  const store = new VirtualStore(new VirtualDisk(), process, new Dice(1));
  const archive = new MemoryArchive();
  await Promise.all([store.start(), archive.start(undefined)]);
  const web = new TableWeb(clock, () => undefined);
  const ports = { archive, clock, metrics: noMetrics, resolver: web, store };
  const onFailure = (error: unknown): void => {
    throw error;
  };
  const journal = new Journal(ports, defaultPeerOptions.journal, onFailure);
  const jobs = new JobRegistry();
  const frontier = new Frontier(
    ports,
    { jobs, journal },
    { ...defaultPeerOptions, frontier: { activeHostsMax: 1, headUrlsMax: 10 } },
    { signal: new AbortController().signal, onDue: () => undefined, onFailure },
  );
  const sieve = new SieveKeeper(defaultPeerOptions.sieve, silentLogger);
  const parts = { journal, frontier, sieve, sequence: new Sequence() };
  const admission = new Admission(ports, parts, defaultPeerOptions, onFailure);
  return { admission, frontier, job: jobs.define("test") };
}

describe("the places of hosts in arcs that are given up", () => {
  it("are for hosts of other arcs that wait on disk", async () => {
    const clock = new VirtualClock();
    const active = await clock.run(
      (async () => {
        const { admission, frontier, job } = await newFrontier(clock);
        frontier.start();
        const urls = [left, kept].map((name) => `http://${name}/` as CanonicalUrl);
        await admission.admit(seedsOf(job, packLinks(urls, false)));
        await clock.sleep(1_000);
        expect(frontier.hostNamed(left)).toBeDefined();
        const at = positionOf(siteOfHost(left));
        frontier.crawl(
          ArcSet.whole.subtract(ArcSet.of([{ from: at, to: (at + 1) as RingPosition }])),
        );
        await clock.sleep(10_000);
        return [left, kept].filter((name) => frontier.hostNamed(name));
      })(),
    );
    expect(active).toEqual([kept]);
  });
});
