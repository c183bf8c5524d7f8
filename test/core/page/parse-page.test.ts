import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ExclusionReason } from "../../../src/core/jobs/exclusion.ts";
import { compileJobRules } from "../../../src/core/jobs/job-rules.ts";
import { defaultJobOptions, type JobOptions } from "../../../src/core/jobs/job-definition.ts";
import { packedUrl, packLinks, unpackLinks } from "../../../src/core/page/packed-links.ts";
import { parsePage } from "../../../src/core/page/parse-page.ts";
import { noLinks, type PageContent } from "../../../src/core/page/parsed-page.ts";
import type { CanonicalUrl, JobId } from "../../../src/core/units.ts";
import { dedupeKey } from "../../../src/core/url/dedupe-key.ts";
import { fingerprintOf } from "../../../src/core/url/fingerprint.ts";

const htmlHeader = ["Content-Type", "text/html; charset=utf-8"];

interface Given {
  readonly html: string;
  readonly headers?: readonly string[];
  readonly follow?: boolean;
  readonly depth?: number;
  readonly sitemaps?: readonly string[];
  readonly options?: Partial<JobOptions>;
}

function parse(given: Given): PageContent {
  const { html, headers = htmlHeader, follow = true, depth = 0, options = {} } = given;
  const { sitemaps = [] } = given;
  const jobOptions = { ...defaultJobOptions, ...options };
  const rules = compileJobRules({
    id: "job" as JobId,
    revision: 1,
    stateRevision: 1,
    state: "running",
    options: jobOptions,
  });
  return parsePage({
    url: "http://www.e.org/dir/page?b=2&a=1",
    headers,
    body: Buffer.from(html),
    follow,
    depth,
    sitemaps,
    readsSitemaps: jobOptions.sitemaps,
    rules,
    normalizeQuery: jobOptions.normalizeQuery,
    botName: "orbweaver",
  });
}

function links(page: PageContent): string[] {
  return unpackLinks(page.links).map((link) => link.replace("http://www.e.org", ""));
}

function excluded(page: PageContent): Partial<Record<ExclusionReason, string[]>> {
  return Object.fromEntries(page.excluded.map(({ reason, links }) => [reason, unpackLinks(links)]));
}

