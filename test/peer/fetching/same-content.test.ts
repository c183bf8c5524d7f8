import { describe, expect, it } from "vitest";
import type { UrlStatus } from "../../../src/core/answers/url-status.ts";
import type { JobId } from "../../../src/core/units.ts";
import { htmlPage, type TablePage } from "../../support/table-web.ts";
import { VirtualPeer } from "../../support/virtual-peer.ts";

const seed = "http://site.example/";
const etag = '"v1"';
const { body = "" } = htmlPage("/linked");

const pages: Readonly<Record<string, TablePage>> = {
  [seed]: htmlPage("/doc.txt", "/doc"),
  "http://site.example/doc.txt": { headers: { "content-type": "text/plain" }, body },
  "http://site.example/doc": { headers: { "content-type": "text/html" }, body },
  "http://site.example/linked": htmlPage(),
};

const again = "again" as JobId;

/** Crawls the seed in a job that has none of its URLs. */
async function crawlAgain(machine: VirtualPeer, job = again): Promise<void> {
  await machine.clock.run(
    (async () => {
      await machine.peer.inject(job, [seed]);
      await machine.peer.jobFinished(job, new AbortController().signal);
    })(),
  );
}

it("takes an unchanged page for what its own head says, though its content is archived under another's", async () => {
  const machine = new VirtualPeer((url, asked) => {
    const page = pages[url];
    if (page && asked > 0) return { status: 304, headers: { etag } };
    return page && { ...page, headers: { ...page.headers, etag } };
  });
  await machine.crawl([seed]);
  await crawlAgain(machine);
  expect(machine.peer.job(again).counts).toMatchObject({ pages: 3, statuses: { "3xx": 4 } });
  const { headers } = await machine.peer.content("http://site.example/doc", again);
  expect(headers).toContain("text/html");
});

it("tells of an unchanged page what its content is, though no byte of it came again", async () => {
  const machine = new VirtualPeer((url, asked) => {
    const page = pages[url];
    if (page && asked > 0) return { status: 304, headers: { etag } };
    return page && { ...page, headers: { ...page.headers, etag } };
  });
  await machine.crawl([seed]);
  const urls = Object.keys(pages);
  const content = (await machine.peer.status(urls)).map(contentOf);
  await crawlAgain(machine);
  const unchanged = await machine.peer.status(urls, again);
  expect(unchanged.map(({ httpStatus }) => httpStatus)).toEqual([304, 304, 304, 304]);
  expect(unchanged.map(contentOf)).toEqual(content);
  expect(machine.peer.job(again).counts.bytes).toBe(0);
});

function contentOf({ bodyBytes, contentType, digest, title }: UrlStatus): object {
  return { bodyBytes, contentType, digest, title };
}

it("follows no link of an unchanged page whose 304 says nofollow", async () => {
  const machine = new VirtualPeer((url, asked) => {
    const page = url === seed ? htmlPage("/linked") : undefined;
    if (page && asked > 0) return { status: 304, headers: { "x-robots-tag": "noindex, nofollow" } };
    return page && { ...page, headers: { ...page.headers, etag, "X-Robots-Tag": "all" } };
  });
  await machine.crawl([seed]);
  await crawlAgain(machine);
  expect(machine.web.counts().get("http://site.example/linked")).toBe(1);
  expect(machine.peer.job(again).counts).toMatchObject({ skipped: { nofollow: 1 } });
});

it.each<[string, Readonly<Record<string, string>>]>([
  ["Link", { link: "</linked>; rel=next" }],
  ["Refresh", { refresh: "0; url=/linked" }],
])("follows what the %s field of a 304 names", async (_, fields) => {
  const machine = new VirtualPeer((url, asked) => {
    if (url !== seed) return pages[url];
    if (asked > 0) return { status: 304, headers: { etag, ...fields } };
    const page = htmlPage();
    return { ...page, headers: { ...page.headers, etag } };
  });
  await machine.crawl([seed]);
  await crawlAgain(machine);
  expect(machine.web.counts().get("http://site.example/linked")).toBe(1);
});

