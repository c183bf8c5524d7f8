import { describe, expect, it } from "vitest";
import { defaultPolitenessOptions } from "../../../src/core/politeness/politeness-options.ts";
import type { JobId } from "../../../src/core/units.ts";
import type { Peer } from "../../../src/peer/peer.ts";
import { htmlPage } from "../../support/table-web.ts";
import type { Pages, TablePage } from "../../support/table-web.ts";
import { testJob, VirtualPeer } from "../../support/virtual-peer.ts";

const forever = new AbortController().signal;
const places = 2;
const restMs = 600_000;

/** Hosts named `bad-…` answer this, all others a page. */
function webWhereBad(answer: TablePage): Pages {
  return (text) => {
    const { hostname, pathname } = new URL(text);
    if (pathname === "/robots.txt") return undefined;
    return hostname.startsWith("bad-") ? answer : htmlPage();
  };
}

const overloaded = webWhereBad({ status: 429, headers: { "retry-after": `${restMs / 1_000}` } });
const broken = webWhereBad({ status: 503 });

class ClosedBench extends VirtualPeer {
  constructor(pages: Pages) {
    super(pages, {
      frontier: { activeHostsMax: places, headUrlsMax: 100 },
      politeness: { ...defaultPolitenessOptions, haltFailuresInRow: 3 },
    });
  }

  /** Plays a scene in virtual time. */
  play<T>(scene: (peer: Peer) => Promise<T>): Promise<T> {
    return this.clock.run((async () => scene(await this.start()))());
  }

  /** When pages of the host were asked for, robots.txt apart. */
  hitsOf(name: string): number[] {
    const hits = this.web.hits.filter(({ host, url }) => host === name && !url.endsWith(".txt"));
    return hits.map(({ startedAtMs }) => startedAtMs);
  }

  /** Reads of ranges of the database from now on. */
  countReads(): () => number {
    const { disk } = this;
    let count = 0;
    const entries = disk.entries.bind(disk);
    disk.entries = (range, limit) => {
      count += 1;
      return entries(range, limit);
    };
    return () => count;
  }

  /** Hosts that the peer has asked more than once before they may be. */
  get hurried(): string[] {
    return [...new Set(this.web.hits.map(({ host }) => host))].filter((name) =>
      this.hitsOf(name).some((atMs, at, all) => at > 0 && atMs - (all[at - 1] ?? 0) < restMs),
    );
  }
}

const bad = (count: number): string[] =>
  Array.from({ length: count }, (_, number) => `http://bad-${number}.example/`);
const live = (count: number): string[] =>
  Array.from({ length: count }, (_, number) => `http://live.example/${number}`);

/** So many hosts that do not live were asked when they were first met and when they had rested, and never earlier. */
function expectAskedInTime(bench: ClosedBench, count: number): void {
  for (let number = 0; number < count; number += 1) {
    expect(bench.hitsOf(`bad-${number}.example`), `bad-${number}`).toHaveLength(2);
  }
  expect(bench.hurried.filter((name) => name.startsWith("bad-"))).toEqual([]);
}

