import { describe, expect, it } from "vitest";
import { lookRestMs } from "../../../src/core/politeness/outage-watch.ts";
import type { FetchFailure } from "../../../src/core/politeness/retry-table.ts";
import type { IpAddress, JobId } from "../../../src/core/units.ts";
import type { Peer } from "../../../src/peer/peer.ts";
import { htmlPage } from "../../support/table-web.ts";
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
        // The next look, a short rest, and a host's pages.
        expect(clock.nowMs() - upAtMs).toBeLessThan(lookRestMs + 60_000 + pagesEach * 2_000);
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

describe("an outage of a crawl of one host", () => {
  const failures: FetchFailure[] = ["connect-timeout", "connect-unreachable", "dns-error"];

  /** Crawls the host through an outage of so long; also what is told of it amid that. */
  async function crawlOne(
    failure: FetchFailure,
    forMs: number,
  ): Promise<{ counts: unknown; hold: unknown; looks: number; told: string[] }> {
    const machine = newMachine();
    const { clock, web } = machine;
    return clock.run(
      (async () => {
        const peer = await machine.start();
        await machine.inject(hosts.slice(0, 1).map((host) => `${host}/0`));
        await clock.sleep(5_500);
        web.down = failure;
        await clock.sleep(forMs / 2);
        const { hold } = await peer.host("a.example");
        await clock.sleep(forMs / 2);
        web.down = undefined;
        await peer.jobFinished(testJob, forever);
        const { counts } = peer.job(testJob);
        const events = machine.logged.map(([event]) => event);
        const told = events.filter((event) => !event.startsWith("job-"));
        return { counts, hold, looks: web.lookedAt.length, told };
      })(),
    );
  }

  it.each(failures)("costs no URL in an hour (%s)", async (failure) => {
    const { counts, looks } = await crawlOne(failure, 3_600_000);
    expect(counts).toMatchObject({ pages: pagesEach, failed: 0, queued: 0 });
    // As seldom as it is tried: it may have shut us out.
    expect(looks).toBeLessThan(40);
  });

  it("may be that host's end: it is said to rest after failures, and nothing of an outage", async () => {
    const { hold, told } = await crawlOne("connect-timeout", 3_000_000);
    expect([hold, told]).toEqual(["backoff", []]);
  });

  it.each(failures)("is that host's end after an hour and eight attempts (%s)", async (failure) => {
    const { counts } = await crawlOne(failure, 3 * 3_600_000);
    expect(counts).toMatchObject({ failed: 1, queued: 0 });
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
        // It is over, as the next look finds, and its hosts are let back soon.
        await clock.sleep(lookRestMs + 1_000);
        expect(await told()).toEqual(["backoff", "backoff"]);
        await clock.sleep(61_000);
        expect(await told()).toEqual([undefined, undefined]);
      })(),
    );
  });
});

describe("an outage of the name server alone", () => {
  it("costs no URL where it lasts from the beginning, nearly an hour", async () => {
    const machine = newMachine();
    const { clock, logged, web } = machine;
    web.nameServerIsDown = true;
    const counts = await clock.run(
      (async () => {
        const peer = await machine.start();
        await machine.inject(hosts.map((host) => `${host}/0`));
        await clock.sleep(3_500_000);
        web.nameServerIsDown = false;
        await peer.jobFinished(testJob, forever);
        return peer.job(testJob).counts;
      })(),
    );
    expect(counts).toMatchObject({ pages: hosts.length * pagesEach, failed: 0, queued: 0 });
    expect(logged.map(([event]) => event)).toContain("name-server-up");
  });

  it("is not what dead names make where nobody has answered: they are given up in minutes", async () => {
    const machine = newMachine();
    for (const host of hosts) machine.web.lostNames.add(new URL(host).hostname);
    const startedAtMs = machine.clock.nowMs();
    const peer = await machine.crawl(hosts.map((host) => `${host}/0`));
    expect(peer.job(testJob).counts).toMatchObject({ pages: 0, failed: 4, queued: 0 });
    expect(machine.clock.nowMs() - startedAtMs).toBeLessThan(400_000);
  });

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
