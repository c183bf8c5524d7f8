import { describe, expect, it } from "vitest";
import { partition } from "../../../sim/world/network-rules.ts";
import type { VirtualHit } from "../../../sim/world/virtual-web.ts";
import { defaultJobOptions } from "../../../src/core/jobs/job-definition.ts";
import { positionOf } from "../../../src/core/ring/ring-position.ts";
import type { CanonicalUrl, Millis } from "../../../src/core/units.ts";
import { hostOf, siteOfHost } from "../../../src/core/url/site-of.ts";
import { job, SwarmBench } from "./swarm-bench.ts";

/** Longer than anything else takes here. */
const delayMs: Millis = 120_000;

/** Time in which who is missed is found dead, and what it held is claimed. */
const missedMs: Millis = 15_000;

/** Time in which a request is answered. */
const answeredMs: Millis = 2_000;

const options = { ...defaultJobOptions, scope: "site", delayMs } as const;

/** A small swarm that is to crawl one host, and the requests to it, those for robots.txt too. */
class HostBench extends SwarmBench {
  readonly asked: VirtualHit[] = [];
  #url = "";

  /** Starts the swarm and the crawl of a site; returns the places of the machines, in the order in which the ring prefers them for it. */
  async crawlSite(): Promise<readonly [holder: number, ...others: number[]]> {
    await this.begin();
    // What a process finds on its disk it takes for asked when it began.
    await this.pass(delayMs);
    const [url = ""] = this.world.sampleWeb.rootUrls();
    const host = hostOf(url as CanonicalUrl);
    this.world.web.onHit((hit) => {
      if (hit.host === host) this.asked.push(hit);
    });
    this.#url = url;
    await this.peer(0).inject(job, [url], options);
    const ring = this.peer(0).swarm?.view.ring;
    const members = ring?.preferenceOf(positionOf(siteOfHost(host)), this.peers.length) ?? [];
    const [holder = -1, ...others] = members.map((id) =>
      this.world.machines.findIndex((machine) => machine.id === id),
    );
    return [holder, ...others];
  }

  /** Place of the machine that holds the site. */
  get holder(): number {
    return this.holderOf(this.#url);
  }

  async hasAsked(times: number): Promise<void> {
    while (this.asked.length < times) await this.pass(1);
  }

  /** Between two requests, from `first` on. */
  shortestGapMs(first = 1): Millis {
    const gaps = this.asked.map(({ atMs }, at) => atMs - (this.asked[at - 1]?.atMs ?? -Infinity));
    return Math.min(...gaps.slice(first));
  }
}

describe("a host of which it is unknown when it was last asked", () => {
  it("rests for a full delay also at the member to which it is passed on", async () => {
    const bench = new HostBench(3);
    await bench.run(async () => {
      const [first, second = -1, third = -1] = await bench.crawlSite();
      await bench.hasAsked(1);
      // Nobody else knows of its request.
      bench.machine(first).powerFailure();
      await bench.pass(missedMs);
      await bench.settled();
      expect(bench.holder).toBe(second);
      expect(await bench.peer(second).leave()).toBe(true);
      await bench.machine(second).stop();
      expect(bench.holder).toBe(third);
      await bench.hasAsked(2);
      expect(bench.asked.map(({ peer }) => peer)).toEqual([`peer-${first}`, `peer-${third}`]);
    });
    expect(bench.shortestGapMs()).toBeGreaterThanOrEqual(delayMs);
  });

  it("rests for a full delay where two members have held it, each for itself", async () => {
    const bench = new HostBench(2);
    await bench.run(async () => {
      const [first, second = -1] = await bench.crawlSite();
      await bench.hasAsked(1);
      const heal = bench.world.network.addRule(partition([first], [second]));
      await bench.hasAsked(3);
      heal();
      await bench.hasAsked(4);
      const order = [first, first, second, first].map((index) => `peer-${index}`);
      expect(bench.asked.map(({ peer }) => peer)).toEqual(order);
    });
    expect(bench.shortestGapMs(3)).toBeGreaterThanOrEqual(delayMs);
  });

  it("rests for a full delay after a standstill, as another member may have asked it that is gone", async () => {
    const bench = new HostBench(2);
    await bench.run(async () => {
      const [first, second = -1] = await bench.crawlSite();
      await bench.hasAsked(1);
      // A request that is in flight at the standstill would end, and be remembered, behind it.
      await bench.pass(answeredMs);
      bench.machine(first).standStill();
      await bench.hasAsked(2);
      bench.machine(second).powerFailure();
      bench.machine(first).goOn();
      await bench.hasAsked(3);
      const order = [first, second, first].map((index) => `peer-${index}`);
      expect(bench.asked.map(({ peer }) => peer)).toEqual(order);
    });
    expect(bench.shortestGapMs()).toBeGreaterThanOrEqual(delayMs);
  });
});

describe("a host that is passed on", () => {
  it("keeps the pace of requests that nothing was written of", async () => {
    const times = 15;
    const bench = new HostBench(2);
    await bench.run(async () => {
      const [first, second = -1] = await bench.crawlSite();
      // By then its pages have no links that are new, and so there is nothing that its row is written for.
      await bench.hasAsked(times);
      await bench.pass(answeredMs);
      expect(await bench.peer(first).leave()).toBe(true);
      await bench.machine(first).stop();
      await bench.hasAsked(times + 1);
      expect(bench.asked.at(-1)?.peer).toBe(`peer-${second}`);
    });
    expect(bench.shortestGapMs()).toBeGreaterThanOrEqual(delayMs);
  });
});
