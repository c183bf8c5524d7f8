import { describe, expect, it } from "vitest";
import type { HostName, IpAddress } from "../../../src/core/units.ts";
import { defaultPeerOptions } from "../../../src/peer/peer-options.ts";
import { htmlPage } from "../../support/table-web.ts";
import type { TablePage } from "../../support/table-web.ts";
import { testJob, VirtualPeer } from "../../support/virtual-peer.ts";

const led = Array.from({ length: 12 }, (_, index) => `http://led-${index}.example/`);

/** Hosts whose robots.txt stands at a hub. */
function ledTo(robotsUrl: (host: string) => string, hub: (url: URL) => TablePage): VirtualPeer {
  return new VirtualPeer((text) => {
    const url = new URL(text);
    if (url.hostname === "hub.example") return hub(url);
    if (url.pathname !== "/robots.txt") return htmlPage();
    return { status: 302, headers: { location: robotsUrl(url.hostname) } };
  });
}

function hubHits({
  web,
}: VirtualPeer): { url: string; startedAtMs: number; finishedAtMs: number }[] {
  return web.hits.filter(({ host }) => host === "hub.example");
}

describe("a robots.txt that stands at another host", () => {
  it.each([
    ["that is not crawled", led],
    ["that is crawled", ["http://hub.example/", ...led]],
  ])("is asked for in turns of a host %s", async (_, seeds) => {
    const machine = ledTo(
      (host) => `http://hub.example/robots/${host}`,
      ({ pathname }) =>
        pathname === "/" ? htmlPage(...[1, 2, 3, 4, 5, 6].map((n) => `/${n}`)) : htmlPage(),
    );
    const peer = await machine.crawl(seeds);
    expect(peer.job(testJob).counts).toMatchObject({ failed: 0, skipped: {} });
    const hits = hubHits(machine);
    expect(hits.length).toBeGreaterThanOrEqual(led.length);
    const rests = hits.slice(1).map((hit, at) => hit.startedAtMs - (hits[at]?.finishedAtMs ?? 0));
    expect(Math.min(...rests)).toBeGreaterThanOrEqual(1_000);
  });

  it("is asked for also by a peer that sends one request at a time", async () => {
    const pages = (text: string): TablePage => {
      const url = new URL(text);
      if (url.hostname === "hub.example") return { status: 404 };
      if (url.pathname !== "/robots.txt") return htmlPage();
      return { status: 302, headers: { location: `http://hub.example/robots/${url.hostname}` } };
    };
    const dispatcher = { ...defaultPeerOptions.dispatcher, openRequestsMax: 1 };
    const machine = new VirtualPeer(pages, { dispatcher });
    const peer = await machine.crawl(led);
    expect(peer.job(testJob).counts).toMatchObject({ pages: led.length });
    expect(hubHits(machine)).toHaveLength(led.length);
  });

  it("is asked for on a new connection", async () => {
    const machine = ledTo(
      () => "http://hub.example/robots.txt",
      () => ({ status: 404 }),
    );
    await machine.crawl(["http://led-1.example/"]);
    const requests = machine.web.requests.filter(({ url }) => url.includes("hub.example"));
    expect(requests).toMatchObject([{ needsNewConnection: true }]);
  });

  it.each([
    ["that is not crawled", led.slice(0, 1), 1],
    ["that is crawled", ["http://hub.example/", ...led.slice(0, 1)], 5],
  ])("is asked for at the next address of a host %s", async (_, seeds, pages) => {
    const dead = "192.0.2.9" as IpAddress;
    const machine = ledTo(
      () => "http://hub.example/rules",
      ({ pathname }) => (pathname === "/rules" ? { status: 404 } : htmlPage("/1", "/2", "/3")),
    );
    machine.web.unreached.set(dead, "connect-timeout");
    machine.web.addressesBefore.set("hub.example" as HostName, [dead]);
    const peer = await machine.crawl(seeds);
    expect(peer.job(testJob).counts).toMatchObject({ pages, failed: 0 });
    const tried = machine.web.requests.filter(({ url }) => url.endsWith("/rules"));
    expect(tried.filter(({ address }) => address === dead).length).toBeLessThanOrEqual(1);
  });

  it("is asked for once where many hosts share it", async () => {
    const machine = ledTo(
      () => "http://hub.example/robots.txt",
      () => ({ body: "User-agent: *\nDisallow: /secret" }),
    );
    const peer = await machine.crawl([...led, `${led[0]}secret`]);
    expect(peer.job(testJob).counts).toMatchObject({ pages: led.length, skipped: { robots: 1 } });
    expect(hubHits(machine)).toHaveLength(1);
  });

  it("is not waited for while its host rests for long, and tells its own host's clocks", async () => {
    const machine = ledTo(
      () => "http://hub.example/rules",
      ({ pathname }) => {
        if (pathname === "/rules") return { status: 429, headers: { "retry-after": "86400" } };
        return pathname === "/robots.txt" ? { status: 404 } : htmlPage();
      },
    );
    await machine.clock.run(
      (async () => {
        const peer = await machine.start();
        await machine.inject([...led, "http://hub.example/"]);
        await machine.clock.sleep(3_600_000);
        expect(hubHits(machine).filter(({ url }) => url.endsWith("/rules"))).toHaveLength(1);
        expect(peer.stats().openRequests).toBe(0);
        const [page] = await peer.status(["http://hub.example/"]);
        expect(page).toMatchObject({ state: "queued", reason: "backoff" });
      })(),
    );
  });

  it("is asked for again after a day, whatever longer time its host asks for", async () => {
    const machine = ledTo(
      () => "http://hub.example/rules",
      () => ({ status: 429, headers: { "retry-after": `${30 * 86_400}` } }),
    );
    await machine.clock.run(
      (async () => {
        await machine.start();
        await machine.inject(["http://led-1.example/"]);
        await machine.clock.sleep(25 * 3_600_000);
      })(),
    );
    expect(hubHits(machine)).toHaveLength(2);
  });

  it("is asked for no sooner than the delay of the address that both hosts share", async () => {
    const address = "192.0.2.1" as IpAddress;
    const machine = new VirtualPeer((text) => {
      const { hostname, pathname } = new URL(text);
      if (pathname !== "/robots.txt") return htmlPage("/1", "/2");
      return hostname === "site.example"
        ? { status: 301, headers: { location: "http://www.site.example/robots.txt" } }
        : { status: 404 };
    });
    for (const name of ["site.example", "www.site.example", "other.example"]) {
      machine.web.addressesBefore.set(name as HostName, [address]);
    }
    await machine.crawl(["http://site.example/", "http://other.example/"]);
    const { hits } = machine.web;
    expect(hits.map(({ url }) => url)).toContain("http://www.site.example/robots.txt");
    const rests = hits.slice(1).map((hit, at) => hit.startedAtMs - (hits[at]?.finishedAtMs ?? 0));
    expect(Math.min(...rests)).toBeGreaterThanOrEqual(250);
  });

  it("holds its host back for the delay, that comes into the queue while it is asked or after", async () => {
    const moved = { status: 301, headers: { location: "http://hub.example/robots.txt" } };
    const rests: number[] = [];
    for (let afterMs = 0; afterMs < 200; afterMs += 20) {
      const machine = new VirtualPeer((url) => {
        if (url === `${led[0]}robots.txt`) return moved;
        return url.endsWith("/") ? htmlPage() : undefined;
      });
      await machine.clock.run(
        (async () => {
          await machine.start();
          await machine.inject(led.slice(0, 1));
          await machine.clock.sleep(afterMs);
          await machine.inject(["http://hub.example/"]);
          await machine.clock.sleep(10_000);
        })(),
      );
      const hits = hubHits(machine);
      expect(hits.map(({ url }) => url)).toContain("http://hub.example/");
      rests.push(...hits.slice(1).map((hit, at) => hit.startedAtMs - (hits[at]?.startedAtMs ?? 0)));
    }
    expect(Math.min(...rests)).toBeGreaterThanOrEqual(1_000);
  });

  it("holds its host back for as long as it asked for, that comes into the queue after", async () => {
    let isBusy = true;
    const machine = ledTo(
      () => "http://hub.example/rules",
      ({ pathname }) => {
        const wasBusy = isBusy;
        isBusy = false;
        if (wasBusy) return { status: 429, headers: { "retry-after": "3600" } };
        return pathname === "/" ? htmlPage() : { status: 404 };
      },
    );
    await machine.clock.run(
      (async () => {
        const peer = await machine.start();
        await machine.inject(led.slice(0, 1));
        await machine.clock.sleep(5_000);
        await machine.inject(["http://hub.example/"]);
        await machine.clock.sleep(3_000_000);
        expect(hubHits(machine)).toHaveLength(1);
        const [page] = await peer.status(["http://hub.example/"]);
        expect(page).toMatchObject({ state: "queued", reason: "backoff" });
        await machine.clock.sleep(700_000);
        expect(hubHits(machine).map(({ url }) => url)).toContain("http://hub.example/");
      })(),
    );
  });

  const shared = "192.0.2.1" as IpAddress;

  it.each([
    ["one robots.txt", () => "/robots.txt", 1],
    ["one each", (host: string) => `/robots/${host}`, 2],
  ])(
    "goes in the turn of who holds its address, before who waits for it (%s)",
    async (_, pathOf, asked) => {
      const machine = ledTo(
        (host) => `http://hub.example${pathOf(host)}`,
        () => htmlPage(),
      );
      machine.web.addressesBefore.set("hub.example" as HostName, [shared]);
      machine.web.addressesBefore.set("near.example" as HostName, [shared]);
      const startMs = machine.clock.nowMs();
      // The one that is far is led there first, while the near one has the address.
      const peer = await machine.crawl(["http://far.example/", "http://near.example/"]);
      expect(peer.job(testJob).counts).toMatchObject({ pages: 2, failed: 0, skipped: {} });
      expect(machine.web.hits).toHaveLength(4 + asked);
      expect(machine.clock.nowMs() - startMs).toBeLessThan(5_000);
      const atAddress = machine.web.hits.filter(({ host }) => host !== "far.example");
      const rests = atAddress
        .slice(1)
        .map((hit, at) => hit.startedAtMs - (atAddress[at]?.finishedAtMs ?? 0));
      expect(Math.min(...rests)).toBeGreaterThanOrEqual(250);
    },
  );

  it("is shared by hosts of one address no sooner than its delay", async () => {
    const machine = ledTo(
      () => "http://hub.example/robots.txt",
      () => ({ status: 404 }),
    );
    for (const url of led) {
      machine.web.addressesBefore.set(new URL(url).hostname as HostName, [shared]);
    }
    const peer = await machine.crawl(led);
    expect(peer.job(testJob).counts).toMatchObject({ pages: led.length, failed: 0, skipped: {} });
    expect(hubHits(machine)).toHaveLength(1);
    const atAddress = machine.web.hits.filter(({ host }) => host !== "hub.example");
    const rests = atAddress
      .slice(1)
      .map((hit, at) => hit.startedAtMs - (atAddress[at]?.finishedAtMs ?? 0));
    expect(Math.min(...rests)).toBeGreaterThanOrEqual(250);
  });

  it("is waited for by one of two hosts that lead to each other", async () => {
    const machine = new VirtualPeer((text) => {
      const { hostname, pathname } = new URL(text);
      if (pathname !== "/robots.txt") return htmlPage();
      const other = hostname === "one.example" ? "two.example" : "one.example";
      return { status: 302, headers: { location: `http://${other}/rules` } };
    });
    const startMs = machine.clock.nowMs();
    const peer = await machine.crawl(["http://one.example/", "http://two.example/"], {
      delayMs: 100,
    });
    expect(peer.job(testJob).counts).toMatchObject({ pages: 2, failed: 0, skipped: {} });
    expect(machine.clock.nowMs() - startMs).toBeLessThan(10_000);
    const asked = machine.web.hits.filter(({ url }) => url.endsWith("/robots.txt"));
    const [first, again] = asked.filter(({ host }) => host === asked.at(-1)?.host);
    // The one that had no turn rests, so that the two come back apart.
    expect((again?.startedAtMs ?? 0) - (first?.finishedAtMs ?? 0)).toBeGreaterThanOrEqual(2_000);
  });

  it("is not given up because too many stand in line for it", async () => {
    const many = Array.from({ length: 40 }, (_, index) => `http://led-${index}.example/`);
    const machine = ledTo(
      (host) => `http://hub.example/${host}`,
      () => ({ status: 404 }),
    );
    const peer = await machine.crawl(many, { delayMs: 30_000 });
    expect(peer.job(testJob).counts).toMatchObject({ pages: many.length, failed: 0, skipped: {} });
  });
});

