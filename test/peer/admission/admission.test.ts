import { describe, expect, it } from "vitest";
import { tagRange } from "../../../src/core/record/key-ranges.ts";
import { QueueBundle, queuedIn } from "../../../src/core/record/queue-bundle.ts";
import { htmlPage } from "../../support/table-web.ts";
import type { Pages } from "../../support/table-web.ts";
import { testJob, VirtualPeer } from "../../support/virtual-peer.ts";

const forever = new AbortController().signal;

/** Many pages end while one commit is under way. */
const slowDisk = { writeMs: 1, syncMedianMs: 2_000, syncTail: 0 };

const homePages: Pages = (url) => (/^http:\/\/h\d+\.example\/$/.test(url) ? htmlPage() : undefined);

/** Of two hosts the first has a link to a page of the second, which only the second may follow. */
const pairs: Pages = (url) => {
  const number = Number(/^http:\/\/h(\d+)\.example\/$/.exec(url)?.[1]);
  if (number % 2 === 0) return htmlPage(`http://h${number + 1}.example/page`);
  return number % 2 === 1 ? htmlPage("/page") : htmlPage();
};

/** Another host is one link away. */
const linked: Pages = (url) => {
  if (url === "http://a.example/") return htmlPage("http://b.example/");
  return url === "http://b.example/" ? htmlPage() : undefined;
};

function homes(count: number): string[] {
  return Array.from({ length: count }, (_, number) => `http://h${number}.example/`);
}

describe("admission", () => {
  it("holds pages back while the archive is full", async () => {
    const machine = new VirtualPeer(homePages, {}, slowDisk);
    machine.archivePendingMax = 600;
    const peer = await machine.crawl(homes(900));
    expect(peer.job(testJob).counts).toMatchObject({ pages: 900, failed: 0 });
  });

  it("leaves nothing behind of a round that fails half-way", async () => {
    const machine = new VirtualPeer(pairs);
    // More pages than that end together.
    machine.archivePendingMax = 60;
    await machine.clock.run(
      (async () => {
        const peer = await machine.start();
        await machine.inject(homes(400), { scope: "host" });
        await peer.failed;
        await peer.stop();
        machine.archivePendingMax = Infinity;
        const next = await machine.start();
        await next.jobFinished(testJob, forever);
      })(),
    );
    expect(machine.peer.job(testJob).counts).toMatchObject({ pages: 600, queued: 0 });
    expect(machine.archived()).toHaveLength(600);
  });

  it("puts the links of a page to one host into rows of many, and each fetch marks one", async () => {
    const links = Array.from({ length: 40 }, (_, number) => `/page-${number}`);
    const machine = new VirtualPeer((url) =>
      url === "http://a.example/" ? htmlPage(...links, "http://b.example/") : htmlPage(),
    );
    await machine.clock.run(
      (async () => {
        await machine.start();
        await machine.inject(["http://a.example/"], { scope: "any", delayMs: 1_000 });
        await machine.clock.sleep(4_500);
      })(),
    );
    const rows = machine.disk
      .entries(tagRange("queue"))
      .map(({ value }) => QueueBundle.decode(value));
    const lengths = rows.map(({ urls }) => urls.length);
    expect(lengths.toSorted((one, other) => one - other)).toEqual([8, 32]);
    const fetched = machine.archived().length;
    expect(fetched).toBeGreaterThan(3);
    expect(rows.reduce((sum, row) => sum + queuedIn(row), 0)).toBe(42 - fetched);
    expect(machine.peer.job(testJob).counts.queued).toBe(42 - fetched);
  });

  it("begins a row anew where a page's URLs are long", async () => {
    const links = Array.from({ length: 6 }, (_, number) => `/${"x".repeat(1_500)}-${number}`);
    const machine = new VirtualPeer((url) =>
      url === "http://a.example/" ? htmlPage(...links) : htmlPage(),
    );
    await machine.clock.run(
      (async () => {
        await machine.start();
        await machine.inject(["http://a.example/"], { scope: "any", delayMs: 10_000 });
        await machine.clock.sleep(15_000);
      })(),
    );
    const rows = machine.disk.entries(tagRange("queue"));
    expect(rows.map(({ value }) => QueueBundle.decode(value).urls.length)).toEqual([3, 3]);
  });

  it("never calls a URL unknown that was kept out and is being let in", async () => {
    const machine = new VirtualPeer(linked, {}, { writeMs: 1, syncMedianMs: 30, syncTail: 0 });
    const states = await machine.clock.run(
      (async () => {
        const peer = await machine.start();
        await machine.inject(["http://a.example/"], { scope: "host" });
        await peer.jobFinished(testJob, forever);
        const seen: string[] = [];
        const injected = machine.inject(["http://b.example/"], { scope: "host" });
        for (let ms = 0; ms < 100; ms += 1) {
          for (const { state } of await peer.status(["http://b.example/"])) seen.push(state);
          await machine.clock.sleep(1);
        }
        await injected;
        return new Set(seen);
      })(),
    );
    expect([...states]).toEqual(["excluded", "queued"]);
  });

  it("does not count a URL as skipped that is kept out and let in by the same round", async () => {
    const machine = new VirtualPeer(pairs);
    const peer = await machine.crawl(homes(12), { scope: "host" });
    expect(peer.job(testJob).counts).toMatchObject({ pages: 18 });
    expect(peer.job(testJob).counts.skipped).toEqual({});
  });

  it("counts a host's pages though it is not active", async () => {
    const manyToOne: Pages = (url) => {
      const number = /^http:\/\/h(\d+)\.example\/$/.exec(url)?.[1];
      if (number !== undefined) return htmlPage(`http://z.example/${number}`);
      return url.startsWith("http://z.example/") ? htmlPage() : undefined;
    };
    const frontier = { activeHostsMax: 20, headUrlsMax: 5_000 };
    const machine = new VirtualPeer(
      manyToOne,
      { frontier },
      { writeMs: 30, syncMedianMs: 30, syncTail: 0 },
    );
    await machine.crawl(homes(100), { scope: "any", delayMs: 10, pagesPerHostMax: 5 });
    const pages = [...machine.web.counts().keys()].filter((url) => /^http:\/\/z\./.test(url));
    expect(pages).toHaveLength(5);
  });

  it("queues a URL once, however many links are found while one commit takes long", async () => {
    const known = Array.from({ length: 12_000 }, (_, number) => `http://z.example/${number}`);
    const web: Pages = (url) => {
      if (/^http:\/\/[ac]\.example\/$/.test(url)) return htmlPage("http://x.example/new");
      const number = /^http:\/\/[hb](\d+)\.example\/$/.exec(url)?.[1];
      if (number === undefined) return url.endsWith("/robots.txt") ? undefined : htmlPage();
      return htmlPage(...known.slice(Number(number) * 1_000, (Number(number) + 1) * 1_000));
    };
    const machine = new VirtualPeer(web, {}, { writeMs: 1, syncMedianMs: 3_000, syncTail: 0 });
    const options = { scope: "any", delayMs: 500 } as const;
    await machine.clock.run(
      (async () => {
        await machine.start();
        await machine.inject(homes(12), options);
        await machine.clock.sleep(30_000);
        const again = Array.from({ length: 12 }, (_, number) => `http://b${number}.example/`);
        await machine.inject(["http://a.example/", ...again, "http://c.example/"], options);
        await machine.clock.sleep(60_000);
        await machine.peer.changeJob(testJob, "pause");
      })(),
    );
    expect(machine.web.counts().get("http://c.example/")).toBe(1);
    expect(machine.web.counts().get("http://x.example/new")).toBe(1);
  });
});