it("follows what the latest head of an unchanged page names, though its content has come under an earlier one", async () => {
  const page = htmlPage();
  const heads: readonly Readonly<Record<string, string>>[] = [
    { etag: '"v0"' },
    { etag, link: "</linked>; rel=next" },
  ];
  const machine = new VirtualPeer((url, asked) => {
    if (url !== seed) return pages[url];
    const head = heads[asked];
    return head
      ? { ...page, headers: { ...page.headers, ...head } }
      : { status: 304, headers: { etag } };
  });
  await machine.crawl([seed]);
  await crawlAgain(machine);
  const third = "third" as JobId;
  await crawlAgain(machine, third);
  const { archive } = (await machine.peer.status([seed], again))[0] ?? {};
  expect(archive?.body).toBeDefined();
  expect(machine.peer.job(third).counts).toMatchObject({ statuses: { "3xx": 1 }, pages: 2 });
});

it("asks for the whole page where its content is archived under another URL, whose head is not its own", async () => {
  const copy = "http://site.example/copy";
  const machine = new VirtualPeer((url, asked) => {
    const page = url === copy ? pages["http://site.example/doc"] : pages[url];
    const own = { etag: `"${url}"` };
    // Whoever is asked under a condition says that nothing has changed.
    const conditions = machine.web.requests.at(-1)?.headers["if-none-match"];
    if (asked > 0 && conditions !== undefined) return { status: 304, headers: own };
    return page && { ...page, headers: { ...page.headers, ...own } };
  });
  await machine.crawl(["http://site.example/doc", copy], { scope: "page" });
  const again = "again" as JobId;
  await machine.clock.run(
    (async () => {
      await machine.peer.inject(again, [copy], { scope: "page" });
      await machine.peer.jobFinished(again, new AbortController().signal);
    })(),
  );
  const { headers } = await machine.peer.content(copy, again);
  expect(headers).toContain(`"${copy}"`);
});

describe("a long page that has not changed", () => {
  const again = "again" as JobId;
  const long = htmlPage("/linked");
  const page = {
    ...long,
    headers: { ...long.headers, etag },
    body: `${long.body}${" ".repeat(300_000)}`,
  };

  /** @param answer what the second job is told when it asks whether the page has changed */
  async function crawledTwice(answer: (machine: VirtualPeer) => TablePage): Promise<VirtualPeer> {
    const machine: VirtualPeer = new VirtualPeer((url, asked) => {
      if (url !== seed) return pages[url];
      return asked === 1 ? answer(machine) : page;
    });
    await machine.crawl([seed]);
    await machine.clock.run(
      (async () => {
        await machine.peer.inject(again, [seed]);
        await machine.peer.jobFinished(again, new AbortController().signal);
      })(),
    );
    return machine;
  }

  it("is read from the archive when the server has said so", async () => {
    const { peer, web } = await crawledTwice(() => ({ status: 304, headers: { etag } }));
    expect(web.requests.filter(({ url }) => url === seed)).toHaveLength(2);
    expect(peer.job(again).counts).toMatchObject({ pages: 2, statuses: { "3xx": 1, "2xx": 1 } });
    expect((await peer.content(seed, again)).body).toHaveLength(page.body.length);
  });

  function expectFetchedWhole({ peer, web }: VirtualPeer): void {
    const asked = web.requests.filter(({ url }) => url === seed);
    const conditions = asked.map(({ headers }) => headers["if-none-match"]);
    expect(conditions).toEqual([undefined, etag, undefined]);
    expect(peer.job(again).counts).toMatchObject({ pages: 2, statuses: { "2xx": 2 } });
  }

  it.each([412, 500])(
    "is fetched whole when its server answers the question with %d",
    async (status) => {
      const machine = await crawledTwice(() => ({ status }));
      expectFetchedWhole(machine);
    },
  );

  it("is fetched whole when the archive was damaged meanwhile", async () => {
    const machine = await crawledTwice((asked) => {
      asked.damageArchive();
      return { status: 304, headers: { etag } };
    });
    expectFetchedWhole(machine);
  });
});
