import { afterEach, describe, expect, it, vi } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import type { JobId } from "../../../src/core/units.ts";
import { FreedPlaces } from "../../../src/peer/frontier/freed-places.ts";
import type { Host } from "../../../src/peer/frontier/host.ts";
import { HostPreparer } from "../../../src/peer/frontier/host-preparer.ts";
import type { Job } from "../../../src/peer/jobs/job-registry.ts";
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

describe("a place of a job at its limit that becomes free", () => {
  /** So many active hosts that rest: the first is closed, and the second has nothing of the job. */
  function bench(count: number) {
    const clock = new VirtualClock();
    const stop = new AbortController();
    const startMs = clock.nowMs();
    const resting = Array.from({ length: count }, (_, at) => {
      const gate = { nextFetchAtMs: startMs + (at === 0 ? 1 : 0) };
      return { visit: { gate }, mayHave: () => at !== 1 } as unknown as Host;
    });
    const roused: number[] = [];
    const allAtMs: number[] = [];
    const places = new FreedPlaces(
      clock,
      { size: count, resting: () => resting },
      {
        signal: stop.signal,
        rouse: (host) => roused.push(resting.indexOf(host)),
        rouseAll: () => allAtMs.push(clock.nowMs() - startMs),
      },
    );
    // One request more may be made.
    const limited = {
      definition: { state: "running", options: { pagesMax: 10 } },
      counter: { pages: 4 },
      pagesElsewhere: 3,
      leases: 2,
    };
    const limitedJob = limited as unknown as Job;
    const pass = () => clock.run(clock.sleep(1_000));
    return { allAtMs, limited, limitedJob, pass, places, roused, stop };
  }

  it("is for all hosts at once where they are few", async () => {
    const { allAtMs, limitedJob, pass, places, roused } = bench(32);
    places.leaseEnded(limitedJob, false);
    await pass();
    expect({ allAtMs, roused }).toEqual({ allAtMs: [0], roused: [] });
  });

  it("is for some that can use it first, who rest longest, and then for all", async () => {
    const { allAtMs, limitedJob, pass, places, roused } = bench(100);
    places.leaseEnded(limitedJob, false);
    expect(roused).toEqual(Array.from({ length: 32 }, (_, at) => at + 2));
    expect(places.isRousing(limitedJob)).toBe(true);
    places.leaseEnded(limitedJob, true);
    expect(roused).toHaveLength(64);
    await pass();
    expect(allAtMs).toEqual([100]);
    expect(places.isRousing(limitedJob)).toBe(false);
  });

  it("is for nobody else once it is taken", async () => {
    const { allAtMs, limited, limitedJob, pass, places } = bench(100);
    places.leaseEnded(limitedJob, false);
    limited.leases += 1;
    await pass();
    expect(allAtMs).toEqual([]);
    expect(places.isRousing(limitedJob)).toBe(false);
  });

  it("rouses nobody where there was another one, or none is free, or the peer stops", async () => {
    const { allAtMs, limited, limitedJob, pass, places, roused, stop } = bench(100);
    places.leaseEnded(limitedJob, true);
    limited.leases += 1;
    places.leaseEnded(limitedJob, false);
    limited.leases -= 1;
    expect(roused).toEqual([]);
    places.leaseEnded(limitedJob, false);
    stop.abort();
    places.leaseEnded(limitedJob, false);
    await pass();
    expect(roused).toHaveLength(32);
    expect(allAtMs).toEqual([]);
    expect(places.isRousing(limitedJob)).toBe(false);
  });
});