describe("hosts that are closed for long", () => {
  it("give their places up to one that waits, and are asked again when their time comes", async () => {
    const bench = new ClosedBench(overloaded);
    await bench.play(async (peer) => {
      await bench.inject(bad(2), { delayMs: 1_000 });
      await bench.clock.sleep(5_000);
      await bench.inject(live(5), { delayMs: 1_000 });
      await bench.clock.sleep(15_000);
      expect(bench.hitsOf("live.example")).toHaveLength(5);
      expect(peer.job(testJob)).toMatchObject({ finished: false, counts: { queued: 2 } });
      await bench.clock.sleep(restMs);
    });
    for (const name of ["bad-0.example", "bad-1.example"]) {
      const [first = 0, second = 0, ...others] = bench.hitsOf(name);
      expect(others).toEqual([]);
      expect(second - first).toBeGreaterThanOrEqual(restMs);
      expect(second - first).toBeLessThan(restMs + 10_000);
    }
  });

  it("keep a host that lives from none of its pages where there are many of them", async () => {
    const bench = new ClosedBench(overloaded);
    await bench.play(async () => {
      await bench.inject([...bad(12), ...live(20)], { delayMs: 1_000 });
      await bench.clock.sleep(60_000);
      expect(bench.hitsOf("live.example")).toHaveLength(20);
      await bench.clock.sleep(restMs);
    });
    expectAskedInTime(bench, 12);
  });

  it("are left alone by the next process, which crawls the others meanwhile", async () => {
    const bench = new ClosedBench(overloaded);
    await bench.play(async () => {
      await bench.inject([...bad(6), ...live(40)], { delayMs: 1_000 });
      await bench.clock.sleep(20_000);
      bench.kill();
      await bench.start();
      await bench.clock.sleep(60_000);
      expect(bench.hitsOf("live.example").length).toBeGreaterThanOrEqual(40);
      await bench.clock.sleep(restMs);
    });
    expectAskedInTime(bench, 6);
  });

  it("wait for a place as others do when there is none as they open", async () => {
    const bench = new ClosedBench(overloaded);
    await bench.play(async () => {
      await bench.inject(bad(2), { delayMs: 1_000 });
      await bench.clock.sleep(5_000);
      const others = live(700).map((url) => url.replace("live", "other"));
      await bench.inject([...live(700), ...others], { delayMs: 1_000 });
      await bench.clock.sleep(restMs + 30_000);
      expect(bench.hitsOf("bad-0.example")).toHaveLength(1);
      await bench.clock.sleep(120_000);
    });
    expect(bench.hitsOf("other.example")).toHaveLength(700);
    expect(bench.hitsOf("bad-0.example")).toHaveLength(2);
    expect(bench.hitsOf("bad-1.example")).toHaveLength(2);
  });

  it("say so who have given their places up, as those do that have them", async () => {
    const bench = new ClosedBench(overloaded);
    const seeds = bad(5);
    const answers = await bench.play(async (peer) => {
      await bench.inject(seeds, { delayMs: 1_000 });
      await bench.clock.sleep(30_000);
      const hosts = await Promise.all(seeds.map((url) => peer.host(new URL(url).hostname)));
      return { urls: await peer.status(seeds), hosts };
    });
    expect(answers.urls.map(({ reason }) => reason)).toEqual(seeds.map(() => "backoff"));
    expect(answers.hosts.map(({ hold }) => hold)).toEqual(seeds.map(() => "backoff"));
  });

  it("are not read from disk before they open, be they more than are remembered", async () => {
    const bench = new ClosedBench(overloaded);
    const count = places * 8 + 30;
    await bench.play(async () => {
      await bench.inject([...bad(count), ...live(10)], { delayMs: 1_000 });
      await bench.clock.sleep(240_000);
      expect(bench.hitsOf("live.example")).toHaveLength(10);
      const reads = bench.countReads();
      await bench.clock.sleep(120_000);
      // Two passes over all of them, and what is read of each that is not remembered.
      expect(reads()).toBeLessThan(count * 3);
      await bench.clock.sleep(restMs * 2);
    });
    for (let number = 0; number < count; number += 1) {
      expect(bench.hitsOf(`bad-${number}.example`).length, `bad-${number}`).toBeGreaterThan(1);
    }
    expect(bench.hurried.filter((name) => name.startsWith("bad-"))).toEqual([]);
  });
});

