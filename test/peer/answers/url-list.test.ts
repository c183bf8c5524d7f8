import { describe, expect, it } from "vitest";
import type { UrlFilter, UrlStatus } from "../../../src/ports/peer-control.ts";
import type { Peer } from "../../../src/peer/peer.ts";
import { htmlPage, type TablePage } from "../../support/table-web.ts";
import { testJob, VirtualPeer } from "../../support/virtual-peer.ts";

const seed = "http://site.example/";

const pages: Readonly<Record<string, TablePage>> = {
  "http://site.example/robots.txt": { body: "User-agent: *\nDisallow: /private/\n" },
  [seed]: htmlPage("/good", "/missing", "/down", "/private/x", "http://other.example/"),
  "http://site.example/good": htmlPage("/missing"),
  "http://site.example/down": { failure: "connect-refused" },
};

async function listed(peer: Peer, filter: UrlFilter = {}): Promise<UrlStatus[]> {
  const urls: UrlStatus[] = [];
  let from: string | undefined;
  do {
    const part = await peer.urls(testJob, filter, from);
    urls.push(...part.urls);
    from = part.next;
  } while (from !== undefined);
  return urls.sort((one, other) => (one.url < other.url ? -1 : 1));
}

/** What a peer lists after it has crawled the table. */
function afterCrawl<T>(ask: (peer: Peer) => Promise<T>, web = pages): Promise<T> {
  const machine = new VirtualPeer((url) => web[url]);
  return machine.clock.run(
    (async () => {
      const peer = await machine.start();
      await machine.inject([seed], { scope: "host" });
      await peer.jobFinished(testJob, new AbortController().signal);
      return ask(peer);
    })(),
  );
}

const short = ({ url, state, httpStatus, reason }: UrlStatus) => [
  url.replace(seed, "/"),
  state,
  httpStatus ?? reason,
];

describe("a peer that is asked for the URLs of a job", () => {
  it("lists every one with what became of it", async () => {
    const urls = await afterCrawl((peer) => listed(peer));
    expect(urls.map(short)).toEqual([
      ["http://other.example/", "excluded", "scope"],
      ["/", "done", 200],
      ["/down", "done", "connect-refused"],
      ["/good", "done", 200],
      ["/missing", "done", 404],
      ["/private/x", "excluded", "robots"],
    ]);
  });

  it("lists those alone that are asked for", async () => {
    const lists = await afterCrawl((peer) =>
      Promise.all(
        [
          { state: "failed" } as const,
          { state: "excluded" } as const,
          { state: "queued" } as const,
          { http: 4 },
          { http: 200 },
          { broken: true } as const,
        ].map(async (filter) => (await listed(peer, filter)).map(({ url }) => url)),
      ),
    );
    expect(lists).toEqual([
      ["http://site.example/down"],
      ["http://other.example/", "http://site.example/private/x"],
      [],
      ["http://site.example/missing"],
      ["http://site.example/", "http://site.example/good"],
      ["http://site.example/down", "http://site.example/missing"],
    ]);
  });

  it("tells a page that has a broken link, and of no other link", async () => {
    const urls = await afterCrawl((peer) => listed(peer));
    const broken = urls.filter(({ via }) => via !== undefined);
    expect(broken.map(({ url, via }) => [url, via])).toEqual([
      ["http://site.example/down", seed],
      ["http://site.example/missing", seed],
    ]);
  });

  it("tells where the link is that redirects to a broken one, and what stands there", async () => {
    const redirect = (location: string): TablePage => ({ status: 301, headers: { location } });
    const web = {
      [seed]: htmlPage("/moved"),
      "http://site.example/moved": redirect("/moved?again=1"),
      "http://site.example/moved?again=1": redirect("/missing"),
    };
    const broken = await afterCrawl((peer) => listed(peer, { broken: true }), web);
    expect(broken).toMatchObject([
      { url: "http://site.example/missing", via: seed, linkedAs: "http://site.example/moved" },
    ]);

    const ofSeed = { [seed]: redirect("/missing") };
    const [missing] = await afterCrawl((peer) => listed(peer, { broken: true }), ofSeed);
    expect(missing).toMatchObject({ url: "http://site.example/missing", linkedAs: seed });
    expect(missing?.via).toBeUndefined();
  });

  it("lists more queued URLs than one answer has room for, each once", async () => {
    const machine = new VirtualPeer(() => undefined);
    const seeds = Array.from({ length: 1_100 }, (_, number) => `${seed}page-${number}`);
    const urls = await machine.clock.run(
      (async () => {
        const peer = await machine.start();
        await machine.inject(seeds, { scope: "host", delayMs: 60_000 });
        return listed(peer, { state: "queued" });
      })(),
    );
    expect(urls.map(({ url }) => url)).toEqual(seeds.toSorted());
  });

  it("counts what is left of a cancelled job among the excluded", async () => {
    const machine = new VirtualPeer((url) => pages[url]);
    const lists = await machine.clock.run(
      (async () => {
        const peer = await machine.start();
        await machine.inject([seed], { scope: "host", delayMs: 60_000 });
        await machine.clock.sleep(100_000);
        const before = await listed(peer, { state: "queued" });
        await peer.changeJob(testJob, "cancel");
        return [before, await listed(peer, { state: "excluded" }), await listed(peer)];
      })(),
    );
    const [before = [], excluded = [], all = []] = lists;
    expect(before.length).toBeGreaterThan(0);
    const cancelled = excluded.filter(({ reason }) => reason === "cancelled");
    expect(cancelled.map(({ url }) => url)).toEqual(before.map(({ url }) => url));
    expect(new Set(all.map(({ url }) => url)).size).toBe(all.length);
  });

  it("goes on from no place but its own, and knows no job by guess", async () => {
    await afterCrawl(async (peer) => {
      await expect(peer.urls(testJob, {}, "far away")).rejects.toMatchObject({
        code: "CONFIG_INVALID",
      });
      const other = "other" as typeof testJob;
      await expect(peer.urls(other, {})).rejects.toMatchObject({ code: "JOB_UNKNOWN" });
    });
  });
});
