import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LinkResolver } from "../../../src/core/page/link-resolver.ts";
import { EncodingTables, QueryEncoder } from "../../../src/core/page/query-encoder.ts";
import { canonicalizeUrl } from "../../../src/core/url/canonicalize-url.ts";

const tables = new EncodingTables();

describe("LinkResolver", () => {
  it("resolves every reference as the URL Standard does, on its short way too", () => {
    const piece = fc.constantFrom(
      ..."a b.html .. . ../ ./ / // ? = & ; + : ~ - _ %41 %zz é @ \\ http: http://x".split(" "),
    );
    const base = fc.constantFrom(
      "http://e.org/",
      "http://e.org/a/b/c.html?q#f",
      "http://e.org/a/b/c.html?q=/d/e",
      "http://e.org/a/b/c/",
      "http://e.org/a//b",
      "http://[::1]:8080/a/b?c",
      "http://e.org/a/b%zz",
      "http://e.org/a%zz/%41/d",
      "https://u:p@e.org.:8080/q/",
      "http://e.org/a/%7e/../b//c",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), base, (pieces, base) => {
        const reference = pieces.join("");
        const resolver = new LinkResolver(base, "utf-8", tables);
        expect(resolver.resolve(reference)).toBe(canonicalizeUrl(reference, base));
      }),
      { numRuns: 2_000 },
    );
  });

  it("takes no URL that is too long, whichever part of it is", () => {
    const base = `http://e.org/${"a".repeat(16_000)}/`;
    const resolver = new LinkResolver(base, "utf-8", tables);
    for (const reference of ["b".repeat(300), "b".repeat(400), `./${"b".repeat(400)}`, "?b"]) {
      expect(resolver.resolve(reference)).toBe(canonicalizeUrl(reference, base));
    }
    expect(resolver.resolve("b".repeat(400))).toBeUndefined();
  });

  it("does not encode a query that is too long to be looked at", () => {
    const resolver = new LinkResolver("http://e.org/", "windows-1252", tables);
    expect(resolver.resolve(`?${"\u00e9".repeat(65_536)}`)).toBeUndefined();
    expect(resolver.resolveUrl(`?${"\u00e9".repeat(65_535)}`)).toContain("?%E9%E9");
    expect(resolver.resolveUrl(`?${"\u00e9".repeat(65_536)}`)).toContain("?%C3%A9");
  });

  it("resolves absolute references alone where there is no base", () => {
    const resolver = new LinkResolver(undefined, "utf-8", tables);
    expect(resolver.resolve("http://e.org/a")).toBe("http://e.org/a");
    expect(resolver.resolve("a")).toBeUndefined();
    expect(resolver.resolve("/a")).toBeUndefined();
  });
});

describe("QueryEncoder", () => {
  it.each([
    ["windows-1251", "/я?q=я", "/я?q=%FF"],
    ["windows-1252", "?q=\u00a3ж", "?q=%A3%26%231078%3B"],
    ["shift_jis", "?q=日本ｱ表", "?q=%93%FA%96{%B1%95\\"],
    ["shift_jis", "?q=纊", "?q=%FA\\"],
    ["euc-jp", "?q=日本", "?q=%C6%FC%CB%DC"],
    ["euc-kr", "?q=한국", "?q=%C7%D1%B1%B9"],
    ["gbk", "?q=中文€", "?q=%D6%D0%CE%C4%80"],
    ["big5", "?q=中十", "?q=%A4%A4%A4Q"],
    ["big5", "?q=\u{20547}\u{28BD4}", "?q=%FA@%26%23166868%3B"],
    ["euc-kr", "?q=똠", "?q=%8Cc"],
    ["windows-1251", "?q=😀", "?q=%26%23128512%3B"],
    ["gb18030", "?q=中文€", "?q=%D6%D0%CE%C4%A2%E3"],
    ["gb18030", "?q=\u0080я😀", "?q=%810%810%A7%F1%949%FC6"],
    ["gbk", "?q=😀", "?q=%26%23128512%3B"],
    ["shift_jis", "?q=¥‾−", "?q=\\~%81|"],
    ["euc-jp", "?q=¥‾−", "?q=\\~%A1%DD"],
    ["utf-16le", "?q=я", "?q=я"],
    ["utf-8", "?q=я", "?q=я"],
  ])("writes a query in %s", (charset, reference, expected) => {
    expect(new QueryEncoder(charset, tables).encodeQuery(reference)).toBe(expected);
  });
});