describe("hosts whose URLs are all put off", () => {
  const dayMs = 86_400_000;
  /** Of hosts named `bad-…` the secure origins tell nothing of what may be asked of them. */
  const insecure: Pages = (url) => {
    if (!url.endsWith("/robots.txt")) return htmlPage();
    if (!url.startsWith("https://bad-")) return undefined;
    return { status: 500, headers: { "retry-after": `${dayMs / 1_000}` } };
  };
  const seeds = [0, 1].flatMap((number) =>
    ["https:", "http:"].map((scheme) => `${scheme}//bad-${number}.example/`),
  );
  const others = [0, 1, 2].map((number) => `http://live-${number}.example/`);

  it("give their places up, and their URLs are asked for when their time comes", async () => {
    const bench = new ClosedBench(insecure);
    await bench.play(async (peer) => {
      await bench.inject(seeds, { delayMs: 1_000 });
      await bench.clock.sleep(20_000);
      await bench.inject(others, { delayMs: 1_000 });
      await bench.clock.sleep(20_000);
      expect(peer.job(testJob).counts).toMatchObject({ pages: 5, queued: 2 });
      for (const name of ["bad-0.example", "bad-1.example"]) {
        expect(await peer.host(name)).toMatchObject({ hold: "backoff", queued: [{ urls: 1 }] });
      }
      expect(await peer.status(["https://bad-0.example/"])).toMatchObject([{ reason: "backoff" }]);
      const reads = bench.countReads();
      await bench.clock.sleep(dayMs / 2);
      expect(reads()).toBeLessThan(10);
      await bench.clock.sleep(dayMs / 2);
    });
    const asked = bench.web.hits.filter(({ url }) => /^https:.*robots/.test(url));
    expect(asked).toHaveLength(4);
  });

  it("rest where more URLs than a few would have to be put off", async () => {
    const bench = new ClosedBench(insecure);
    const name = "bad-0.example";
    const many = Array.from({ length: 258 }, (_, number) => `https://${name}/${number}`);
    await bench.play(async (peer) => {
      await bench.inject(many, { delayMs: 1_000 });
      await bench.clock.sleep(20_000);
      await bench.inject([`http://${name}/more`, ...others], { delayMs: 1_000 });
      await bench.clock.sleep(dayMs / 2);
      expect(peer.job(testJob).counts).toMatchObject({ pages: 3, queued: 259 });
      expect(await peer.host(name)).toMatchObject({ hold: "backoff" });
    });
    expect(bench.hitsOf(name)).toEqual([]);
  });

  it("take their places again when other URLs of them are found", async () => {
    const bench = new ClosedBench(insecure);
    await bench.play(async (peer) => {
      await bench.inject(seeds, { delayMs: 1_000 });
      await bench.clock.sleep(20_000);
      await bench.inject(others, { delayMs: 1_000 });
      await bench.clock.sleep(20_000);
      await bench.inject(["http://bad-0.example/more"], { delayMs: 1_000 });
      await bench.clock.sleep(20_000);
      expect(peer.job(testJob).counts).toMatchObject({ pages: 6, queued: 2 });
    });
  });
});

