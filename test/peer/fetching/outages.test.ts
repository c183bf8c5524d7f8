import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { Dice } from "../../../sim/world/dice.ts";
import { SeededEntropy } from "../../../sim/world/seeded-entropy.ts";
import { PrometheusMetrics } from "../../../src/adapters/metrics/prometheus-metrics.ts";
import { HostGate } from "../../../src/core/politeness/host-gate.ts";
import { defaultPolitenessOptions } from "../../../src/core/politeness/politeness-options.ts";
import type { FetchFailure } from "../../../src/core/politeness/retry-table.ts";
import { Outages } from "../../../src/peer/fetching/outages.ts";
import type { Lease } from "../../../src/peer/frontier/lease.ts";
import { silentLogger } from "../../support/silent-logger.ts";
import { htmlPage, TableWeb } from "../../support/table-web.ts";
import { testJob, VirtualPeer } from "../../support/virtual-peer.ts";

const pagesEach = 20;
const hosts = ["a", "b", "c", "d"].map((name) => `http://${name}.example`);

/** Hosts of so many pages, each of which leads to the next. */
function newMachine(): VirtualPeer {
  return new VirtualPeer((url) => {
    const page = Number(/\/(\d+)$/.exec(url)?.[1] ?? NaN);
    if (Number.isNaN(page)) return undefined;
    return page + 1 < pagesEach ? htmlPage(`/${page + 1}`) : htmlPage();
  });
}

const forever = new AbortController().signal;

describe("an outage of the crawler's own network", () => {
  it.each<FetchFailure>(["connect-timeout", "connect-unreachable", "dns-error"])(
    "costs no URL where all ends with %s for hours",
    async (failure) => {
      const machine = newMachine();
      const { clock, web } = machine;
      const counts = await clock.run(
        (async () => {
          const peer = await machine.start();
          await machine.inject(hosts.map((host) => `${host}/0`));
          await clock.sleep(5_500);
          web.down = failure;
          const tries = (): number => web.requests.length + web.notFound.length;
          const before = tries();
          await clock.sleep(60_000);
          // Nothing has ever been heard of this one.
          await machine.inject(["http://new.example/0"]);
          await clock.sleep(10 * 3_600_000);
          web.down = undefined;
          // Five hosts, each in five to ten minutes once.
          expect(tries() - before).toBeLessThan(5 * 150);
          const upAtMs = clock.nowMs();
          await peer.jobFinished(testJob, forever);
          // The longest rest, and a host's pages.
          expect(clock.nowMs() - upAtMs).toBeLessThan(600_000 + pagesEach * 2_000);
          return peer.job(testJob).counts;
        })(),
      );
      expect(counts).toMatchObject({ pages: 5 * pagesEach, failed: 0, queued: 0 });
      expect(machine.logged.map(([event]) => event)).toContain("network-up");
    },
  );

  it("costs no URL where it pauses until the first host has answered", async () => {
    const machine = newMachine();
    const { clock, logged, web } = machine;
    const counts = await clock.run(
      (async () => {
        const peer = await machine.start();
        await machine.inject(hosts.map((host) => `${host}/0`));
        await clock.sleep(5_500);
        web.down = "connect-timeout";
        await clock.sleep(3_600_000);
        web.down = undefined;
        while (!logged.some(([event]) => event === "network-up")) await clock.sleep(1_000);
        web.down = "connect-timeout";
        await clock.sleep(3_600_000);
        web.down = undefined;
        await peer.jobFinished(testJob, forever);
        return peer.job(testJob).counts;
      })(),
    );
    expect(counts).toMatchObject({ pages: hosts.length * pagesEach, failed: 0, queued: 0 });
  });

  it("is not what dead hosts make that were never heard of: they are given up in minutes", async () => {
    const machine = newMachine();
    const dead = ["v", "w", "x", "y", "z"].map((name) => `${name}.example`);
    for (const name of dead) machine.web.lostNames.add(name);
    const startedAtMs = machine.clock.nowMs();
    const peer = await machine.crawl([
      ...hosts.map((host) => `${host}/${pagesEach - 1}`),
      ...dead.map((name) => `http://${name}/0`),
    ]);
    expect(peer.job(testJob).counts).toMatchObject({ pages: 4, failed: 5, queued: 0 });
    expect(machine.clock.nowMs() - startedAtMs).toBeLessThan(400_000);
  });
});

