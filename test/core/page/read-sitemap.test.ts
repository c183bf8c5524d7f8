import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readSitemap } from "../../../src/core/page/read-sitemap.ts";

const namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

function read(text: string, entriesMax?: number): ReturnType<typeof readSitemap> {
  return readSitemap(Buffer.from(text), entriesMax);
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

  it.each([
    ["a page", "<html><body><loc>http://e.org/</loc></body></html>"],
    ["a feed", "<rss><channel><link>http://e.org/</link></channel></rss>"],
    ["text", "http://e.org/a\nhttp://e.org/b"],
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
        "\ud800",
      ],
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
        const found = read(`<urlset>${parts.join("")}`);
        expect(found?.isIndex).toBe(false);
      }),
    );
  });
});
