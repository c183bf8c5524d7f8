import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { beginsSitemap, readSitemap } from "../../../src/core/page/read-sitemap.ts";

const url = "http://e.org/blog/feed.xml";
const namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

function read(text: string, entriesMax?: number): ReturnType<typeof readSitemap> {
  return readSitemap(Buffer.from(text), { url }, entriesMax);
}

function entries(...locations: readonly string[]): string {
  return locations.map((location) => `<url><loc>${location}</loc></url>`).join("\n");
}

describe("readSitemap", () => {
  it("reads the URLs of a sitemap in canonical form, each once, in their order", () => {
    const text = `\ufeff<?xml version="1.0" encoding="UTF-8"?>
      <!-- made by hand --><urlset ${namespace}>
      <url><loc>
        http://E.org/b?x=1&amp;y=2#top </loc><lastmod>2026-01-01</lastmod></url>
      ${entries("http://e.org/a", "<![CDATA[http://e.org/b?x=1&y=2]]>", "http://e.org/&#x63;")}
      </urlset>`;
    expect(read(text)).toEqual({
      isIndex: false,
      urls: ["http://e.org/b?x=1&y=2", "http://e.org/a", "http://e.org/c"],
    });
  });

  const cafe = "http://e.org/caf\u00e9";
  const feed = (encoding: string): string =>
    `<?xml version="1.0" encoding="${encoding}"?><rss><item><link>${cafe}</link></item></rss>`;

  it.each([
    ["the XML declaration", Buffer.from(feed("ISO-8859-1"), "latin1"), undefined],
    ["the header", Buffer.from(feed(""), "latin1"), "text/xml; charset=iso-8859-1"],
    ["the byte order mark", Buffer.from(`\ufeff${feed("UTF-16")}`, "utf16le"), undefined],
    ["its bytes, though UTF-8 is not what is declared", Buffer.from(feed("ISO-8859-1")), undefined],
    ["the byte order mark of a list", Buffer.from(`\ufeff${cafe}\r\n`, "utf16le"), undefined],
  ])("reads a file in the encoding that is told by %s", (teller, body, contentType) => {
    expect(readSitemap(body, { url, contentType })?.urls).toEqual(["http://e.org/caf%C3%A9"]);
    expect(beginsSitemap(body)).toBe(!teller.endsWith("list"));
  });

  it("reads a file that is not what it declares as far as it can", () => {
    const torn = Buffer.concat([
      Buffer.from(`<urlset>${entries("http://e.org/a")}`),
      Buffer.of(0xc3),
    ]);
    expect(readSitemap(torn, { isCut: true })?.urls).toEqual(["http://e.org/a"]);
  });

  it("reads an index of sitemaps, whatever its prefix", () => {
    const text = `<sm:sitemapindex><sm:sitemap><sm:loc>http://e.org/1.xml.gz</sm:loc></sm:sitemap>
      <sitemap><loc>http://e.org/not-of-the-protocol</loc></sitemap></sm:sitemapindex>`;
    expect(read(text)).toEqual({ isIndex: true, urls: ["http://e.org/1.xml.gz"] });
  });

  it("takes no URL of an image or a video, none outside an entry and none that is no web page's", () => {
    const text = `<urlset ${namespace}><loc>http://e.org/outside</loc>
      <url><image:image><image:loc>http://e.org/i.png</image:loc></image:image><loc>http://e.org/a</loc></url>
      ${entries("/relative", "ftp://e.org/f", "", "javascript:alert(1)")}<url><loc/></url>
      <url><loc>http://e.org/b</loc></url></urlset>`;
    expect(read(text)?.urls).toEqual(["http://e.org/a", "http://e.org/b"]);
  });

  it("reads the items of an RSS feed, not what its channel leads to", () => {
    const text = `<?xml version="1.0"?><rss version="2.0"><channel><link>http://e.org/channel</link>
      <atom:link href="http://e.org/feed" rel="self"/>
      <item><title>A</title><link>http://e.org/a?x=1&amp;y=2</link><guid>http://e.org/guid</guid></item>
      <item><link><![CDATA[ http://e.org/b ]]></link><atom:link href="http://e.org/c"/></item>
      </channel></rss>`;
    expect(read(text)).toEqual({
      isIndex: false,
      urls: ["http://e.org/a?x=1&y=2", "http://e.org/b"],
    });
  });

  it("takes the guid of an RSS item without a link for its permalink, unless it says that it is none", () => {
    const item = (...elements: readonly string[]): string => `<item>${elements.join("\n")}</item>`;
    const guid = (name: string, attributes = ""): string =>
      `<guid ${attributes}>http://e.org/${name}?x=1&amp;y=2</guid>`;
    const text = `<rss version="2.0"><channel>${guid("channel")}
      ${item(guid("a"))}
      ${item("<link></link>", guid("b", 'isPermaLink="true"'))}
      ${item(guid("none", 'isPermaLink="false"'))}
      ${item(guid("none"), "<link>http://e.org/c</link>")}
      ${item("<guid>tag:e.org,2026:d</guid>", guid("none"))}
      ${item("<guid/>", "<description>http://e.org/none</description>")}
      ${item()}</channel></rss>`;
    expect(read(text)?.urls).toEqual([
      "http://e.org/a?x=1&y=2",
      "http://e.org/b?x=1&y=2",
      "http://e.org/c",
    ]);
    // RSS 1.0 has no such element.
    expect(read(text.replaceAll("rss", "RDF"))?.urls).toEqual(["http://e.org/c"]);
  });

  it("reads the items of an RSS 1.0 feed, which have no prefix though its first element has one", () => {
    const text = `<?xml version="1.0"?>
      <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
      <channel rdf:about="http://e.org/feed"><link>http://e.org/channel</link>
      <items><rdf:Seq><rdf:li resource="http://e.org/listed"/></rdf:Seq></items></channel>
      <image><link>http://e.org/image</link></image>
      <item rdf:about="http://e.org/about"><title>A</title><link>http://e.org/a?x=1&amp;y=2</link></item>
      <item><rdf:link>http://e.org/other</rdf:link><link> http://e.org/b </link></item></rdf:RDF>`;
    const urls = ["http://e.org/a?x=1&y=2", "http://e.org/b"];
    for (const feed of [text, text.replaceAll("rdf:", "r:"), text.replaceAll("rdf:", "")]) {
      expect(beginsSitemap(Buffer.from(feed))).toBe(true);
    }
    expect(read(text)).toEqual({ isIndex: false, urls });
    expect(read(text.replaceAll("rdf:", "r:"))).toEqual({ isIndex: false, urls });
  });

  it("reads the entries of an Atom feed, whose links to pages are an attribute", () => {
    const text = `<feed xmlns="http://www.w3.org/2005/Atom"><link href="http://e.org/feed-page"/>
      <entry><link href="http://e.org/a?x=1&amp;y=2"/><link rel="edit" href="http://e.org/edit"/></entry>
      <entry><link title='&lt;b&gt;' rel='alternate' href='http://e.org/b'>http://e.org/text</link></entry>
      <entry><link rel="enclosure" href="http://e.org/c.mp3"/><link rel="alternate"/></entry>
      <entry><content src="http://e.org/d"/></entry></feed>`;
    expect(read(text)?.urls).toEqual(["http://e.org/a?x=1&y=2", "http://e.org/b"]);
  });

  it("resolves the references of an Atom feed against the nearest base", () => {
    const feed = (attributes: string): string => `<feed ${attributes}>
      <entry><link href="a?x=1"/></entry><entry xml:base="2026/"><link href="b"/><link href=""/></entry>
      <entry><link xml:base="/other/" href="c"/></entry><entry><link href="//d.org"/></entry>
      <entry><link href="mailto:a@e.org"/></entry></feed>`;
    expect(read(feed(""))?.urls).toEqual([
      "http://e.org/blog/a?x=1",
      "http://e.org/blog/2026/b",
      "http://e.org/other/c",
      "http://d.org/",
    ]);
    expect(read(feed('xml:base="https://f.org/x/y"'))?.urls).toEqual([
      "https://f.org/x/a?x=1",
      "https://f.org/x/2026/b",
      "https://f.org/other/c",
      "https://d.org/",
    ]);
  });

  it("counts the references for which a long base leaves no room", () => {
    const base = `http://e.org/${"a".repeat(8_000)}/`;
    const entries = Array.from({ length: 3_000 }, (_, at) => `<entry><link href="${at}"/></entry>`);
    const found = read(`<feed xml:base="${base}">${entries.join("")}</feed>`);
    expect(found?.urls).toHaveLength(2_093);
    expect(found?.leftOut).toBe(907);
  });

  it("counts the bases within a long base in the same room", () => {
    const base = `http://e.org/${"a".repeat(8_000)}/`;
    const entries = Array.from(
      { length: 3_000 },
      (_, at) => `<entry xml:base="/"><link href="${at}"/></entry>`,
    );
    const found = read(`<feed xml:base="${base}">${entries.join("")}</feed>`);
    expect(found?.urls).toHaveLength(2_090);
    expect(found?.leftOut).toBe(910);
  });

  it("reads a list of URLs, one a line, whatever ends the lines", () => {
    const text =
      "\ufeff\r\nhttps://e.org/a\r\n http://e.org/b \rno URL\n\n/c\nhttp://e.org/a\nhttp://e.org/d";
    expect(read(text)).toEqual({
      isIndex: false,
      urls: ["https://e.org/a", "http://e.org/b", "http://e.org/a", "http://e.org/d"],
    });
  });

  it("passes over a line that is too long for a URL, whatever becomes of it", () => {
    const line = (units: number): string => "http://e.org/a#".padEnd(units, "-");
    expect(read(`http://e.org/\n${line(16_384)}`)?.urls).toEqual([
      "http://e.org/",
      "http://e.org/a",
    ]);
    expect(read(`http://e.org/\n${line(16_385)}`)?.urls).toEqual(["http://e.org/"]);
  });

  it("does not take part of a URL for one where a list was cut", () => {
    const text = "http://e.org/a\nhttp://e.org/b\r\nhttp://e.org/abou";
    const found = readSitemap(Buffer.from(text), { isCut: true });
    expect(found?.urls).toEqual(["http://e.org/a", "http://e.org/b"]);
    expect(readSitemap(Buffer.from("http://e.org/abou"), { isCut: true })?.urls).toEqual([]);
    expect(read(text)?.urls).toHaveLength(3);
  });

  it.each([
    ["a page", "<html><body><loc>http://e.org/</loc></body></html>"],
    ["another format", "<opml><item><link>http://e.org/</link></item></opml>"],
    ["text that begins otherwise", "Our pages:\nhttp://e.org/a\nhttp://e.org/b"],
    ["nothing", ""],
    [
      "a name that every object has",
      "<constructor><url><loc>http://e.org/</loc></url></constructor>",
    ],
  ])("says that %s is no sitemap", (_, text) => {
    expect(read(text)).toBeUndefined();
  });

  it("counts what is beyond the protocol's limit, and gives what stands before a cut", () => {
    const text = `<urlset>${entries("http://e.org/1", "http://e.org/2", "http://e.org/3", "http://e.org/1")}`;
    expect(read(text, 2)).toEqual({
      isIndex: false,
      urls: ["http://e.org/1", "http://e.org/2"],
      leftOut: 1,
    });
    expect(read(`${text}<url><loc>http://e.org/cu`)?.urls).toHaveLength(3);
  });

  it("passes over a URL of endless length", () => {
    const long = `http://e.org/${"a".repeat(100_000)}`;
    expect(read(`<urlset>${entries(long, "http://e.org/b")}`)?.urls).toEqual(["http://e.org/b"]);
  });

  it("reads two million nested elements", () => {
    const text = `<urlset>${"<a>".repeat(2_000_000)}${entries("http://e.org/b")}`;
    expect(read(text)?.urls).toEqual(["http://e.org/b"]);
  });

  it("throws for nothing", () => {
    const pieces = fc.constantFrom(
      ...[
        "<urlset>",
        "<url>",
        "<loc>",
        "</loc>",
        "</url>",
        "<![CDATA[",
        "]]>",
        "&amp;",
        "&#x110000;",
      ],
      ...[
        "http://e.org/",
        "<",
        ">",
        "<!--",
        "-->",
        "<?",
        "?>",
        "\0",
        "</",
        "<sitemapindex>",
        '<link rel="alternate" href="',
        "<entry>",
        "<item>",
        "<guid>",
        "</guid>",
        "</item>",
        '"',
        "/>",
        "\ud800",
      ],
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
        for (const start of ["<urlset>", "<rss>", "<rdf:RDF>", "<feed>", "http://"]) {
          expect(read(`${start}${parts.join("")}`)?.isIndex).toBe(false);
        }
      }),
    );
  });
});