describe("a robots.txt that stands elsewhere at its own host", () => {
  it("is asked for a delay after what led to it", async () => {
    const machine = new VirtualPeer((text) => {
      if (!text.endsWith("/robots.txt")) return htmlPage();
      return { status: 302, headers: { location: "/rules" } };
    });
    await machine.crawl(["http://site.example/"]);
    const { hits } = machine.web;
    expect(hits.map(({ url }) => new URL(url).pathname)).toEqual(["/robots.txt", "/rules", "/"]);
    const rests = hits.slice(1).map((hit, at) => hit.startedAtMs - (hits[at]?.finishedAtMs ?? 0));
    expect(Math.min(...rests)).toBeGreaterThanOrEqual(1_000);
  });

  it.each(["http://site.example", "http://other.example"])(
    "is none where it leads on and on, at %s",
    async (elsewhere) => {
      let leaps = 0;
      const machine = new VirtualPeer((text) => {
        if (text === "http://site.example/") return htmlPage();
        return { status: 302, headers: { location: `${elsewhere}/${++leaps}` } };
      });
      const peer = await machine.crawl(["http://site.example/"]);
      expect(peer.job(testJob).counts).toMatchObject({ pages: 1, failed: 0, skipped: {} });
      // It and five that it leads to (RFC 9309, section 2.3.1.2), and the page.
      expect(machine.web.hits).toHaveLength(7);
    },
  );

  it("lets the host rest for as long as it is told there", async () => {
    const machine = new VirtualPeer((text, asked) => {
      const { pathname } = new URL(text);
      if (pathname === "/rules") return { status: 429, headers: { "retry-after": "600" } };
      if (pathname !== "/robots.txt")
        return htmlPage(...Array.from({ length: 9 }, (_, n) => `/${n}`));
      if (asked === 0)
        return { body: "User-agent: *", headers: { "cache-control": "max-age=300" } };
      return { status: 302, headers: { location: "/rules" } };
    });
    await machine.crawl(["http://site.example/"], { delayMs: 60_000 });
    const { hits } = machine.web;
    const at = hits.findIndex(({ url }) => url.endsWith("/rules"));
    const [told, after] = hits.slice(at).map(({ startedAtMs }) => startedAtMs);
    expect((after ?? 0) - (told ?? 0)).toBeGreaterThanOrEqual(600_000);
  });
});
