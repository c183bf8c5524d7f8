import { describe, expect, it } from "vitest";
import { after, tagRange } from "../../src/core/record/key-ranges.ts";
import { namedKey } from "../../src/core/record/named-keys.ts";
import { htmlPage } from "../support/table-web.ts";
import type { Pages } from "../support/table-web.ts";
import { testJob, VirtualPeer } from "../support/virtual-peer.ts";

const pages = 40;

const web: Pages = (url) => {
  const number = Number(/^http:\/\/site\.example\/(\d+)$/.exec(url)?.[1]);
  if (!(number >= 1 && number <= pages)) return undefined;
  return htmlPage(`/${2 * number}`, `/${2 * number + 1}`, "/1");
};

const seed = "http://site.example/1";
const forever = new AbortController().signal;

describe("a peer that is started again", () => {
  it("goes on after a graceful stop, and fetches nothing again", async () => {
    const machine = new VirtualPeer(web);
    await machine.clock.run(
      (async () => {
        const first = await machine.start();
        await machine.inject([seed], { delayMs: 100 });
        await machine.clock.sleep(1_500);
        await first.stop();
        const second = await machine.start();
        expect(second.job(testJob).finished).toBe(false);
        await second.jobFinished(testJob, forever);
      })(),
    );
    const { counts } = machine.peer.job(testJob);
    expect([...machine.web.counts().values()].every((count) => count === 1)).toBe(true);
    // Links beyond the last page answer 404, and are fetched once too.
    expect(counts).toMatchObject({ pages, duplicateFetches: 0, queued: 0 });
  });

  it("answers a last time when nothing is under way any more, before it closes what it was given", async () => {
    const machine = new VirtualPeer(web);
    const stopping = (async () => {
      const peer = await machine.start();
      await machine.inject([seed], { delayMs: 100 });
      await machine.clock.sleep(1_550);
      let seen: unknown;
      await peer.stop(async () => {
        const { openRequests } = peer.stats();
        const { urls } = await peer.urls(testJob, { state: "fetched" });
        seen = { openRequests, fetched: urls.length };
      });
      return { seen, fetched: peer.job(testJob).counts.fetched };
    })();
    const { seen, fetched } = await machine.clock.run(stopping);
    expect(fetched).toBeGreaterThan(1);
    expect(seen).toEqual({ openRequests: 0, fetched });
  });

  it("stops at once while it reads what is queued, and has not failed", async () => {
    const machine = new VirtualPeer(web, {}, { readMedianMs: 5 });
    const failures: unknown[] = [];
    await machine.clock.run(
      (async () => {
        const first = await machine.start();
        await machine.inject([seed], { delayMs: 60_000 });
        await first.stop();
        for (const afterMs of [0, 5, 10, 15]) {
          const peer = await machine.start();
          void peer.failed.then((error) => failures.push(error));
          await machine.clock.sleep(afterMs);
          await peer.stop();
          await machine.clock.sleep(1_000);
        }
      })(),
    );
    expect(failures).toEqual([]);
  });

  it("leaves a host alone for as long as that asked, though the machine was asleep before", async () => {
    const machine = new VirtualPeer(() => ({ status: 503, headers: { "retry-after": "3600" } }));
    const host = await machine.clock.run(
      (async () => {
        const first = await machine.start();
        machine.setClockForward(8 * 3_600_000);
        await machine.inject([seed]);
        await machine.clock.sleep(60_000);
        await first.stop();
        const second = await machine.start();
        const found = await second.host("site.example");
        await second.stop();
        return found;
      })(),
    );
    const [asked] = machine.web.hits;
    expect(host.hold).toBe("backoff");
    const restMs = Date.parse(host.nextFetchAt ?? "") - 8 * 3_600_000 - (asked?.finishedAtMs ?? 0);
    expect(Math.round(restMs / 60_000)).toBe(60);
  });

  it("does not take what it did before for its rate now", async () => {
    const machine = new VirtualPeer(web);
    await machine.crawl([seed], { delayMs: 0 });
    await machine.clock.run(machine.peer.stop());
    const peer = await machine.clock.run(machine.start());
    await machine.clock.run(machine.clock.sleep(1_000));
    expect(peer.stats()).toMatchObject({ pagesPerSecond: 0, jobs: [{ counts: { pages } }] });
  });

  it("still knows every URL, from the sieve's snapshot", async () => {
    const machine = new VirtualPeer(web);
    await machine.crawl([seed], { delayMs: 0 });
    await machine.clock.run(machine.peer.stop());
    await machine.clock.run(machine.start());
    expect(await machine.clock.run(machine.inject([seed]))).toMatchObject({ added: 0, known: 1 });
  });

  it("still knows every URL when the snapshot is damaged, from the rows themselves", async () => {
    const machine = new VirtualPeer(web);
    await machine.crawl([seed], { delayMs: 0 });
    await machine.clock.run(machine.peer.stop());
    const snapshot = machine.disk.entries(tagRange("sieveSnapshot"));
    expect(snapshot.length).toBeGreaterThan(0);
    machine.disk.apply(
      snapshot.map(({ key }) => ({ type: "put", key, value: Uint8Array.of(1, 2, 3) })),
    );
    await machine.clock.run(machine.start());
    expect(await machine.clock.run(machine.inject([seed]))).toMatchObject({ added: 0, known: 1 });
    const [digest] = machine.disk.entries(tagRange("digest"));
    await machine.clock.run(
      (async () => {
        await machine.peer.inject("again" as typeof testJob, [seed], { delayMs: 0 });
        await machine.peer.jobFinished("again" as typeof testJob, forever);
      })(),
    );
    // A payload that was forgotten would be archived, and its row written, as if it were new.
    expect(machine.disk.entries(tagRange("digest"))[0]).toEqual(digest);
  });

  it("archives a page again whose archive file was carried away", async () => {
    const machine = new VirtualPeer(web);
    await machine.crawl([seed], { delayMs: 0 });
    await machine.clock.run(machine.peer.stop());
    machine.carryArchiveAway();
    const peer = await machine.clock.run(machine.start());
    const again = "again" as typeof testJob;
    await machine.clock.run(
      (async () => {
        await peer.inject(again, [seed], { delayMs: 0 });
        await peer.jobFinished(again, forever);
      })(),
    );
    expect(peer.job(again).counts).toMatchObject({ pages });
    const { body } = await peer.content(seed);
    expect(new TextDecoder().decode(body)).toContain("<title>page</title>");
  });

  it("fetches and archives a page again whose archive file is damaged, though it has not changed", async () => {
    const etag = '"v1"';
    const page = { ...htmlPage(), headers: { "content-type": "text/html", etag } };
    const machine = new VirtualPeer((url) => (url === seed ? page : undefined));
    await machine.crawl([seed], { delayMs: 0 });
    await machine.clock.run(machine.peer.stop());
    machine.damageArchive();
    const peer = await machine.clock.run(machine.start());
    await machine.clock.run(
      (async () => {
        for (const job of ["again", "and-again"] as (typeof testJob)[]) {
          await peer.inject(job, [seed], { delayMs: 0 });
          await peer.jobFinished(job, forever);
          expect(peer.job(job).counts).toMatchObject({ pages: 1 });
        }
      })(),
    );
    const asked = machine.web.requests.filter(({ url }) => url === seed);
    expect(asked.map(({ headers }) => headers["if-none-match"])).toEqual([
      undefined,
      undefined,
      etag,
    ]);
    const { body } = await peer.content(seed);
    expect(new TextDecoder().decode(body)).toContain("<title>page</title>");
  });

  it("archives a page again whose record could not be read when it was asked for", async () => {
    const page = { ...htmlPage(), headers: { "content-type": "text/html" } };
    const machine = new VirtualPeer((url) => (url === seed ? page : undefined));
    await machine.crawl([seed], { delayMs: 0 });
    await machine.clock.run(machine.peer.stop());
    machine.damageArchive();
    const peer = await machine.clock.run(machine.start());
    await expect(peer.content(seed)).rejects.toMatchObject({ code: "ARCHIVE_CORRUPT" });
    const again = "again" as typeof testJob;
    await machine.clock.run(
      (async () => {
        await peer.inject(again, [seed], { delayMs: 0 });
        await peer.jobFinished(again, forever);
      })(),
    );
    const { body } = await peer.content(seed, again);
    expect(new TextDecoder().decode(body)).toContain("<title>page</title>");
  });

  const layoutKey = namedKey("meta", "schema-version");

  /** A peer that was stopped, and whose database says that it is of this layout. */
  async function stoppedWithLayout(layout: string): Promise<VirtualPeer> {
    const machine = new VirtualPeer(web);
    await machine.crawl([seed], { delayMs: 0 });
    await machine.clock.run(machine.peer.stop());
    expect(machine.disk.has(layoutKey)).toBe(true);
    const value = new TextEncoder().encode(layout);
    machine.disk.apply([{ type: "put", key: layoutKey, value }]);
    return machine;
  }

  it("goes on with a database of the layout before, and marks it", async () => {
    const machine = await stoppedWithLayout("2");
    await machine.clock.run(machine.start());
    const [marked] = machine.disk.entries({ gte: layoutKey, lt: after(layoutKey) });
    expect(new TextDecoder().decode(marked?.value)).toBe("4");
  });

  it("refuses a database of another layout", async () => {
    const machine = await stoppedWithLayout("9");
    await expect(machine.clock.run(machine.start())).rejects.toMatchObject({
      code: "STORE_VERSION",
      message: "the database has layout 9, and this version reads layouts 2 to 4",
    });
  });

  it.each([0, 1, 5, 10, 15, 20, 30])(
    "stops in peace when it is given seeds %i ms after it was told to, and takes them or says so",
    async (ms) => {
      const machine = new VirtualPeer(web);
      await machine.clock.run(
        (async () => {
          const peer = await machine.start();
          const stopped = peer.stop();
          await machine.clock.sleep(ms);
          const told = peer.inject(testJob, [seed]).then(
            ({ added }) => added,
            (error: unknown) => error,
          );
          await stopped;
          expect([1, expect.objectContaining({ code: "PEER_STOPPED" })]).toContainEqual(await told);
        })(),
      );
    },
  );

  it("stops with the reason when the disk is full, and goes on when there is room", async () => {
    const machine = new VirtualPeer(web);
    const reason = await machine.clock.run(
      (async () => {
        const first = await machine.start();
        await machine.inject([seed], { delayMs: 100 });
        await machine.clock.sleep(1_000);
        machine.disk.full = true;
        const failure = await first.failed;
        await first.stop();
        machine.disk.full = false;
        const second = await machine.start();
        await second.jobFinished(testJob, forever);
        return failure;
      })(),
    );
    expect(reason).toMatchObject({ code: "DISK_FULL" });
    expect(machine.peer.job(testJob).counts).toMatchObject({ pages, queued: 0 });
  });

  it("asks a page that another job has fetched only whether it changed, and still follows its links", async () => {
    const validator = '"v1"';
    const machine = new VirtualPeer((url, asked) => {
      const page = web(url, asked);
      if (!page) return undefined;
      if (asked > 0) return { status: 304, headers: { etag: validator } };
      return { ...page, headers: { ...page.headers, etag: validator } };
    });
    await machine.crawl([seed], { delayMs: 0 });
    const { peer } = machine;
    await machine.clock.run(
      (async () => {
        await peer.inject("again" as typeof testJob, [seed], { delayMs: 0 });
        await peer.jobFinished("again" as typeof testJob, forever);
      })(),
    );
    const { counts } = peer.job("again" as typeof testJob);
    expect(counts).toMatchObject({ pages, statuses: { "3xx": pages } });
    const conditional = machine.web.requests.filter(
      ({ headers }) => headers["if-none-match"] === validator,
    );
    expect(conditional).toHaveLength(pages);
    const { body, headers, status } = await peer.content(`http://site.example/${pages}`);
    expect(status).toBe(200);
    expect(headers).toContain("content-type");
    expect(new TextDecoder().decode(body)).toContain("<title>page</title>");
  });

  it("counts an unchanged page against the limit of pages, and nothing else that is unchanged", async () => {
    const image = { headers: { "content-type": "image/png", etag: '"v1"' }, body: "\u0089PNG" };
    const machine = new VirtualPeer((url, asked) => {
      if (url.endsWith("robots.txt")) return undefined;
      if (asked > 0) return { status: 304, headers: { etag: '"v1"' } };
      if (url.endsWith(".png")) return image;
      const page = htmlPage("/a.png", "/1", "/2", "/3", "/4", "/5");
      // Each page with a body of its own: one that is archived under another URL is asked for whole.
      const body = `${page.body ?? ""}<!-- ${url} -->`;
      return { ...page, body, headers: { ...page.headers, etag: '"v1"' } };
    });
    await machine.crawl([seed]);
    const { peer } = machine;
    const again = "again" as typeof testJob;
    await machine.clock.run(
      (async () => {
        await peer.inject(again, [seed], { pagesMax: 3 });
        await peer.jobFinished(again, forever);
      })(),
    );
    const { counts, finished } = peer.job(again);
    expect({ finished, pages: counts.pages, fetched: counts.fetched }).toEqual({
      finished: true,
      pages: 3,
      fetched: 4,
    });
  });

  it.each([
    ["a body that was cut", { truncation: "disconnect" }],
    ["an error page", { status: 404 }],
  ] as const)("asks for the whole page again after %s", async (_what, first) => {
    const headers = { "content-type": "text/html", etag: '"v1"' };
    const machine = new VirtualPeer((url, asked) =>
      url === seed ? { body: "<p>", headers, ...(asked === 0 ? first : {}) } : undefined,
    );
    await machine.crawl([seed]);
    const again = "again" as typeof testJob;
    await machine.clock.run(
      (async () => {
        await machine.peer.inject(again, [seed]);
        await machine.peer.jobFinished(again, forever);
      })(),
    );
    const asked = machine.web.requests.filter(({ url }) => url === seed);
    expect(asked.map((request) => request.headers)).toEqual([{}, {}]);
  });

  it("asks without a validator that cannot be sent, and keeps the one that can", async () => {
    const since = "Sun, 06 Nov 1994 08:49:37 GMT";
    const headers = { "content-type": "text/html", etag: '"a\x01b"', "last-modified": since };
    const machine = new VirtualPeer((url) =>
      url.endsWith("/robots.txt") ? undefined : { body: "<p>", headers },
    );
    await machine.crawl([seed]);
    const again = "again" as typeof testJob;
    await machine.clock.run(
      (async () => {
        await machine.peer.inject(again, [seed]);
        await machine.peer.jobFinished(again, forever);
      })(),
    );
    const asked = machine.web.requests.filter(({ url }) => url === seed);
    expect(asked.map((request) => request.headers)).toEqual([{}, { "if-modified-since": since }]);
  });
});