describe("parsePage", () => {
  it("follows a meta refresh beside a header that names no other page", () => {
    const html = '<meta http-equiv="refresh" content="0; url=/meta">';
    expect(links(parse({ html, headers: [...htmlHeader, "Refresh", "300"] }))).toEqual(["/meta"]);
  });

  it("heeds the encoding that only the second of two headers names", () => {
    const headers = ["Content-Type", "text/html", "content-type", "text/html; charset=utf-8"];
    const page = parse({ html: '<a href="/\u00e9">', headers });
    expect(page.charset).toBe("utf-8");
    expect(links(page)).toEqual(["/%C3%A9"]);
  });

  it("keeps the links that the job lets pass and says why it keeps out the others", () => {
    const page = parse({
      html: `<a href="/in"><a href="http://other.net/"><a href="http://e.org/x"><a href="/no.pdf">
        <a href="/a/a/a/a/a/a"><a href="/skip" rel=nofollow><a href="/skip2" rel=nofollow>`,
      options: { exclude: ["\\.pdf$"] },
    });
    expect(links(page)).toEqual(["/in", "http://e.org/x"]);
    expect(excluded(page)).toEqual({
      scope: ["http://other.net/"],
      pattern: ["http://www.e.org/no.pdf"],
      "repeated-segments": ["http://www.e.org/a/a/a/a/a/a"],
      nofollow: ["http://www.e.org/skip", "http://www.e.org/skip2"],
    });
  });

  it("keeps out links that are too far from the seeds", () => {
    expect(links(parse({ html: "<a href=x>", depth: 4, options: { depthMax: 5 } }))).toEqual([
      "/dir/x",
    ]);
    expect(excluded(parse({ html: "<a href=x>", depth: 5, options: { depthMax: 5 } }))).toEqual({
      depth: ["http://www.e.org/dir/x"],
    });
  });

  it("names each dedupe key once and leaves out the page itself", () => {
    const html = `<a href="?a=1&b=2"><a href="?b=2&a=1&utm_source=x"><a href="#x"><a href="/p?y=1&x=2">
      <a href="/p?x=2&y=1"><a href="/p?x=2&y=1&fbclid=3">`;
    expect(links(parse({ html }))).toEqual(["/p?y=1&x=2"]);
    expect(links(parse({ html, options: { normalizeQuery: false } }))).toEqual([
      "/dir/page?a=1&b=2",
      "/dir/page?b=2&a=1&utm_source=x",
      "/p?y=1&x=2",
      "/p?x=2&y=1",
      "/p?x=2&y=1&fbclid=3",
    ]);
  });

  it("follows a page that is linked in a way that is excluded and in one that is not", () => {
    const page = parse({
      html: `<a href="/p?utm_source=a"><a href="/p"><a rel=nofollow href="/p?fbclid=1">`,
      options: { exclude: ["utm_"] },
    });
    expect(links(page)).toEqual(["/p"]);
    expect(page.excluded).toEqual([]);
  });

  it("adds what X-Robots-Tag says to what the page says", () => {
    const html = "<meta name=robots content=noindex><a href=x>";
    const header = [...htmlHeader, "x-robots-tag", "otherbot: none", "X-Robots-TAG", "nofollow"];
    const page = parse({ html, headers: header });
    expect(page.noindex).toBe(true);
    expect(links(page)).toEqual([]);
    expect(excluded(page)).toEqual({ nofollow: ["http://www.e.org/dir/x"] });
    expect(links(parse({ html }))).toEqual(["/dir/x"]);
  });

  it("takes the target of a refresh as a link, and the header's before the page's", () => {
    const html = "<base href=/b/><meta http-equiv=refresh content='5;url=meta'><a href=x>";
    const fromMeta = parse({ html });
    expect(links(fromMeta)).toEqual(["/b/meta", "/b/x"]);
    const fromHeader = parse({ html, headers: [...htmlHeader, "Refresh", "0; url=head#x"] });
    expect(links(fromHeader)).toEqual(["/dir/head", "/b/x"]);
    const bytes = ["refresh", Buffer.from("0;url=/café").toString("latin1")];
    expect(links(parse({ html: "", headers: bytes }))).toEqual(["/caf%C3%A9"]);
    expect(links(parse({ html: "", headers: ["refresh", "0;url=mailto:a"] }))).toEqual([]);
  });

  it("takes what the Link header names as other pages, whatever the document's base", () => {
    const link = '<head>; rel=next, <x.css>; rel=preload, <away>; rel="prev nofollow"';
    const headers = [...htmlHeader, "LINK", link, "link", "<http://f.net/>; rel=canonical"];
    const page = parse({ html: "<base href=/b/><a href=x>", headers });
    expect(links(page)).toEqual(["/dir/head", "/b/x"]);
    expect(excluded(page)).toEqual({
      nofollow: ["http://www.e.org/dir/away"],
      scope: ["http://f.net/"],
    });
    expect(links(parse({ html: "<meta name=robots content=nofollow>", headers }))).toEqual([]);
    const pdf = ["content-type", "application/pdf", "link", "</paper>; rel=canonical"];
    expect(links(parse({ html: "%PDF", headers: pdf }))).toEqual(["/paper"]);
  });

  it("counts the links of the header and of the page for which there is no room", () => {
    const link = Array.from({ length: 257 }, (_, at) => `<h${at}>; rel=next`).join();
    const html = Array.from({ length: 50_001 }, (_, at) => `<a href=${at}>`).join("");
    const page = parse({ html, headers: [...htmlHeader, "link", link] });
    expect(page.linksLeftOut).toBe(2);
  });

  it("finds nothing in a page whose links do not count", () => {
    const html = "<title>Not found</title><a href=x>";
    const headers = [...htmlHeader, "refresh", "0;url=y", "x-robots-tag", "noindex"];
    headers.push("link", "<z>; rel=next");
    expect(parse({ html, headers, follow: false })).toEqual({
      html: true,
      links: noLinks,
      excluded: [],
      noindex: true,
    });
  });

  it("looks for links in HTML alone", () => {
    const html = "<html><a href=x>";
    expect(parse({ html, headers: ["content-type", "text/plain"] })).toEqual({
      html: false,
      links: noLinks,
      excluded: [],
      noindex: false,
    });
    expect(links(parse({ html, headers: [] }))).toEqual(["/dir/x"]);
  });

  it("looks for links in XHTML that is sent as any XML", () => {
    const html =
      '<html xmlns="http://www.w3.org/1999/xhtml"><script src="x"/><a href="\u00e9"/></html>';
    const page = parse({ html, headers: ["content-type", "application/xml"] });
    expect(page).toMatchObject({ html: true, charset: "utf-8" });
    expect(links(page)).toEqual(["/dir/%C3%A9"]);
  });

  it("passes on the title and the charset", () => {
    const page = parse({ html: "<title>T</title>" });
    expect(page).toMatchObject({
      html: true,
      title: "T",
      charset: "utf-8",
    });
  });
});

