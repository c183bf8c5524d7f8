import { describe, expect, it, onTestFinished, vi } from "vitest";
import { CrawlError } from "../../src/core/errors.ts";
import { InlineParser } from "../support/inline-parser.ts";
import { htmlPage, type TablePage } from "../support/table-web.ts";
import { testJob, VirtualPeer } from "../support/virtual-peer.ts";

const site = "http://site.example";

function xml(body: string): TablePage {
  return { headers: { "content-type": "text/xml" }, body };
}

function sitemap(...paths: readonly string[]): TablePage {
  const entries = paths.map((path) => `<url><loc>${site}${path}</loc></url>`);
  return xml(`<urlset>${entries.join("")}</urlset>`);
}

/** A site of whose pages only the first is linked: the others stand in its sitemaps. */
const pages: Readonly<Record<string, TablePage>> = {
  [`${site}/robots.txt`]: {
    body: `User-agent: *\nDisallow: /private\nSitemap: ${site}/sitemaps.xml\nSitemap: ${site}/private/s.xml\n`,
  },
  [`${site}/sitemaps.xml`]: xml(
    `<sitemapindex><sitemap><loc>${site}/one.xml</loc></sitemap>
      <sitemap><loc>${site}/two.xml</loc></sitemap></sitemapindex>`,
  ),
  [`${site}/one.xml`]: sitemap("/", "/a", "/b"),
  [`${site}/two.xml`]: sitemap("/b", "/c", "/private/p"),
  [`${site}/private/s.xml`]: sitemap("/never"),
  ...Object.fromEntries(
    ["/", "/a", "/b", "/c", "/never", "/private/p"].map((path) => [`${site}${path}`, htmlPage()]),
  ),
};

function machineWith(more: Readonly<Record<string, TablePage>> = {}): VirtualPeer {
  const table = { ...pages, ...more };
  return new VirtualPeer((url) => table[url]);
}

/** Paths that were asked for, but robots.txt. */
function asked(machine: VirtualPeer): string[] {
  return [...machine.web.counts().keys()]
    .map((url) => url.slice(site.length))
    .filter((path) => path !== "/robots.txt")
    .sort();
}

