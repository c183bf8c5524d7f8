import { describe, expect, it } from "vitest";
import type { HostName, IpAddress, JobId } from "../../src/core/units.ts";
import { defaultFrontierOptions } from "../../src/peer/frontier/frontier-options.ts";
import { htmlPage } from "../support/table-web.ts";
import type { Pages, TablePage } from "../support/table-web.ts";
import { testJob, VirtualPeer } from "../support/virtual-peer.ts";

/** A site whose page n links to 2n and 2n + 1, up to `pages`. */
function treeSite(pages: number): Pages {
  return (url) => {
    const number = Number(/^http:\/\/site\.example\/(\d+)$/.exec(url)?.[1]);
    if (!(number >= 1 && number <= pages)) return undefined;
    const links = [2 * number, 2 * number + 1].filter((child) => child <= pages);
    return htmlPage(...links.map((child) => `/${child}`), "/1");
  };
}

function table(pages: Readonly<Record<string, TablePage>>): Pages {
  return (url) => pages[url];
}

describe("a peer", () => {
  it("fetches every reachable page of a site once", async () => {
    const machine = new VirtualPeer(treeSite(60));
    const peer = await machine.crawl(["http://site.example/1"]);
    const counts = machine.web.counts();
    expect(counts.size).toBe(60);
    expect(new Set(counts.values())).toEqual(new Set([1]));
    expect(peer.job(testJob)).toMatchObject({
      finished: true,
      definition: { state: "finished" },
      counts: { pages: 60, fetched: 60, failed: 0, queued: 0, requests: 60 },
    });
  });

  it("knows that a job is finished as soon as its last page is durable", async () => {
    const machine = new VirtualPeer(treeSite(3));
    const endMs = await machine.clock.run(
      (async () => {
        const peer = await machine.start();
        await machine.inject(["http://site.example/1"], { delayMs: 333 });
        await peer.jobFinished(testJob, new AbortController().signal);
        return machine.clock.nowMs();
      })(),
    );
    const lastMs = machine.web.hits.at(-1)?.finishedAtMs ?? 0;
    expect(endMs - lastMs).toBeLessThan(10);
  });

  it("keeps the delay of a host between any two of its requests, robots.txt included", async () => {
    const machine = new VirtualPeer(treeSite(20));
    await machine.crawl(["http://site.example/1"], { delayMs: 700 });
    const starts = machine.web.hits.map(({ startedAtMs }) => startedAtMs);
    const gaps = starts.slice(1).map((startedAtMs, at) => startedAtMs - (starts[at] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(700);
  });

  it("drops what a cancelled job has queued, and says why", async () => {
    const machine = new VirtualPeer(treeSite(60));
    const report = await machine.clock.run(
      (async () => {
        const peer = await machine.start();
        await machine.inject(["http://site.example/1"], { delayMs: 1_000 });
        await machine.clock.sleep(10_500);
        await peer.changeJob(testJob, "cancel");
        await peer.jobFinished(testJob, new AbortController().signal);
        const more = peer.inject(testJob, ["http://site.example/2"], { delayMs: 5 });
        await expect(more).rejects.toMatchObject({ code: "JOB_CANCELLED" });
        return peer.job(testJob);
      })(),
    );
    const { fetched, queued, skipped } = report.counts;
    // What is refused changes nothing.
    expect(report.definition.options.delayMs).toBe(1_000);
    expect({ finished: report.finished, queued }).toEqual({ finished: true, queued: 0 });
    expect(fetched).toBeGreaterThan(0);
    expect(skipped.cancelled).toBe(fetched + 1);
  });

  it("does not make a job wait for the delay of one that is finished, or cancelled", async () => {
    const machine = new VirtualPeer(treeSite(10));
    const forever = new AbortController().signal;
    const [slow, never, quick] = ["slow", "never", "quick"] as [JobId, JobId, JobId];
    const quickMs = await machine.clock.run(
      (async () => {
        const peer = await machine.start();
        await peer.inject(slow, ["http://site.example/8"], { delayMs: 60_000, scope: "page" });
        await peer.jobFinished(slow, forever);
        await peer.inject(never, ["http://site.example/1"], { delayMs: 60_000 });
        await peer.changeJob(never, "cancel");
        await peer.jobFinished(never, forever);
        await machine.clock.sleep(120_000);
        const startMs = machine.clock.nowMs();
        await peer.inject(quick, ["http://site.example/1"], { delayMs: 100 });
        await peer.jobFinished(quick, forever);
        return machine.clock.nowMs() - startMs;
      })(),
    );
    expect(quickMs).toBeLessThan(5_000);
  });

  it("obeys robots.txt and its Crawl-delay, and says so", async () => {
    const machine = new VirtualPeer(
      table({
        "http://site.example/robots.txt": {
          body: "User-agent: *\nDisallow: /private\nCrawl-delay: 5\n",
        },
        "http://site.example/": htmlPage("/open", "/private/secret"),
        "http://site.example/open": htmlPage(),
        "http://site.example/private/secret": htmlPage(),
      }),
    );
    const peer = await machine.crawl(["http://site.example/"], { delayMs: 100 });
    expect(machine.web.counts().has("http://site.example/private/secret")).toBe(false);
    const [status] = await peer.status(["http://site.example/private/secret"]);
    expect(status).toMatchObject({ state: "excluded", reason: "robots" });
    const [robots, first, second] = machine.web.hits.map(({ startedAtMs }) => startedAtMs);
    expect((first ?? 0) - (robots ?? 0)).toBeGreaterThanOrEqual(5_000);
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(5_000);
  });

  it("gives up an origin whose robots.txt cannot be reached, with the reason", async () => {
    const machine = new VirtualPeer((url) => {
      if (url === "http://down.example/robots.txt") return { status: 503 };
      if (url === "http://refused.example/robots.txt") return { failure: "connect-refused" };
      return undefined;
    });
    const seeds = [
      "http://down.example/",
      "http://refused.example/",
      "http://nowhere.invalid/",
    ] as const;
    const peer = await machine.crawl(seeds);
    const reasons = (await peer.status(seeds)).map(({ state, reason }) => `${state} ${reason}`);
    expect(reasons).toEqual([
      "excluded robots-unreachable",
      "done connect-refused",
      "done dns-not-found",
    ]);
    expect(machine.web.counts().size).toBe(0);
  });

  it("follows redirects the normal way, and ends loops and long chains", async () => {
    const to = (location: string): TablePage => ({ status: 302, headers: { location } });
    const machine = new VirtualPeer((url) => {
      const hop = /^http:\/\/site\.example\/hop\/(\d+)$/.exec(url)?.[1];
      if (hop !== undefined) return to(`/hop/${Number(hop) + 1}`);
      return {
        "http://site.example/": htmlPage("/moved", "/loop/a", "/hop/1", "/tracked?utm_source=x"),
        "http://site.example/moved": to("/target"),
        "http://site.example/target": htmlPage(),
        "http://site.example/loop/a": to("/loop/b"),
        "http://site.example/loop/b": to("/loop/a"),
        "http://site.example/tracked?utm_source=x": to("/tracked"),
        "http://site.example/tracked": htmlPage(),
      }[url];
    });
    const peer = await machine.crawl(["http://site.example/"], { delayMs: 0 });
    const broken = await machine.clock.run(peer.urls(testJob, { broken: true }));
    expect(broken.urls.map(({ url }) => url).toSorted()).toEqual([
      "http://site.example/hop/11",
      "http://site.example/loop/b",
    ]);
    const [moved, target, loop, lastHop, tracked] = await peer.status([
      "http://site.example/moved",
      "http://site.example/target",
      "http://site.example/loop/b",
      "http://site.example/hop/12",
      "http://site.example/tracked",
    ]);
    expect(moved).toMatchObject({ httpStatus: 302, redirect: "http://site.example/target" });
    expect(target).toMatchObject({ state: "done", httpStatus: 200 });
    expect(loop).toMatchObject({ state: "done", reason: "redirect-loop" });
    expect(lastHop).toMatchObject({ state: "excluded", reason: "redirect-limit" });
    expect(tracked).toMatchObject({ state: "done", httpStatus: 200, attempts: 2 });
    expect(machine.web.counts().get("http://site.example/hop/11")).toBe(1);
    expect(machine.web.counts().has("http://site.example/hop/12")).toBe(false);
  });

  it("asks again what failed for a while, and gives up what keeps failing", async () => {
    const machine = new VirtualPeer((url, asked) => {
      if (url === "http://site.example/") return htmlPage("/flaky", "/broken", "/missing");
      if (url === "http://site.example/flaky") {
        return asked < 2 ? { status: 503 } : htmlPage();
      }
      if (url === "http://site.example/broken") return { failure: "connection-reset" };
      return undefined;
    });
    const peer = await machine.crawl(["http://site.example/"], { delayMs: 10 });
    const [flaky, broken, missing] = await peer.status([
      "http://site.example/flaky",
      "http://site.example/broken",
      "http://site.example/missing",
    ]);
    expect(flaky).toMatchObject({ state: "done", httpStatus: 200, attempts: 3 });
    expect(broken).toMatchObject({ state: "done", reason: "connection-reset" });
    expect(broken?.attempts).toBeGreaterThan(1);
    expect(missing).toMatchObject({ state: "done", httpStatus: 404, attempts: 1 });
    expect(peer.job(testJob).counts).toMatchObject({ pages: 2, fetched: 3, failed: 1 });
  });

  it("refuses a seed at an address that is not public, unless it is told otherwise", async () => {
    const seeds = ["http://127.0.0.1:8080/1", "http://site.example/1"];
    const rejected = [{ input: "http://127.0.0.1:8080/1", reason: "address-forbidden" }];
    const inject = (machine: VirtualPeer): Promise<unknown> =>
      machine.clock.run(machine.start().then(() => machine.inject(seeds)));
    const careful = new VirtualPeer(treeSite(1));
    expect(await inject(careful)).toMatchObject({ added: 1, rejected });
    const told = new VirtualPeer(treeSite(1), { allowPrivate: true });
    expect(await inject(told)).toMatchObject({ added: 2, rejected: [] });
  });

  it("asks nobody for a link to an address that is not public", async () => {
    const links = ["http://10.0.0.7/", "http://[::1]/", "http://localhost/", "/a"];
    const machine = new VirtualPeer(
      table({ "http://site.example/": htmlPage(...links), "http://site.example/a": htmlPage() }),
    );
    const peer = await machine.crawl(["http://site.example/"], { scope: "any" });
    const [link] = await peer.status(["http://10.0.0.7/"]);
    expect(link).toMatchObject({ state: "excluded", reason: "address-forbidden", attempts: 0 });
    const skipped = { "address-forbidden": 3 };
    expect(peer.job(testJob).counts).toMatchObject({ pages: 2, failed: 0, skipped });
    expect(machine.web.requests.map(({ url }) => new URL(url).host)).toEqual(
      machine.web.requests.map(() => "site.example"),
    );
  });

  it.each(["address-forbidden", "connect-refused", "connect-timeout"] as const)(
    "asks the next address of a name after %s, within the delays of each",
    async (failure) => {
      const machine = new VirtualPeer(treeSite(3));
      const [first, second, own] = ["192.0.2.1", "192.0.2.2", "addr-site.example"] as IpAddress[];
      const name = "site.example" as HostName;
      machine.web.addressesBefore.set(name, [first, second] as IpAddress[]);
      machine.web.unreached.set(first as IpAddress, failure);
      machine.web.unreached.set(second as IpAddress, failure);
      const peer = await machine.crawl(["http://site.example/1"], { delayMs: 500 });
      const asked = machine.web.requests.map(({ address }) => address);
      expect(asked).toEqual([first, second, own, own, own, own]);
      const starts = machine.web.hits.map(({ startedAtMs }) => startedAtMs);
      const gaps = starts.slice(1).map((start, at) => start - (starts[at] ?? 0));
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(500);
      expect(peer.job(testJob).counts).toMatchObject({ pages: 3, failed: 0, skipped: {} });
    },
  );

  it("keeps to the scope, and knows why it left a link alone", async () => {
    const machine = new VirtualPeer(
      table({
        "http://site.example/": htmlPage("http://other.example/", "http://sub.site.example/"),
        "http://sub.site.example/": htmlPage(),
      }),
    );
    const peer = await machine.crawl(["http://site.example/"], { scope: "site" });
    const [other] = await peer.status(["http://other.example/"]);
    expect(other).toMatchObject({ state: "excluded", reason: "scope" });
    expect(peer.job(testJob).counts).toMatchObject({ pages: 2, skipped: { scope: 1 } });
  });

  it.each([
    ["text/html", { pages: 2 }],
    ["", { pages: 2 }],
    ["html", { pages: 2 }],
    ["image/png", { pages: 0, skipped: { "content-type": 1 } }],
  ])("that skips other content takes an HTML page of type %j as %j", async (type, counts) => {
    const page = { ...htmlPage("/a"), headers: { "content-type": type } };
    const machine = new VirtualPeer(
      table({ "http://site.example/": page, "http://site.example/a": htmlPage() }),
    );
    const peer = await machine.crawl(["http://site.example/"], { otherContent: "skip" });
    expect(peer.job(testJob).counts).toMatchObject(counts);
  });

  it("counts the links for which a page has too many of them", async () => {
    const others = Array.from({ length: 50_000 }, (_, at) => `mailto:${at}`);
    const machine = new VirtualPeer(
      table({ "http://site.example/": htmlPage(...others, "/lost", "/lost") }),
    );
    await machine.crawl(["http://site.example/"]);
    expect(machine.counted.get("links_left_out_total")).toBe(2);
    expect(machine.web.counts().size).toBe(1);
  });

  it("does not count a URL as skipped that another page lets in, whichever comes first", async () => {
    const machine = new VirtualPeer(
      table({
        "http://a.example/": htmlPage("http://b.example/late", "http://b.example/"),
        "http://b.example/": htmlPage("/late", "http://a.example/"),
        "http://b.example/late": htmlPage(),
      }),
    );
    const seeds = ["http://a.example/", "http://b.example/"];
    const peer = await machine.crawl(seeds, { scope: "host" });
    expect(peer.job(testJob).counts).toMatchObject({ pages: 3, skipped: {}, queued: 0 });
  });

  it("stops at the number of pages that the job asks for, and not one later", async () => {
    const machine = new VirtualPeer(treeSite(60));
    const options = { pagesMax: 7, connectionsPerHost: 4, delayMs: 0 };
    const peer = await machine.crawl(["http://site.example/1"], options);
    expect(peer.job(testJob).counts.pages).toBe(7);
    const [waiting] = await peer.status(["http://site.example/15"]);
    expect(waiting).toMatchObject({ state: "queued", reason: "page-limit" });
  });

  it.each([
    ["that is over in a moment", {}],
    ["that takes some seconds", { delayMs: 700 }],
  ])("keeps the time of a crawl %s", async (_which, options) => {
    const machine = new VirtualPeer(treeSite(5));
    const { clock } = machine;
    const tookMs = await clock.run(
      (async () => {
        const peer = await machine.start();
        // Between two ticks.
        await clock.sleep(60);
        const startedAtMs = clock.nowMs();
        await machine.inject(["http://site.example/1"], { delayMs: 0, ...options });
        await peer.jobFinished(testJob, new AbortController().signal);
        await peer.stop();
        return clock.nowMs() - startedAtMs;
      })(),
    );
    // The end is looked for now and then, and stopping takes its time.
    const { activeMs } = machine.peer.job(testJob).counts;
    expect(activeMs).toBeGreaterThan(tookMs - 60);
    expect(activeMs).toBeLessThanOrEqual(Math.ceil(tookMs));
    // Nothing is left to do.
    await clock.run(machine.start());
    await clock.run(clock.sleep(1_000));
    await clock.run(machine.inject(["http://site.example/1"], { delayMs: 0, ...options }));
    await clock.run(machine.peer.stop());
    expect(machine.peer.job(testJob).counts.activeMs).toBe(activeMs);
  });

  it("crawls more hosts than it holds in memory", async () => {
    const links = Array.from({ length: 30 }, (_, host) => `http://h${host}.example/`);
    const machine = new VirtualPeer(
      (url) => (url.endsWith("robots.txt") ? undefined : htmlPage(...links)),
      { frontier: { ...defaultFrontierOptions, activeHostsMax: 3 } },
    );
    const peer = await machine.crawl(["http://h0.example/"], { scope: "any" });
    expect(peer.job(testJob).counts).toMatchObject({ pages: 30, queued: 0 });
  });

  it("crawls a host with more URLs than its head holds", async () => {
    const machine = new VirtualPeer(treeSite(300), {
      frontier: { ...defaultFrontierOptions, headUrlsMax: 8 },
    });
    await machine.crawl(["http://site.example/1"], { delayMs: 1 });
    expect(machine.web.counts().size).toBe(300);
  });

  it("fetches nothing twice because an injection takes other URLs for one", async () => {
    const page = "http://site.example/p?b=2&a=1";
    const machine = new VirtualPeer(
      table({
        "http://site.example/": htmlPage(page, "/q"),
        [page]: htmlPage(page),
        "http://site.example/q": htmlPage(page),
      }),
    );
    await machine.clock.run(
      (async () => {
        const peer = await machine.start();
        await machine.inject(["http://site.example/"]);
        await machine.clock.sleep(1_500);
        expect(machine.web.counts().size).toBe(1);
        const injected = peer.inject(testJob, [], { normalizeQuery: false });
        await expect(injected).rejects.toMatchObject({ code: "CONFIG_INVALID" });
        await peer.jobFinished(testJob, new AbortController().signal);
      })(),
    );
    expect([...machine.web.counts()]).toEqual([
      ["http://site.example/", 1],
      [page, 1],
      ["http://site.example/q", 1],
    ]);
  });

  it("holds a paused job, and goes on when it is resumed", async () => {
    const machine = new VirtualPeer(treeSite(40));
    await machine.clock.run(
      (async () => {
        const peer = await machine.start();
        await machine.inject(["http://site.example/1"], { delayMs: 100 });
        await machine.clock.sleep(1_000);
        await peer.changeJob(testJob, "pause");
        await machine.clock.sleep(1_000);
        const paused = machine.web.hits.length;
        await machine.clock.sleep(60_000);
        expect(machine.web.hits.length).toBe(paused);
        await peer.changeJob(testJob, "resume");
        await peer.jobFinished(testJob, new AbortController().signal);
      })(),
    );
    expect(machine.web.counts().size).toBe(40);
  });
});
