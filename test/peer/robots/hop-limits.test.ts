import { describe, expect, it } from "vitest";
import { defaultPolitenessOptions } from "../../../src/core/politeness/politeness-options.ts";
import { HostGate } from "../../../src/core/politeness/host-gate.ts";
import type { CanonicalUrl, HostName, IpAddress, JobId } from "../../../src/core/units.ts";
import type { Lease } from "../../../src/peer/frontier/lease.ts";
import { RobotsHops } from "../../../src/peer/robots/robots-hops.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { htmlPage, TableWeb } from "../../support/table-web.ts";
import type { TablePage } from "../../support/table-web.ts";
import { testJob, VirtualPeer } from "../../support/virtual-peer.ts";

/** Hosts whose robots.txt stands at another one. */
function ledTo(robotsUrl: (host: string) => string): VirtualPeer {
  return new VirtualPeer((text): TablePage => {
    const { hostname, pathname } = new URL(text);
    if (hostname.startsWith("hub")) return pathname === "/" ? htmlPage("/1") : { status: 404 };
    if (pathname !== "/robots.txt") return htmlPage();
    return { status: 302, headers: { location: robotsUrl(hostname) } };
  });
}

function asked({ web }: VirtualPeer, url: string): number {
  return web.hits.filter((hit) => hit.url === url).length;
}

function led(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `http://led-${at}.example/`);
}

describe("the answer of a robots.txt that many hosts share", () => {
  const url = "http://hub.example/robots.txt";

  it("is asked for anew by one that is led there minutes later", async () => {
    const machine = ledTo(() => url);
    await machine.crawl(["http://early.example/"]);
    await machine.clock.run(
      (async () => {
        await machine.clock.sleep(120_000);
        await machine.inject(["http://late.example/"]);
        await machine.clock.sleep(10_000);
      })(),
    );
    expect(asked(machine, url)).toBe(2);
  });

  it("is kept with few others at a time", async () => {
    const machine = ledTo((host) => `http://hub-${host.replace("again-", "")}/rules`);
    await machine.crawl(led(33));
    expect(machine.web.hits).toHaveLength(3 * 33);
    await machine.clock.run(
      (async () => {
        await machine.inject(["http://again-led-0.example/", "http://again-led-32.example/"]);
        await machine.clock.sleep(10_000);
      })(),
    );
    expect(asked(machine, "http://hub-led-0.example/rules")).toBe(2);
    expect(asked(machine, "http://hub-led-32.example/rules")).toBe(1);
  });
});

describe("a robots.txt that others wait for", () => {
  it("is not waited for by one whose host is waited for by whoever keeps them waiting", async () => {
    const machine = new VirtualPeer((text) => {
      const { hostname, pathname } = new URL(text);
      if (pathname !== "/robots.txt") return htmlPage();
      const elsewhere = hostname === "hub.example" ? "far.example" : "hub.example";
      return { status: 302, headers: { location: `http://${elsewhere}/rules` } };
    });
    const startMs = machine.clock.nowMs();
    await machine.clock.run(
      (async () => {
        const peer = await machine.start();
        for (const host of ["near", "hub", "far"]) {
          await machine.inject([`http://${host}.example/`], { delayMs: 100 });
        }
        await peer.jobFinished(testJob, new AbortController().signal);
      })(),
    );
    expect(machine.clock.nowMs() - startMs).toBeLessThan(10_000);
  });
});

describe("a robots.txt that stands elsewhere at its own host", () => {
  it("is not waited for while the host wants to be left alone for long", async () => {
    const clock = new VirtualClock();
    const web = new TableWeb(clock, () => ({ status: 404 }));
    const gate = new HostGate(defaultPolitenessOptions);
    gate.restUntil(clock.nowMs() + 60_000);
    const visit = { gate, host: "site.example" as HostName, delayMs: 1_000 };
    const lease = { host: { visit }, address: "192.0.2.1" as IpAddress } as unknown as Lease;
    const hops = new RobotsHops(
      { clock, fetcher: web } as unknown as ConstructorParameters<typeof RobotsHops>[0],
      {} as unknown as ConstructorParameters<typeof RobotsHops>[1],
      {} as unknown as ConstructorParameters<typeof RobotsHops>[2],
      new AbortController().signal,
    );
    const outcome = await clock.run(
      hops.follow(lease, {
        url: "http://site.example/rules" as CanonicalUrl,
        isLate: () => false,
      }),
    );
    expect(outcome).toEqual({ kind: "at-rest" });
    expect(web.hits).toEqual([]);
  });
});

describe("a robots.txt at a host that has nothing to do, and several addresses", () => {
  it.each([
    ["the host's own visit", ({ requests }: TableWeb) => requests.length === 2, 0],
    ["one that was led there", ({ hits }: TableWeb) => hits.length === 1, 1],
  ])("is asked for at the next one where %s found no connection", async (_, isTime, tried) => {
    const machine = ledTo((host) => `http://hub.example/${host}`);
    const { clock, web } = machine;
    const first = "192.0.2.9" as IpAddress;
    web.addressesBefore.set("hub.example" as HostName, [first]);
    await clock.run(
      (async () => {
        const peer = await machine.start();
        const paused = "paused" as JobId;
        await peer.inject(paused, ["http://hub.example/"]);
        while (!isTime(web)) await clock.sleep(5);
        web.unreached.set(first, "connect-timeout");
        await peer.changeJob(paused, "pause");
        for (const url of led(2)) {
          await machine.inject([url]);
          await clock.sleep(10_000);
        }
      })(),
    );
    const toFirst = web.requests.filter(({ address }) => address === first);
    expect(toFirst.filter(({ url }) => url.includes("led-"))).toHaveLength(tried);
    expect(asked(machine, "http://led-1.example/")).toBe(1);
  });
});