describe("a job that wants sitemaps", () => {
  it("crawls what they name, once, as robots.txt allows it", async () => {
    const machine = machineWith();
    const peer = await machine.crawl([`${site}/`], { sitemaps: true, otherContent: "skip" });
    const files = ["/one.xml", "/sitemaps.xml", "/two.xml"];
    expect(asked(machine)).toEqual(["/", "/a", "/b", "/c", ...files]);
    expect(new Set(machine.web.counts().values())).toEqual(new Set([1]));
    expect(peer.job(testJob).counts).toMatchObject({ pages: 4, fetched: 7 });
    const [file, page] = await peer.status([`${site}/private/s.xml`, `${site}/private/p`]);
    expect(file).toMatchObject({ state: "excluded", reason: "robots" });
    expect(page).toMatchObject({ state: "excluded", reason: "robots" });
  });

  it.each([404, 410, 200])(
    "takes them up whatever the site has to say at its seed: %i",
    async (status) => {
      const machine = machineWith({ [`${site}/`]: { status, body: "no" } });
      await machine.crawl([`${site}/`], { sitemaps: true });
      expect(asked(machine)).toContain("/c");
    },
  );

  it("takes them up where robots.txt forbids the seed, or where it leads", async () => {
    const robots = { body: `User-agent: *\nDisallow: /$\nSitemap: ${site}/s.xml` };
    const moved = { status: 302, headers: { location: "/" } };
    for (const path of ["/", "/moved"]) {
      const machine = machineWith({
        [`${site}/robots.txt`]: robots,
        [`${site}/moved`]: moved,
        [`${site}/s.xml`]: sitemap("/a"),
      });
      const seed = `${site}${path}`;
      const peer = await machine.crawl([seed], { sitemaps: true, depthMax: 1 });
      expect(asked(machine)).toEqual(["/s.xml", ...(path === "/" ? [] : [path])].sort());
      const [forbidden, file] = await peer.status([`${site}/`, `${site}/s.xml`]);
      expect(forbidden).toMatchObject({ state: "excluded", reason: "robots", depth: 0 });
      expect(file).toMatchObject({ state: "done", depth: 1 });
    }
  });

  it("takes them up where the seed is of a type that it does not want", async () => {
    const picture = { headers: { "content-type": "image/png" }, body: "no" };
    const machine = machineWith({ [`${site}/`]: picture });
    await machine.crawl([`${site}/`], { sitemaps: true, otherContent: "skip" });
    expect(asked(machine)).toContain("/c");
  });

  it("keeps those out that its rules do not want, of a seed that is forbidden too", async () => {
    const machine = machineWith({
      [`${site}/robots.txt`]: {
        body: `User-agent: *\nDisallow: /$\nSitemap: ${site}/one.xml\nSitemap: ${site}/two.xml\nSitemap: http://other.example/s.xml`,
      },
    });
    const peer = await machine.crawl([`${site}/`], { sitemaps: true, exclude: ["two"] });
    expect(asked(machine)).toEqual(["/a", "/b", "/one.xml"]);
    const skipped = { pattern: 1, robots: 1, scope: 1 };
    expect(peer.job(testJob).counts).toMatchObject({ skipped });
  });

  it("takes them up once from those that robots.txt forbids, and again where a pattern has failed", async () => {
    const robots = { body: `User-agent: *\nDisallow: /\nAllow: /s.xml\nSitemap: ${site}/s.xml` };
    const machine = machineWith({
      [`${site}/robots.txt`]: robots,
      [`${site}/s.xml`]: sitemap("/a"),
    });
    const judgeUrls = vi.spyOn(InlineParser.prototype, "judgeUrls");
    onTestFinished(() => judgeUrls.mockRestore());
    const crashed = new CrawlError("PARSER_CRASHED", "a pattern", { job: testJob });
    judgeUrls.mockRejectedValueOnce(crashed);
    const peer = await machine.crawl([`${site}/`], { sitemaps: true });
    for (const path of ["/a", "/b", "/c"]) {
      const injected = machine.inject([`${site}${path}`], { sitemaps: true });
      const { signal } = new AbortController();
      await machine.clock.run(injected.then(() => peer.jobFinished(testJob, signal)));
    }
    expect(judgeUrls).toHaveBeenCalledTimes(2);
    expect(asked(machine)).toEqual(["/s.xml"]);
    expect(peer.job(testJob).counts).toMatchObject({ fetched: 1, skipped: { robots: 4 } });
  });

  it("takes them up where a seed leads that redirects", async () => {
    const moved = { status: 302, headers: { location: "/a" } };
    const machine = machineWith({ [`${site}/`]: moved });
    await machine.crawl([`${site}/`], { sitemaps: true });
    expect(asked(machine)).toContain("/c");
  });

  it("finds one that robots.txt names by its path alone, also after a restart", async () => {
    const machine = machineWith({ [`${site}/robots.txt`]: { body: "Sitemap: /one.xml" } });
    await machine.crawl([`${site}/`]);
    expect(asked(machine)).toEqual(["/"]);
    machine.kill();
    await machine.crawl([`${site}/c`], { sitemaps: true });
    expect(asked(machine)).toEqual(["/", "/a", "/b", "/c", "/one.xml"]);
  });

  it("takes them up where it comes to want them while the first page is parsed", async () => {
    const machine = machineWith();
    const parser = new InlineParser();
    await parser.start();
    const parse = vi.spyOn(InlineParser.prototype, "parse");
    onTestFinished(() => parse.mockRestore());
    parse.mockImplementationOnce(async (request) => {
      const parsed = await parser.parse(request);
      await machine.inject([`${site}/a`], { sitemaps: true });
      return parsed;
    });
    await machine.crawl([`${site}/`]);
    expect(asked(machine)).toContain("/c");
  });

  it("takes feeds and lists of URLs for sitemaps too", async () => {
    const feed = `<feed><entry><link href="${site}/a"/></entry></feed>`;
    const machine = machineWith({
      [`${site}/one.xml`]: { headers: { "content-type": "application/atom+xml" }, body: feed },
      [`${site}/two.xml`]: {
        headers: { "content-type": "text/plain; charset=utf-8" },
        body: `${site}/b\n${site}/c\n`,
      },
    });
    await machine.crawl([`${site}/`], { sitemaps: true, otherContent: "skip" });
    expect(asked(machine)).toEqual([
      "/",
      "/a",
      "/b",
      "/c",
      "/one.xml",
      "/sitemaps.xml",
      "/two.xml",
    ]);
  });

  it("takes what a script writes under the type of its pages for a sitemap, and not for a page", async () => {
    const { headers } = htmlPage();
    const machine = machineWith({
      [`${site}/one.xml`]: { ...sitemap("/", "/a", "/b"), ...(headers && { headers }) },
    });
    const peer = await machine.crawl([`${site}/`], { sitemaps: true, otherContent: "skip" });
    expect(asked(machine)).toContain("/a");
    expect(peer.job(testJob).counts).toMatchObject({ pages: 4, fetched: 7 });
  });

  it("takes a file whose ending its server does not know", async () => {
    const headers = { "content-type": "application/octet-stream" };
    const machine = machineWith({
      [`${site}/one.xml`]: { ...sitemap("/", "/a", "/b"), headers },
    });
    await machine.crawl([`${site}/`], { sitemaps: true, otherContent: "skip" });
    expect(asked(machine)).toContain("/a");
  });

  it("takes what robots.txt names, also where neither its type nor its name says so", async () => {
    const headers = { "content-type": "application/octet-stream" };
    const machine = machineWith({
      [`${site}/robots.txt`]: { body: `Sitemap: ${site}/one.gz\nSitemap: ${site}/map?of=c` },
      [`${site}/one.gz`]: { ...sitemap("/a"), headers },
      [`${site}/map?of=c`]: { ...sitemap("/c", "/source.tar.gz"), headers },
      [`${site}/source.tar.gz`]: { headers, body: "not text" },
    });
    const peer = await machine.crawl([`${site}/`], { sitemaps: true, otherContent: "skip" });
    expect(asked(machine)).toEqual(["/", "/a", "/c", "/map?of=c", "/one.gz", "/source.tar.gz"]);
    expect(peer.job(testJob).counts).toMatchObject({ skipped: { "content-type": 1 } });
  });

  it("follows the redirects of those to whose URLs no link is followed", async () => {
    const to = (path: string): TablePage => ({ status: 301, headers: { location: path } });
    const machine = machineWith({
      [`${site}/sitemaps.xml`]: to("/sitemap-index.xml"),
      [`${site}/sitemap-index.xml`]: pages[`${site}/sitemaps.xml`] ?? {},
      [`${site}/one.xml`]: to("/old/one.xml"),
      [`${site}/old/one.xml`]: to("/new/one.xml"),
      [`${site}/new/one.xml`]: sitemap("/a", "/b"),
      [`${site}/a`]: to("/b"),
    });
    const peer = await machine.crawl([`${site}/`], { sitemaps: true, include: ["/[ac]$"] });
    const files = ["/sitemap-index.xml", "/sitemaps.xml", "/two.xml"];
    const moved = ["/new/one.xml", "/old/one.xml", "/one.xml"];
    expect(asked(machine)).toEqual(["/", "/a", "/c", ...moved, ...files].sort());
    const [page] = await peer.status([`${site}/b`]);
    expect(page).toMatchObject({ state: "excluded", reason: "pattern" });
  });

  it("takes what such a redirect leads to for one, whatever its server calls it", async () => {
    const headers = { "content-type": "application/octet-stream" };
    const machine = machineWith({
      [`${site}/sitemaps.xml`]: { status: 302, headers: { location: "/map?of=c" } },
      [`${site}/map?of=c`]: { ...sitemap("/c"), headers },
    });
    await machine.crawl([`${site}/`], { sitemaps: true, otherContent: "skip" });
    expect(asked(machine)).toEqual(["/", "/c", "/map?of=c", "/sitemaps.xml"]);
  });

  it("gives them a place in its depth", async () => {
    const machine = machineWith();
    await machine.crawl([`${site}/`], { sitemaps: true, depthMax: 2 });
    expect(asked(machine)).toEqual(["/", "/one.xml", "/sitemaps.xml", "/two.xml"]);
  });

  it("takes them up from a page that is near enough to a seed, behind another one that was not", async () => {
    const to = (path: string): TablePage => ({ status: 302, headers: { location: path } });
    const other = "http://other.example/";
    const machine = machineWith({
      [other]: htmlPage(`${site}/a`),
      [`${site}/`]: to("/en"),
      [`${site}/en`]: to("/en/"),
      [`${site}/en/`]: htmlPage(),
    });
    const seeds = [other, `${site}/`];
    const peer = await machine.crawl(seeds, { sitemaps: true, depthMax: 1, scope: "any" });
    const files = await peer.status([`${site}/a`, `${site}/en/`, `${site}/sitemaps.xml`]);
    expect(files).toMatchObject([{ depth: 1 }, { depth: 0 }, { state: "done", depth: 1 }]);
  });
});

describe("any other job", () => {
  it("leaves them alone, even where one of them is its seed", async () => {
    const machine = machineWith();
    await machine.crawl([`${site}/`, `${site}/one.xml`]);
    expect(asked(machine)).toEqual(["/", "/one.xml"]);
  });
});