describe("an outage under way", () => {
  const others = ["e", "f"].map((name) => `http://${name}.example/0`);

  /** All pages of the hosts are fetched before it, and two hosts are given amid it, which nobody has ever asked. */
  async function crawlNewHosts(
    begin: (machine: VirtualPeer) => Promise<unknown>,
  ): Promise<unknown> {
    const machine = newMachine();
    const { clock, web } = machine;
    return clock.run(
      (async () => {
        await machine.start();
        await machine.inject(hosts.map((host) => `${host}/0`));
        await machine.peer.jobFinished(testJob, forever);
        await clock.sleep(3_600_000);
        web.down = "connect-timeout";
        await begin(machine);
        await machine.inject(others);
        await clock.sleep(3_600_000);
        web.down = undefined;
        await machine.peer.jobFinished(testJob, forever);
        return machine.peer.job(testJob).counts;
      })(),
    );
  }

  it("costs no URL of hosts that were never asked before", async () => {
    const counts = await crawlNewHosts(() => Promise.resolve());
    expect(counts).toMatchObject({ pages: 6 * pagesEach, failed: 0, queued: 0 });
  });

  it("costs no URL of a peer that is started amid it", async () => {
    const counts = await crawlNewHosts(async (machine) => {
      machine.kill();
      await machine.start();
    });
    expect(counts).toMatchObject({ pages: 6 * pagesEach, failed: 0, queued: 0 });
  });
});

class OutagesBench {
  readonly clock = new VirtualClock();
  readonly metrics = new PrometheusMetrics();
  readonly told: string[] = [];
  readonly failures: unknown[] = [];
  readonly web = new TableWeb(this.clock, () => undefined);
  readonly #outages: Outages;

  constructor(range: () => Promise<never[]>, signal = forever) {
    const { clock, failures, metrics, told, web } = this;
    const tell = (event: string): void => void told.push(event);
    const logger = { ...silentLogger, info: tell, warn: tell };
    const entropy = new SeededEntropy(new Dice(1));
    const ports = { clock, entropy, logger, metrics, probe: web, store: { range } };
    this.#outages = new Outages(ports, (error) => failures.push(error), signal);
  }

  hear(name: string, failure?: FetchFailure): boolean {
    const gate = new HostGate(defaultPolitenessOptions);
    const url = { entry: { url: `http://${name}.example/` } };
    const lease = { address: name, host: { visit: { gate } }, url } as unknown as Lease;
    return this.#outages.hear(lease, { startedAtMs: this.clock.nowMs(), failure });
  }

  /** Three attempts in vain, ten seconds later, and time for the look that follows. */
  async fallSilent(): Promise<void> {
    await this.clock.sleep(10_000);
    this.web.down = "connect-timeout";
    for (const name of ["a", "b", "c"]) this.hear(name, "connect-timeout");
    await this.clock.sleep(1_000);
  }

  async isDown(): Promise<boolean> {
    return (await this.metrics.text()).includes("\norbweaver_network_down 1\n");
  }
}

describe("Outages", () => {
  it("tell of the outage while they believe in it, also where nobody is asked any more", async () => {
    const bench = new OutagesBench(() => Promise.resolve([]));
    const { clock, told } = bench;
    await clock.run(
      (async () => {
        for (const name of ["a", "b", "c"]) bench.hear(name);
        await bench.fallSilent();
        expect([told, await bench.isDown()]).toEqual([["network-down"], true]);
        await clock.sleep(86_400_000);
        expect(await bench.isDown()).toBe(false);
        expect(bench.hear("a", "connect-timeout")).toBe(false);
        bench.hear("a");
        expect(told).toEqual(["network-down", "network-given-up"]);
      })(),
    );
  });

  it("say nothing of an outage once the peer stops", async () => {
    const bench = new OutagesBench(() => Promise.resolve([]), AbortSignal.abort());
    for (const name of ["a", "b", "c"]) bench.hear(name);
    await bench.clock.run(bench.fallSilent());
    expect(bench.told).toEqual([]);
  });

  it.each([
    ["tell when the store cannot be read", forever, 1],
    ["do not tell so when the peer stops", AbortSignal.abort(), 0],
  ])("%s", async (_what, signal, failures) => {
    const bench = new OutagesBench(() => Promise.reject(new Error("closed")), signal);
    await bench.clock.run(bench.fallSilent());
    expect(bench.failures).toHaveLength(failures);
  });
});
