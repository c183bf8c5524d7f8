import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { Dice } from "../../../sim/world/dice.ts";
import { SeededEntropy } from "../../../sim/world/seeded-entropy.ts";
import { PrometheusMetrics } from "../../../src/adapters/metrics/prometheus-metrics.ts";
import { HostGate } from "../../../src/core/politeness/host-gate.ts";
import { defaultPolitenessOptions } from "../../../src/core/politeness/politeness-options.ts";
import { lookRestMs } from "../../../src/core/politeness/outage-watch.ts";
import type { FetchFailure } from "../../../src/core/politeness/retry-table.ts";
import type { HostName, IpAddress, JobId } from "../../../src/core/units.ts";
import { Outages } from "../../../src/peer/fetching/outages.ts";
import type { Peer } from "../../../src/peer/peer.ts";
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

/** Starts the peer, and crawls so long that each host has answered a few times. */
async function beginCrawl(machine: VirtualPeer): Promise<Peer> {
  const peer = await machine.start();
  await machine.inject(hosts.map((host) => `${host}/0`));
  await machine.clock.sleep(5_500);
  return peer;
}

describe("an outage of the crawler's own network", () => {
  it.each<[FetchFailure, string]>([
    ["connect-timeout", "network-up"],
    ["connect-unreachable", "network-up"],
    ["dns-error", "name-server-up"],
  ])("costs no URL where all ends with %s for hours", async (failure, up) => {
    const machine = newMachine();
    const { clock, web } = machine;
    const counts = await clock.run(
      (async () => {
        const peer = await beginCrawl(machine);
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
    expect(machine.logged.map(([event]) => event)).toContain(up);
  });

  it("costs no URL where it pauses until the first host has answered", async () => {
    const machine = newMachine();
    const { clock, logged, web } = machine;
    const counts = await clock.run(
      (async () => {
        const peer = await beginCrawl(machine);
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

  hear(host: string, failure?: FetchFailure): Promise<boolean> {
    const gate = new HostGate(defaultPolitenessOptions);
    const url = { entry: { url: `http://${host}/` } };
    const lease = { address: host, host: { visit: { gate, host } }, url } as unknown as Lease;
    return this.#outages.hear(lease, { startedAtMs: this.clock.nowMs(), failure });
  }

  /** What is told of a host that rests after a failure, or between two requests. */
  holdOf(host: string, isPolite = false): string | undefined {
    const gate = new HostGate(defaultPolitenessOptions);
    const nowMs = this.clock.nowMs();
    if (isPolite) gate.opened(nowMs, 1);
    else gate.restUntil(nowMs + 1);
    return this.#outages.holdOf({ gate, host: host as HostName }, nowMs);
  }

  /** Attempts at three hosts end so at once; whether that is put down to an outage. */
  hearThree(failure?: FetchFailure): Promise<boolean[]> {
    return Promise.all(["a", "b", "c"].map((name) => this.hear(`${name}.example`, failure)));
  }

  /** Three have answered, and ten seconds later nobody does. */
  async fallSilent(failure: FetchFailure = "connect-timeout"): Promise<boolean[]> {
    await this.hearThree();
    await this.clock.sleep(10_000);
    this.web.down = failure;
    return this.hearThree(failure);
  }

  async isDown(): Promise<boolean> {
    return (await this.metrics.text()).includes("\norbweaver_network_down 1\n");
  }
}

describe("an attempt that is judged behind a look", () => {
  it("is the only one at its robots.txt meanwhile, whatever connections its host may have", async () => {
    const machine = newMachine();
    const { clock, web } = machine;
    const url = "http://e.example/robots.txt";
    await clock.run(
      (async () => {
        const peer = await beginCrawl(machine);
        await peer.jobFinished(testJob, forever);
        await clock.sleep(10_000);
        for (const host of [...hosts, url].map((one) => new URL(one).hostname)) {
          web.lookMs.set(host, 15_000);
          web.unreached.set(`addr-${host}` as IpAddress, "connect-timeout");
        }
        const pages = Array.from({ length: 12 }, (_, page) => `http://e.example/${page}`);
        const options = { connectionsPerHost: 4, delayMs: 0 };
        await peer.inject("other" as JobId, pages, options);
        while (web.lookedAt.length === 0) await clock.sleep(100);
        const asked = (): number => web.requests.filter((one) => one.url === url).length;
        const before = asked();
        await clock.sleep(5_000);
        await peer.inject("other" as JobId, ["http://e.example/late"]);
        await clock.sleep(9_000);
        expect(before).toBeGreaterThan(0);
        expect(asked()).toBe(before);
      })(),
    );
  });
});

describe("a host that rests for an outage", () => {
  it.each<[FetchFailure, string]>([
    ["connect-timeout", "network-down"],
    ["dns-error", "name-server-down"],
  ])("is told to wait for that while it lasts, where all ends with %s", async (failure, reason) => {
    const machine = newMachine();
    const { clock, web } = machine;
    const url = "http://a.example/19";
    const told = async (): Promise<(string | undefined)[]> => {
      const [status] = await machine.peer.status([url]);
      return [status?.reason, (await machine.peer.host("a.example")).hold];
    };
    await clock.run(
      (async () => {
        await beginCrawl(machine);
        web.down = failure;
        await machine.inject([url]);
        await clock.sleep(600_000);
        expect(await told()).toEqual([reason, reason]);
        web.down = undefined;
        // It is over, as the next look finds, and its hosts have yet to come back.
        await clock.sleep(lookRestMs + 1_000);
        expect(await told()).toEqual(["backoff", "backoff"]);
      })(),
    );
  });
});

describe("an outage of the name server alone", () => {
  it("costs no URL of a host that is not known, and holds up none that is", async () => {
    const machine = newMachine();
    const { clock, logged, web } = machine;
    const counts = await clock.run(
      (async () => {
        const peer = await beginCrawl(machine);
        web.nameServerIsDown = true;
        await machine.inject(["e", "f", "g"].map((name) => `http://${name}.example/0`));
        await clock.sleep(900_000);
        expect(peer.job(testJob).counts.pages).toBe(hosts.length * pagesEach);
        web.nameServerIsDown = false;
        await peer.jobFinished(testJob, forever);
        return peer.job(testJob).counts;
      })(),
    );
    expect(counts).toMatchObject({ pages: 7 * pagesEach, failed: 0, queued: 0 });
    const events = logged.map(([event]) => event).filter((event) => event.endsWith("-up"));
    expect(events).toEqual(["name-server-up"]);
  });
});

describe("Outages", () => {
  it.each<[string, FetchFailure]>([
    ["network", "connect-timeout"],
    ["network", "connect-unreachable"],
    ["name-server", "dns-error"],
    ["name-server", "dns-timeout"],
  ])(
    "tell of one of the %s while they believe in it, where all ends with %s, also if nobody is asked any more",
    async (name, failure) => {
      const bench = new OutagesBench(() => Promise.resolve([]));
      const { clock, told } = bench;
      await clock.run(
        (async () => {
          await bench.fallSilent(failure);
          expect([told, await bench.isDown()]).toEqual([[`${name}-down`], true]);
          await clock.sleep(86_400_000 + lookRestMs);
          const events = [`${name}-down`, `${name}-given-up`];
          expect([told, await bench.isDown()]).toEqual([events, false]);
          expect(await bench.hear("a.example", failure)).toBe(false);
        })(),
      );
    },
  );

  it("remember the 10,000 hosts that came to rest last, and of no other that it rests for them", async () => {
    const bench = new OutagesBench(() => Promise.resolve([]));
    await bench.clock.run(
      (async () => {
        await bench.fallSilent();
        for (let at = 0; at < 10_000; at += 1)
          await bench.hear(`h${at}.example`, "connect-timeout");
        await bench.hear("h0.example", "connect-timeout");
        await bench.hear("h10000.example", "connect-timeout");
        const holds = ["h0", "h1", "h2", "other"].map((name) => bench.holdOf(`${name}.example`));
        expect(holds).toEqual(["network-down", "backoff", "network-down", "backoff"]);
        expect(bench.holdOf("h0.example", true)).toBe("politeness");
      })(),
    );
  });

  it("judge an attempt behind the look that it calls for", async () => {
    const bench = new OutagesBench(() => Promise.resolve([]));
    // The first two have been judged when the third one calls for it.
    expect(await bench.clock.run(bench.fallSilent())).toEqual([false, false, true]);
  });

  it("look no longer than until the first sign of life", async () => {
    const bench = new OutagesBench(() => Promise.resolve([]));
    await bench.clock.run(
      (async () => {
        await bench.hearThree();
        await bench.clock.sleep(10_000);
        bench.web.lookMs.set("a.example", 20_000);
        const atMs = bench.clock.nowMs();
        expect(await bench.hearThree("connect-timeout")).toEqual([false, false, false]);
        expect(bench.clock.nowMs() - atMs).toBeLessThan(1_000);
        expect(bench.clock.sleepers).toBe(0);
      })(),
    );
  });

  it("tell of its end, though nobody is asked any more, and of the next one", async () => {
    const bench = new OutagesBench(() => Promise.resolve([]));
    await bench.clock.run(
      (async () => {
        await bench.fallSilent();
        bench.web.down = undefined;
        await bench.clock.sleep(lookRestMs + 1_000);
        expect(bench.told).toEqual(["network-down", "network-up"]);
        expect([bench.web.lookedAt.length, await bench.isDown()]).toEqual([6, false]);
        await bench.clock.sleep(lookRestMs);
        await bench.fallSilent();
        expect(bench.told).toEqual(["network-down", "network-up", "network-down"]);
      })(),
    );
  });

  it("look at nobody twice at a time", async () => {
    const bench = new OutagesBench(() => Promise.resolve([]));
    for (const name of ["a", "b", "c"]) bench.web.lookMs.set(`${name}.example`, 15_000);
    await bench.clock.run(
      (async () => {
        await bench.fallSilent();
        await bench.clock.sleep(lookRestMs - 10_000);
        await bench.hearThree("connect-timeout");
        expect(bench.web.lookedAt).toHaveLength(3);
        await bench.clock.sleep(11_000);
        expect(bench.web.lookedAt).toHaveLength(6);
      })(),
    );
  });

  it("know of no outage of the name server where most that answered have no name", async () => {
    const bench = new OutagesBench(() => Promise.resolve([]));
    for (const host of ["192.0.2.1", "192.0.2.2", "a.example"]) await bench.hear(host);
    bench.web.nameServerIsDown = true;
    const judged = await bench.clock.run(bench.hearThree("dns-timeout"));
    expect([judged, bench.told]).toEqual([[false, false, false], []]);
  });

  it("say nothing of an outage once the peer stops", async () => {
    const bench = new OutagesBench(() => Promise.resolve([]), AbortSignal.abort());
    await bench.clock.run(bench.fallSilent());
    expect(bench.told).toEqual([]);
  });

  it.each([
    ["tell when the store cannot be read", forever, 1],
    ["do not tell so when the peer stops", AbortSignal.abort(), 0],
  ])("%s", async (_what, signal, failures) => {
    const bench = new OutagesBench(() => Promise.reject(new Error("closed")), signal);
    await bench.clock.run(bench.hearThree("connect-timeout"));
    expect(bench.failures).toHaveLength(failures);
  });
});