describe("hosts that are halted", () => {
  it.each([1, 7])(
    "leave a job stalled when all %i of its hosts are, in memory or not",
    async (count) => {
      const bench = new ClosedBench(broken);
      const reports = await bench.play(async (peer) => {
        await bench.inject(bad(count), { delayMs: 1_000 });
        await peer.jobFinished(testJob, forever);
        const first = { ...peer.job(testJob), atMs: bench.clock.nowMs() };
        bench.kill();
        const next = await bench.start();
        await next.jobFinished(testJob, forever);
        return [first, next.job(testJob)];
      });
      expect(reports).toMatchObject([
        { finished: false, counts: { queued: count } },
        { finished: false, counts: { queued: count } },
      ]);
      for (const url of bad(count)) expect(bench.hitsOf(new URL(url).hostname)).toHaveLength(3);
    },
  );

  it("leave a job stalled when those of another one have all the places", async () => {
    const bench = new ClosedBench(broken);
    await bench.play(async (peer) => {
      await bench.inject(bad(2), { delayMs: 1_000 });
      await bench.clock.sleep(30_000);
      const other = "other" as JobId;
      await peer.inject(other, [...live(60), "http://more.example/"], { delayMs: 1_000 });
      await peer.jobFinished(testJob, forever);
      expect(peer.job(other).finished).toBe(false);
      expect(bench.hitsOf("live.example").length).toBeLessThan(60);
    });
  });

  it("do not leave a job stalled while another host has URLs, wherever that waits", async () => {
    const bench = new ClosedBench(broken);
    await bench.play(async (peer) => {
      await bench.inject([...bad(7), ...live(60)], { delayMs: 1_000 });
      await peer.jobFinished(testJob, forever);
    });
    expect(bench.hitsOf("live.example")).toHaveLength(60);
  });

  it("do not leave a job stalled while one that will open has given its place up", async () => {
    const bench = new ClosedBench((url, asked) => {
      if (!url.includes("late")) return broken(url, asked);
      return asked === 0 ? overloaded(url.replace("late", "bad-late"), asked) : htmlPage();
    });
    await bench.play(async (peer) => {
      await bench.inject(["http://late-1.example/", "http://late-2.example/"], { delayMs: 1_000 });
      await bench.clock.sleep(5_000);
      await bench.inject(bad(2), { delayMs: 1_000 });
      await peer.jobFinished(testJob, forever);
      expect(peer.job(testJob)).toMatchObject({ counts: { pages: 2, queued: 2 } });
    });
  });

  it("are asked again at once when they are released, and then their job goes on", async () => {
    let isRepaired = false;
    const bench = new ClosedBench((url, asked) =>
      isRepaired && !url.endsWith(".txt") ? htmlPage() : broken(url, asked),
    );
    await bench.play(async (peer) => {
      await bench.inject(bad(5), { delayMs: 1_000 });
      await peer.jobFinished(testJob, forever);
      isRepaired = true;
      for (const url of bad(5)) {
        await peer.host(new URL(url).hostname, "release");
        await bench.clock.sleep(5_000);
      }
      expect(peer.job(testJob)).toMatchObject({ finished: true, counts: { pages: 5, queued: 0 } });
    });
  });
});

describe("a robots.txt that stands at a host on disk", () => {
  it("is not asked for while that one is closed", async () => {
    const bench = new ClosedBench((text, asked) => {
      const { hostname, pathname } = new URL(text);
      if (!hostname.startsWith("led-") || pathname !== "/robots.txt")
        return overloaded(text, asked);
      return {
        status: 302,
        headers: { location: `http://${hostname.replace("led", "bad")}/rules` },
      };
    });
    await bench.play(async () => {
      await bench.inject(bad(6), { delayMs: 1_000 });
      await bench.clock.sleep(30_000);
      await bench.inject(
        bad(6).map((url) => url.replace("bad", "led")),
        { delayMs: 1_000 },
      );
      await bench.clock.sleep(restMs / 2);
    });
    expect(bench.web.hits.filter(({ host }) => host.startsWith("led-"))).not.toEqual([]);
    expect(bench.hurried.filter((name) => name.startsWith("bad-"))).toEqual([]);
  });

  it("tells that one's gate how it was answered", async () => {
    const bench = new ClosedBench((text) => {
      const { hostname, pathname } = new URL(text);
      if (pathname === "/rules") return { status: 429, headers: { "retry-after": "600" } };
      if (pathname !== "/robots.txt") return htmlPage();
      if (hostname !== "led.example") return undefined;
      return { status: 302, headers: { location: "http://bad-hub.example/rules" } };
    });
    await bench.play(async () => {
      await bench.inject(live(60), { delayMs: 1_000 });
      await bench.inject(["http://led.example/"], { delayMs: 1_000 });
      await bench.inject(["http://bad-hub.example/"], { delayMs: 1_000 });
      await bench.clock.sleep(10_000);
      expect(bench.hitsOf("bad-hub.example")).toHaveLength(1);
      await bench.clock.sleep(restMs + 60_000);
    });
    expect(bench.hitsOf("bad-hub.example").length).toBeGreaterThan(1);
    expect(bench.hurried).not.toContain("bad-hub.example");
  });
});