describe("sitemaps", () => {
  const xml = ["Content-Type", "application/xml"];
  const entry = (path: string): string => `<url><loc>http://www.e.org${path}</loc></url>`;
  const sitemap = `<urlset>${entry("/a")}${entry("/b?y=1&amp;x=2")}${entry("/dir/page?a=1&amp;b=2")}
    <url><loc>http://other.net/</loc></url></urlset>`;

  it("are followed as links where the job asks for that", () => {
    const page = parse({ html: sitemap, headers: xml, options: { sitemaps: true } });
    expect(page.html).toBe(false);
    expect(links(page)).toEqual(["/a", "/b?y=1&x=2"]);
    expect(excluded(page)).toEqual({ scope: ["http://other.net/"] });
    expect(links(parse({ html: sitemap, headers: xml }))).toEqual([]);
  });

  it("are not looked for in a page, nor in what is not to be followed", () => {
    const options = { sitemaps: true };
    expect(links(parse({ html: `<p>${sitemap}`, options }))).toEqual([]);
    expect(links(parse({ html: sitemap, headers: xml, options, follow: false }))).toEqual([]);
  });

  it("that robots.txt names are none of a response's links, so that they count though it has none", () => {
    const sitemaps = ["http://www.e.org/s.xml", "http://other.net/s.xml"];
    const page = parse({ html: sitemap, headers: xml, follow: false, sitemaps });
    expect(links(page)).toEqual(["/s.xml"]);
    expect(excluded(page)).toEqual({ scope: ["http://other.net/s.xml"] });
  });

  it.each([
    ["at once", ""],
    ["behind declarations", '\ufeff<?xml version="1.0"?>\n<?xml-stylesheet href="s.xsl"?>\n'],
    ["behind comments", "<!-- by a > script --><!---->\r\n"],
    ["behind a document type", '<?xml version="1.0"?>\n<!DOCTYPE urlset SYSTEM "s.dtd">\n'],
    ["behind one with declarations", '<!DOCTYPE urlset [\n<!ENTITY a "b">\n<!ENTITY c "d">\n]>'],
    ["behind the empty lines of many included files", "\r\n".repeat(100)],
  ])("are found where a script left them the type of its pages: %s", (_, before) => {
    const page = parse({ html: before + sitemap, options: { sitemaps: true } });
    expect(page.html).toBe(false);
    expect(links(page)).toEqual(["/a", "/b?y=1&x=2"]);
    expect(parse({ html: before + sitemap }).html).toBe(true);
  });

  it.each([
    ["<!--"],
    ["<!---->"],
    ["<?"],
    ["<?>"],
    ["<a:"],
    [" "],
    ["<!DOCTYPE"],
    ["<!DOCTYPE["],
    ["<!DOCTYPE[]>"],
  ])("are looked for in time linear in what is looked at: %s", (piece) => {
    const page = parse({ html: piece.repeat(1_000), options: { sitemaps: true } });
    expect(page.html).toBe(true);
  });

  it("may say nofollow in their headers", () => {
    const headers = [...xml, "X-Robots-Tag", "nofollow"];
    const page = parse({ html: sitemap, headers, options: { sitemaps: true } });
    expect(links(page)).toEqual([]);
    expect(excluded(page)["nofollow"]).toHaveLength(3);
  });

  it("of an index, and of the host, need not match include", () => {
    const index = `<sitemapindex><sitemap><loc>http://www.e.org/1.xml</loc></sitemap></sitemapindex>`;
    const options = { sitemaps: true, include: ["/a$"] };
    expect(links(parse({ html: index, headers: xml, options }))).toEqual(["/1.xml"]);
    expect(links(parse({ html: sitemap, headers: xml, options }))).toEqual(["/a"]);
    const sitemaps = ["http://www.e.org/s.xml", "http://cdn.net/s.xml"];
    const html = "<meta name=robots content=nofollow><a href=x>";
    const page = parse({ html, sitemaps, options });
    expect(links(page)).toEqual(["/s.xml"]);
    expect(excluded(page)).toMatchObject({ scope: ["http://cdn.net/s.xml"] });
  });

  it("count the entries for which there is no room", () => {
    const many = Array.from({ length: 50_002 }, (_, at) => entry(`/${at}`)).join("");
    const page = parse({
      html: `<urlset>${many}`,
      headers: xml,
      options: { sitemaps: true },
    });
    expect(page.linksLeftOut).toBe(2);
  });
});

describe("packed links", () => {
  it("give back the URLs in their order with the fingerprints of their keys", () => {
    const url = fc
      .array(fc.constantFrom("a", "/", "?x=1", "&b=2", "&a=3", "&sid=abcdef123", ";p"))
      .map((pieces) => new URL(`http://e.org/${pieces.join("")}`).href as CanonicalUrl);
    fc.assert(
      fc.property(fc.uniqueArray(url, { selector: (value) => dedupeKey(value) }), (urls) => {
        const packed = packLinks([...urls, ...urls], true);
        expect(unpackLinks(packed)).toEqual(urls);
        const fingerprints = urls.flatMap((value) => [...fingerprintOf(dedupeKey(value))]);
        expect([...packed.fingerprints]).toEqual(fingerprints);
      }),
    );
  });

  it("have no URL beyond the last", () => {
    expect(() => packedUrl(noLinks, 0)).toThrow("no such link");
  });
});
