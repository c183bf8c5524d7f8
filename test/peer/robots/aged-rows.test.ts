import { expect, it } from "vitest";
import { defaultJobOptions } from "../../../src/core/jobs/job-definition.ts";
import type { JobId } from "../../../src/core/units.ts";
import type { Peer } from "../../../src/peer/peer.ts";
import { job, SwarmBench } from "../swarm/swarm-bench.ts";

const asleepMs = 3 * 86_400_000;

it("a robots.txt from before a member was asleep for days is asked for again by who takes its site over", async () => {
  const bench = new SwarmBench(0);
  const robots: string[] = [];
  bench.world.web.onHit(({ isRobots, url }) => {
    if (isRobots) robots.push(url);
  });
  const sleeper = bench.world.addMachine({ skew: { offsetMs: -asleepMs, driftPpm: 0 } });
  await bench.run(async () => {
    const urls = bench.world.sampleWeb.rootUrls();
    const crawl = async (peer: Peer, id: JobId): Promise<void> => {
      await peer.inject(id, urls, { ...defaultJobOptions, delayMs: 100, depthMax: 0 });
      await peer.jobFinished(id, new AbortController().signal);
    };
    await sleeper.start();
    await crawl(sleeper.peer, job);
    const before = robots.splice(0).toSorted();
    expect(before).toHaveLength(urls.length);
    // Its own clock is as far behind as it was asleep.
    sleeper.clock.set(0);
    await bench.world.addMachine().start();
    await bench.settled();
    expect(urls.map((url) => bench.holderOf(url))).toContain(1);
    await crawl(bench.peer(1), "later" as JobId);
    expect(robots.toSorted()).toEqual(before);
  });
});
