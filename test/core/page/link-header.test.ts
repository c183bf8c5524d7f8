import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readLinkHeader } from "../../../src/core/page/link-header.ts";

const url = "http://e.org/dir/page?q=1";

function linksOf(...fields: readonly string[]): string[] {
  const { links } = readLinkHeader(fields, url);
  return links.map((link) => link.url.replace("http://e.org", ""));
}

describe("the links of a Link header", () => {
  it.each([
    ["<next>; rel=next", ["/dir/next"]],
    ['< next#x >;rel="next"', ["/dir/next"]],
    ["<next> ; REL = 'next'", []],
    ['<next> ; REL = "start  NEXT"', ["/dir/next"]],
    ['<next>; rel="\\n\\ext"', ["/dir/next"]],
    ["<a>; rel=next, <b>; rel=prev,<c>;rel=previous", ["/dir/a", "/dir/b", "/dir/c"]],
    ["<a>; rel=next <b>; rel=prev", ["/dir/a", "/dir/b"]],
    ["<https://x.net/>; rel=canonical", ["https://x.net/"]],
    ['<?a=1,2;3>; title="a, <no>; rel=prev"; rel="next"', ["/dir/page?a=1,2;3"]],
    ['<a>; title="\\", <no>; rel=prev"; rel=next', ["/dir/a"]],
    ["<a>; title*=UTF-8''%e2%82%ac; rel=next", ["/dir/a"]],
    ["<de>; rel=alternate; hreflang=de", ["/dir/de"]],
    ["<de>; hreflang; rel=alternate", ["/dir/de"]],
    ["<rss>; rel=alternate; type=application/rss+xml", []],
    ["<a.css>; rel=preload; as=style, <//cdn.net>; rel=preconnect", []],
    ["<a>; rel=x; rel=next", []],
    ["<a>; rev=next", []],
    ["<a>", []],
    ["<mailto:a@e.org>; rel=next, <http://[>; rel=next", []],
    ["a; rel=next, <b; rel=next, <c>; rel=next", ["/dir/c"]],
    ['<a>; rel="next', ["/dir/a"]],
    ["", []],
  ])("are those to other pages, as a link element would have them: %s", (field, expected) => {
    expect(linksOf(field)).toEqual(expected);
  });

  it("come from each of several fields, however another one ends", () => {
    expect(linksOf('<a>; rel=next; title="', "<b>; rel=prev")).toEqual(["/dir/a", "/dir/b"]);
  });

  it.each([
    ["", ["/dir/a"]],
    ["#part", ["/dir/a"]],
    ["/dir/page?q=1", ["/dir/a"]],
    ["http://E.org:80/dir/./page?q=1#x", ["/dir/a"]],
    ["other", []],
    ["http://[", []],
  ])("are those of the page, or of a part of it: anchor %j", (anchor, expected) => {
    expect(linksOf(`<a>; rel=next; anchor="${anchor}"`)).toEqual(expected);
  });

  it("are set apart where they are not to be followed", () => {
    const { links } = readLinkHeader(['<a>; rel="next nofollow", <b>; rel=next'], url);
    expect(links.map(({ followed }) => followed)).toEqual([false, true]);
  });

  it("are read as UTF-8 where they are that", () => {
    const field = Buffer.from("</é>; rel=next", "utf8").toString("latin1");
    expect(linksOf(field)).toEqual(["/%C3%A9"]);
  });

  it("are bounded in number, and those left out are counted", () => {
    const field = Array.from({ length: 300 }, (_, at) => `<${at}>; rel=next`).join(", ");
    const { links, leftOut } = readLinkHeader([field], url);
    expect(links).toHaveLength(256);
    expect(leftOut).toBe(44);
  });

  it("are not looked for in what is longer than a head may be", () => {
    expect(linksOf(`${" ".repeat(65_536)}<a>; rel=next`, "<b>; rel=next")).toEqual(["/dir/b"]);
  });

  it.each([
    "<",
    "<>",
    '<>;"',
    ";",
    "<a>; rel=next; anchor=x,",
    "<a>;;",
    "\\",
    '"\\',
    " ",
    "<a>;rel= ",
  ])("are found in linear time: %s", (piece) => {
    for (const start of ["", "<a>;", '<a>;rel="']) {
      const { links } = readLinkHeader([start + piece.repeat(4_000_000 / piece.length)], url);
      expect(links.length).toBeLessThanOrEqual(256);
    }
  });

  it("never throw, whatever the field", () => {
    const piece = fc.constantFrom(
      "<",
      ">",
      ";",
      ",",
      '"',
      "\\",
      "=",
      " ",
      "rel",
      "next",
      "a",
      "\xff",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.string(), (pieces, text) => {
        expect(readLinkHeader([pieces.join(""), text], url).leftOut).toBe(0);
      }),
    );
  });
});
