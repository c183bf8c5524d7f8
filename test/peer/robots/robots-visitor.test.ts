import { describe, expect, it } from "vitest";
import type { JobId } from "../../../src/core/units.ts";
import { htmlPage } from "../../support/table-web.ts";
import type { TablePage } from "../../support/table-web.ts";
import { testJob, VirtualPeer } from "../../support/virtual-peer.ts";

describe("robots.txt, as a peer asks for it", () => {
  it.each(["length", "time", "disconnect"] as const)(
    "says nothing with the line at which a body was cut (%s)",
    async (truncation) => {
      const body = "User-agent: *\nDisallow: /secret/\nDisallow: /";
      const machine = new VirtualPeer((url) =>
        url.endsWith("/robots.txt") ? { body, truncation } : htmlPage("/open", "/secret/page"),
      );
      await machine.crawl(["http://site.example/"]);
      expect([...machine.web.counts().keys()]).toEqual([
        "http://site.example/",
        "http://site.example/open",
      ]);
    },
  );

  it.each([
    ["time", 2],
    ["disconnect", 2],
    ["length", 1],
  ] as const)(
    "is asked for again where its body broke off, but not where it is too long (%s)",
    async (truncation, requests) => {
      const machine = new VirtualPeer((url, asked) => {
        if (!url.endsWith("/robots.txt")) return htmlPage("/open", "/secret/page");
        const whole = { body: "User-agent: *\nDisallow: /secret/\n" };
        return asked === 0 && requests > 1 ? { body: "User-agent: *\n", truncation } : whole;
      });
      await machine.crawl(["http://site.example/"]);
      const asked = machine.web.hits.filter(({ url }) => url.endsWith("/robots.txt"));
      expect(asked).toHaveLength(requests);
      expect([...machine.web.counts().keys()]).toEqual([
        "http://site.example/",
        "http://site.example/open",
      ]);
    },
  );

  it("is asked for again where its body broke off at the host that it leads to", async () => {
    const machine = new VirtualPeer((url, asked) => {
      if (!url.endsWith(".txt")) return htmlPage("/open", "/secret/page");
      if (url.startsWith("http://site.")) {
        return { status: 302, headers: { location: "http://other.example/true.txt" } };
      }
      if (asked === 0) return { body: "User-agent: *\n", truncation: "disconnect" };
      return { body: "User-agent: *\nDisallow: /secret/\n" };
    });
    await machine.crawl(["http://site.example/"]);
    const pages = [...machine.web.counts().keys()].filter((url) => !url.endsWith(".txt"));
    expect(pages).toEqual(["http://site.example/", "http://site.example/open"]);
  });

  it.each(["http://site.example", "http://other.example"])(
    "counts as far as it came where it never has the length that %s says",
    async (origin) => {
      const body = "User-agent: *\nDisallow: /secret/\n";
      const machine = new VirtualPeer((url) => {
        if (!url.endsWith(".txt")) return htmlPage("/open", "/secret/page");
        if (url === `${origin}/true.txt`) return { body, failure: "content-length-mismatch" };
        return { status: 302, headers: { location: `${origin}/true.txt` } };
      });
      await machine.crawl(["http://site.example/"]);
      const asked = machine.web.hits.filter(({ url }) => url.endsWith("/true.txt"));
      expect(asked).toHaveLength(3);
      expect([...machine.web.counts().keys()].filter((url) => !url.endsWith(".txt"))).toEqual([
        "http://site.example/",
        "http://site.example/open",
      ]);
    },
  );

  it.each([429, 503])(
    "is asked for again no sooner than a %i's Retry-After says",
    async (status) => {
      const machine = new VirtualPeer((url, asked) => {
        if (!url.endsWith("/robots.txt")) return htmlPage();
        return asked < 2 ? { status, headers: { "retry-after": "120" } } : { status: 404 };
      });
      await machine.crawl(["http://site.example/"]);
      const [first, ...later] = machine.web.hits.map(({ startedAtMs }) => startedAtMs);
      const rests = later.map((atMs, index) => atMs - (later[index - 1] ?? first ?? 0));
      expect(rests).toEqual([120_020, 120_020, 1_020]);
    },
  );

  const never = new AbortController().signal;
  const pages = Array.from({ length: 40 }, (_, number) => `/${number}`);
  const site = ["http://site.example/1", "http://site.example/2", "http://site.example/3"];
  const restsOf = ({ web }: VirtualPeer): number[] => {
    const times = web.hits.map(({ startedAtMs }) => startedAtMs);
    return times.slice(1).map((atMs, index) => Math.floor((atMs - (times[index] ?? 0)) / 1_000));
  };

  it("may be out of reach for a while: the URLs stay queued", async () => {
    const machine: VirtualPeer = new VirtualPeer((url) => {
      if (machine.clock.nowMs() < openAtMs) return { failure: "connect-refused" };
      return url.endsWith("/robots.txt") ? { status: 404 } : htmlPage();
    });
    const openAtMs = machine.clock.nowMs() + 100_000;
    const peer = await machine.crawl(site);
    expect(peer.job(testJob).counts).toMatchObject({ fetched: 3, failed: 0 });
    expect(restsOf(machine)).toEqual([2, 4, 8, 16, 32, 64, 1, 1, 1]);
  });

  const dead: TablePage[] = [
    { failure: "connect-refused" },
    { failure: "tls-error" },
    { status: 500 },
  ];
  it.each(dead)("is out of reach for its own origin alone (%o)", async (answer) => {
    const machine = new VirtualPeer((url) => {
      if (url.startsWith("http://site.example:81/")) return answer;
      if (url.endsWith("/robots.txt")) return { status: 404 };
      return url.endsWith("/") ? htmlPage(...links) : htmlPage();
    });
    const links = Array.from({ length: 40 }, (_, index) =>
      index % 2 === 0 ? `http://site.example:81/${index}` : `/${index}`,
    );
    const peer = await machine.crawl(["http://site.example/"], { scope: "any" });
    expect(peer.job(testJob).counts).toMatchObject({ fetched: 21, queued: 0 });
    const live = machine.web.hits.filter(({ host }) => host === "site.example");
    const gaps = live.slice(1).map((hit, at) => hit.startedAtMs - (live[at]?.startedAtMs ?? 0));
    // Now and then the host's turn goes to the other origin.
    expect(Math.max(...gaps)).toBeLessThanOrEqual(2_100);
    expect(Math.min(...restsOf(machine))).toBeGreaterThanOrEqual(1);
    const asked = machine.web.hits.filter(({ host }) => host === "site.example:81");
    expect(asked.length).toBeLessThanOrEqual(7);
  });

  it.each(dead)(
    "keeps from its host's other origins nothing that is found later (%o)",
    async (answer) => {
      const robots = { ...answer, ...(answer.status && { headers: { "retry-after": "7200" } }) };
      const machine = new VirtualPeer((url) => {
        if (!url.endsWith("/robots.txt")) return htmlPage();
        return url.startsWith("http://site.example:81/") ? robots : undefined;
      });
      await machine.clock.run(
        (async () => {
          const peer = await machine.start();
          await machine.inject(["http://site.example:81/"], { scope: "any" });
          await machine.clock.sleep(answer.failure === "tls-error" ? 3_000 : 20_000);
          await machine.inject(["http://site.example/"], { scope: "any" });
          await machine.clock.sleep(2_500);
          expect(peer.job(testJob)).toMatchObject({
            finished: false,
            counts: { fetched: 1, queued: 1 },
          });
          await peer.jobFinished(testJob, never);
          expect(peer.job(testJob).counts).toMatchObject({ fetched: 1, queued: 0 });
        })(),
      );
      const times = machine.web.hits
        .filter(({ host }) => host === "site.example:81")
        .map(({ startedAtMs }) => startedAtMs);
      expect(times).toHaveLength(answer.failure === "tls-error" ? 3 : 7);
      const leastMs = answer.status === undefined ? 2_000 : 7_200_000;
      for (const [at, atMs] of times.slice(1).entries()) {
        expect(atMs - (times[at] ?? 0)).toBeGreaterThanOrEqual(leastMs);
      }
    },
  );

  it("is named as what its URLs wait for, by the host as well where nothing else of it is left", async () => {
    for (const failing of [{ failure: "connect-timeout" }, { status: 503 }] as TablePage[]) {
      const machine = new VirtualPeer((url) => {
        if (!url.startsWith("http://site.example:81/")) return htmlPage(...pages);
        return url.endsWith("/robots.txt") ? failing : htmlPage();
      });
      const closed = site.map((url) => url.replace("example/", "example:81/"));
      await machine.clock.run(
        (async () => {
          const peer = await machine.start();
          await machine.inject(closed, { scope: "any" });
          await machine.clock.sleep(20_000);
          const statuses = await peer.status(closed);
          for (const status of statuses) expect(status).toMatchObject({ reason: "backoff" });
          const host = await peer.host("site.example");
          expect(host).toMatchObject({ hold: "backoff", queued: [{ urls: 3 }] });
          const [robots] = host.robots;
          expect(host.nextFetchAt).toBe(robots?.expiresAt);
          expect(machine.web.hits).toHaveLength(4);
          if (failing.status !== undefined) return;
          await machine.inject(["http://site.example/"], { scope: "any" });
          await machine.clock.sleep(8_000);
          expect((await peer.status(closed)).map(({ reason }) => reason)).toEqual(
            closed.map(() => "backoff"),
          );
          expect(await peer.host("site.example")).toMatchObject({ hold: "politeness" });
        })(),
      );
    }
  });

  describe("where another host has it, which fails", () => {
    const lost: TablePage[] = [
      { status: 503, headers: { "retry-after": "3600" } },
      { failure: "dns-error" },
    ];
    const webWith =
      (failing: TablePage) =>
      (url: string): TablePage | undefined => {
        if (url === "http://other.example/rules") return failing;
        if (!url.endsWith("/robots.txt")) return htmlPage();
        if (!url.startsWith("https:")) return undefined;
        return { status: 302, headers: { location: "http://other.example/rules" } };
      };

    it.each(lost)("keeps nothing from the host's other origins (%o)", async (failing) => {
      const machine = new VirtualPeer(webWith(failing));
      await machine.clock.run(
        (async () => {
          const peer = await machine.start();
          await machine.inject(["https://site.example/", ...site]);
          await machine.clock.sleep(10_000);
          expect(peer.job(testJob).counts).toMatchObject({ pages: 3, queued: 1 });
        })(),
      );
    });

    it.each(lost)("is not said to be the host's own fault (%o)", async (failing) => {
      const machine = new VirtualPeer(webWith(failing));
      const urls = ["https://site.example/1", "https://site.example/2"];
      const peer = await machine.crawl(urls);
      const given = { state: "excluded", reason: "robots-unreachable" };
      expect(await machine.clock.run(peer.status(urls))).toMatchObject([given, given]);
      const { robots } = await machine.clock.run(peer.host("site.example"));
      const { status: httpStatus = 0, failure } = failing;
      expect(robots).toMatchObject([{ httpStatus, ...(failure && { failure }) }]);
    });
  });

  it("is asked for on a new connection where it failed before", async () => {
    const machine = new VirtualPeer((url, asked) => {
      if (!url.endsWith("/robots.txt")) return htmlPage();
      return asked === 0 ? { failure: "connection-stale" } : { status: 404 };
    });
    await machine.crawl(["http://site.example/"]);
    const requests = machine.web.requests.filter(({ url }) => url.endsWith("/robots.txt"));
    expect(requests.map(({ needsNewConnection }) => needsNewConnection)).toEqual([false, true]);
  });

  it("gives all URLs of an origin up in one turn, however long its host rests before", async () => {
    const machine = new VirtualPeer((url) =>
      url.endsWith("/robots.txt") ? { status: 503, headers: { "retry-after": "600" } } : htmlPage(),
    );
    const peer = await machine.crawl(site);
    expect(machine.web.hits).toHaveLength(7);
    expect(peer.job(testJob).counts).toMatchObject({ fetched: 0, queued: 0 });
  });

  it("is looked for in the name's new answer each time", async () => {
    const machine = new VirtualPeer((url) =>
      url.endsWith("/robots.txt") ? { status: 404 } : htmlPage(),
    );
    machine.web.lostNames.add("site.example");
    await machine.clock.run(
      (async () => {
        const peer = await machine.start();
        await machine.inject(site);
        await machine.clock.sleep(100_000);
        machine.web.lostNames.clear();
        await peer.jobFinished(testJob, never);
        expect(peer.job(testJob).counts).toMatchObject({ fetched: 3, failed: 0 });
      })(),
    );
  });

  it("is given up after two minutes, however the host answers otherwise and through a crash", async () => {
    const machine = new VirtualPeer((url) => {
      if (url === "http://site.example:8080/robots.txt") return { status: 501 };
      return url.endsWith("/robots.txt") ? { status: 404 } : htmlPage();
    });
    const seeds = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `http://site.example/${n}`);
    await machine.clock.run(
      (async () => {
        await machine.start();
        await machine.inject(["http://site.example:8080/", ...seeds]);
        await machine.clock.sleep(20_000);
        machine.kill();
        const peer = await machine.start();
        await peer.jobFinished(testJob, never);
        const [status] = await peer.status(["http://site.example:8080/"]);
        expect(status).toMatchObject({ state: "excluded", reason: "robots-unreachable" });
      })(),
    );
    const asked = machine.web.hits.filter(({ url }) => url.includes(":8080"));
    expect(asked).toHaveLength(7);
    expect((asked[6]?.startedAtMs ?? 0) - (asked[0]?.startedAtMs ?? 0)).toBeGreaterThan(126_000);
  });

  const soon = { headers: { "cache-control": "max-age=300" } };

  const soonInTwo = { headers: { "cache-control": "public", "Cache-Control": "max-age=300" } };

  it.each([soon, soonInTwo])(
    "sets no longer a pace when it is read again than it asks for then, by %j",
    async (age) => {
      const machine = new VirtualPeer((url, asked) => {
        if (!url.endsWith("/robots.txt")) return htmlPage(...pages);
        return { ...age, body: `User-agent: *\n${asked === 0 ? "Crawl-delay: 10" : "Disallow:"}` };
      });
      await machine.crawl(["http://site.example/"]);
      const rests = restsOf(machine);
      expect(rests).toHaveLength(42);
      // It is read again after five minutes.
      expect(rests.slice(0, 31).every((seconds) => seconds === 10)).toBe(true);
      expect(rests.slice(31).every((seconds) => seconds === 1)).toBe(true);
    },
  );

  it("keeps the pace that the one of the host's other origin asks for", async () => {
    const seeds = ["http://site.example/", "http://site.example:8080/"];
    const machine = new VirtualPeer((url) => {
      if (url === "http://site.example:8080/robots.txt") {
        return { body: "User-agent: *\nCrawl-delay: 10" };
      }
      if (url.endsWith("/robots.txt")) return { ...soon, body: "User-agent: *\nDisallow:" };
      return htmlPage(...pages);
    });
    await machine.crawl(seeds);
    const times = machine.web.hits
      .filter(({ host }) => host.endsWith(":8080"))
      .map(({ startedAtMs }) => startedAtMs);
    const rests = times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));
    expect(rests).toHaveLength(41);
    expect(Math.min(...rests)).toBeGreaterThanOrEqual(10_000);
  });

  describe("of a host with several connections", () => {
    const seeds = Array.from({ length: 12 }, (_, number) => `http://site.example/${number}`);
    const robotsHits = ({ web }: VirtualPeer): string[] =>
      web.hits.map(({ url }) => url).filter((url) => url.endsWith("/robots.txt"));

    it.each([2, 4])("is asked for once, and again when it is too old (%i)", async (connections) => {
      const machine = new VirtualPeer((url) =>
        url.endsWith("/robots.txt") ? { ...soon, body: "User-agent: *\nDisallow:" } : htmlPage(),
      );
      const options = { connectionsPerHost: connections, delayMs: 0 };
      await machine.clock.run(
        (async () => {
          const peer = await machine.start();
          await machine.inject(seeds, options);
          await peer.jobFinished(testJob, never);
          expect(robotsHits(machine)).toHaveLength(1);
          const startedAtMs = machine.web.hits.map((hit) => hit.startedAtMs);
          const together = Map.groupBy(startedAtMs, (atMs) => atMs).values();
          expect(Math.max(...[...together].map((hits) => hits.length))).toBe(connections);
          await machine.clock.sleep(400_000);
          const again = "again" as JobId;
          await peer.inject(again, seeds, { ...options, scope: "page" });
          await machine.inject(
            seeds.map((url) => `${url}?later`),
            options,
          );
          await peer.jobFinished(testJob, never);
          await peer.jobFinished(again, never);
        })(),
      );
      expect(robotsHits(machine)).toHaveLength(2);
      expect(machine.web.hits).toHaveLength(3 * seeds.length + 2);
    });

    it("is asked for once at a time while it fails, and each origin has its own", async () => {
      const both = seeds.flatMap((url) => [url, url.replace("http:", "https:")]);
      const machine = new VirtualPeer((url, asked) => {
        if (!url.endsWith("/robots.txt")) return htmlPage();
        return { status: asked < 3 ? 500 : 404 };
      });
      const peer = await machine.crawl(both, { connectionsPerHost: 4, delayMs: 0 });
      expect(peer.job(testJob).counts).toMatchObject({ pages: both.length, skipped: {} });
      expect(robotsHits(machine).toSorted()).toEqual([
        ...Array<string>(4).fill("http://site.example/robots.txt"),
        ...Array<string>(4).fill("https://site.example/robots.txt"),
      ]);
    });

    it("keeps nobody from it where two hosts lead to each other", async () => {
      const names = ["one.example", "two.example"];
      const machine = new VirtualPeer((text) => {
        const { hostname, pathname } = new URL(text);
        if (pathname !== "/robots.txt") return htmlPage();
        const other = names.find((name) => name !== hostname);
        return { status: 302, headers: { location: `http://${other}/rules` } };
      });
      const startMs = machine.clock.nowMs();
      const all = names.flatMap((name) => [1, 2, 3, 4, 5, 6].map((n) => `http://${name}/${n}`));
      const peer = await machine.crawl(all, { connectionsPerHost: 4 });
      expect(peer.job(testJob).counts).toMatchObject({ pages: all.length, failed: 0 });
      expect(machine.clock.nowMs() - startMs).toBeLessThan(20_000);
    });
  });
});
