import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { admittedUrlBytesMax, canonicalizeUrl } from "../../../src/core/url/canonicalize-url.ts";

const page = "https://example.com/a/b/page.html?x=1";

describe("canonicalizeUrl", () => {
  it.each([
    ["https://Example.COM", "https://example.com/"],
    ["HTTP://example.com:80/", "http://example.com/"],
    ["http://example.com:443/", "http://example.com:443/"],
    ["https://example.com:443/", "https://example.com/"],
    ["http://user:secret@example.com/@x", "http://example.com/@x"],
    ["http://:@example.com/", "http://example.com/"],
    ["http://example.com/a/./b/../c", "http://example.com/a/c"],
    ["http://example.com/a/%2e%2E/c", "http://example.com/c"],
    ["http://example.com/x#part", "http://example.com/x"],
    ["http://example.com/x#", "http://example.com/x"],
    ["http://example.com./x", "http://example.com/x"],
    ["http://example.com.:8080/x.:y", "http://example.com:8080/x.:y"],
    ["http://1.2.3.04./", "http://1.2.3.4/"],
    ["http://example.com../x", "http://example.com../x"],
    ["http://./", "http://./"],
    ["http://[2001:DB8::1]:80/", "http://[2001:db8::1]/"],
    ["http://0x7f.1/", "http://127.0.0.1/"],
    ["https://bücher.example/", "https://xn--bcher-kva.example/"],
    ["http://example.com/%7euser/%c3%a9%2Fx", "http://example.com/~user/%C3%A9%2Fx"],
    ["http://example.com/%7E%5F%2D%2E%30%61%41", "http://example.com/~_-.0aA"],
    ["http://example.com/%7E", "http://example.com/~"],
    ["http://example.com/%c3%A9", "http://example.com/%C3%A9"],
    ["http://example.com/é?q=ü", "http://example.com/%C3%A9?q=%C3%BC"],
    ["http://example.com/?q=%41%2b%2B", "http://example.com/?q=A%2B%2B"],
    ["  http://example.com/a\tb\n ", "http://example.com/ab"],
    ["http:\\\\example.com\\a", "http://example.com/a"],
    ["http://example.com/a//b;c=1/?", "http://example.com/a//b;c=1/?"],
  ])("writes %s as %s", (input, expected) => {
    expect(canonicalizeUrl(input)).toBe(expected);
  });

  it.each([
    ["", "https://example.com/a/b/page.html?x=1"],
    ["#top", "https://example.com/a/b/page.html?x=1"],
    ["?y=2", "https://example.com/a/b/page.html?y=2"],
    ["../c", "https://example.com/a/c"],
    ["../../../c", "https://example.com/c"],
    ["//other.example/x", "https://other.example/x"],
    ["/x", "https://example.com/x"],
  ])("resolves %j against the base", (input, expected) => {
    expect(canonicalizeUrl(input, page)).toBe(expected);
  });

  it.each([
    "mailto:a@example.com",
    "javascript:void(0)",
    "data:text/html,x",
    "ftp://example.com/",
    "httpx://example.com/",
    "http://",
    "http://a b/",
    "http://256.0.0.1/",
    "http://example.com:99999/",
    "http://[::1/",
  ])("is undefined for %s", (input) => {
    expect(canonicalizeUrl(input, page)).toBeUndefined();
  });

  it("is undefined for a relative reference without a usable base", () => {
    expect(canonicalizeUrl("/x")).toBeUndefined();
    expect(canonicalizeUrl("/x", "not a base")).toBeUndefined();
  });

  it("leaves what is escaped alone where an escape is malformed, since decoding could make a new one", () => {
    expect(canonicalizeUrl("http://example.com/%%341%7e%c3")).toBe(
      "http://example.com/%%341%7E%C3",
    );
  });

  it("refuses an input longer than any page needs", () => {
    const prefix = "http://example.com/";
    expect(canonicalizeUrl(`${prefix}#`.padEnd(65_536, "a"))).toBe(prefix);
    expect(canonicalizeUrl(`${prefix}#`.padEnd(65_537, "a"))).toBeUndefined();
  });

  it.each([
    ["http://", ""],
    [" \nHT\tTPS:\\\\user:pass@", ":8080"],
    ["//", "?q#f"],
    ["http:", ""],
  ])("refuses a name longer than any host has, between %j and %j", (before, behind) => {
    const url = (name: string): string => `${before}${name}${behind}/`;
    const letters = String.fromCodePoint(...Array.from({ length: 300 }, (_, at) => 0x4e00 + at));
    expect(canonicalizeUrl(url(letters.slice(0, 200)), "https://e.org/")).toBeDefined();
    expect(canonicalizeUrl(url(letters), "https://e.org/")).toBeUndefined();
    // A character that takes two units is one.
    const rare = String.fromCodePoint(...Array.from({ length: 200 }, (_, at) => 0x2_0000 + at));
    expect(canonicalizeUrl(url(rare), "https://e.org/")).toBeDefined();
    expect(canonicalizeUrl(url("a.".repeat(2_000)), "https://e.org/")).toBeUndefined();
  });

  it("takes a path, a query or user information of any length that fits", () => {
    const letters = "é".repeat(300);
    const escaped = "%C3%A9".repeat(300);
    expect(canonicalizeUrl(`http://${letters}@e.org/`)).toBe("http://e.org/");
    expect(canonicalizeUrl(`http://user@${letters}@e.org/`)).toBe("http://e.org/");
    expect(canonicalizeUrl(`/x//${letters}`, page)).toBe(new URL(`/x//${escaped}`, page).href);
    expect(canonicalizeUrl(`/${letters}`, page)).toBe(new URL(`/${escaped}`, page).href);
    expect(canonicalizeUrl(`?${letters}`, page)).toBe(new URL(`?${escaped}`, page).href);
    expect(canonicalizeUrl(letters, page)).toBe(new URL(escaped, page).href);
  });

  it("takes a name that is longer than a host's may be only as it is written", () => {
    expect(canonicalizeUrl(`http://${"%61".repeat(250)}/`)).toBe(`http://${"a".repeat(250)}/`);
  });

  it("refuses a URL longer than any job admits, however it becomes so", () => {
    const prefix = "http://example.com/";
    const room = admittedUrlBytesMax - prefix.length;
    expect(canonicalizeUrl(prefix + "a".repeat(room))).toHaveLength(admittedUrlBytesMax);
    expect(canonicalizeUrl(prefix + "a".repeat(room + 1))).toBeUndefined();
    expect(canonicalizeUrl(prefix + "é".repeat(Math.ceil(room / 6)))).toBeUndefined();
    expect(canonicalizeUrl(prefix + "%7e".repeat(room))).toHaveLength(admittedUrlBytesMax);
  });

  it("is never an exception, and its own canonical form in ASCII", () => {
    const piece = fc.oneof(
      fc.constantFrom("%", "%2", "%41", "%7e", "%c3%a9", "é", ".", "..", "/", "?", "#", "@", ":"),
      fc.constantFrom(
        "&",
        ";",
        "\\",
        "xn--",
        "[",
        "]",
        "a",
        "B",
        "0",
        " ",
        "\t",
        "|",
        "'",
        "\ud800",
      ),
    );
    const tail = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(""));
    const head = fc.constantFrom("http://example.com/", "https://", "http://a", "//", "", "http:");
    fc.assert(
      fc.property(head, tail, (start, rest) => {
        const url = canonicalizeUrl(start + rest, page);
        if (url === undefined) return;
        expect(canonicalizeUrl(url)).toBe(url);
        expect(canonicalizeUrl(url, page)).toBe(url);
        expect(url).toMatch(/^https?:\/\/[^/?#@\\]+\/[!-"$-~]*$/);
      }),
      { numRuns: 2_000 },
    );
  });

  it("is the same on the short way of URLs that are canonical as they stand", () => {
    const soup = (pieces: string): fc.Arbitrary<string> =>
      fc
        .array(fc.constantFrom(...pieces.split(" ")), { maxLength: 5 })
        .map((chosen) => chosen.join(""));
    const scheme = fc.constantFrom("http://", "https://", "HTTP://");
    const name = soup("a b-c - 0 127 0x1 e.org . . xn-- xn--a A é :80 @");
    const address = soup(
      "10.0.2.1 127.0. 0.1 1 25 256 0 01 . :80 :443 :8080 :08 :59999 :65535 :65536",
    );
    const host = fc.oneof(name, address);
    const rest = soup("/ / a 0 . .. .b // ? = & ; + ~ - _ %41 : @ é # \\ \n");
    fc.assert(
      fc.property(scheme, host, rest, (scheme, host, rest) => {
        const input = `${scheme}${host}/${rest}`;
        // A space before a URL means nothing, but it is not part of a canonical one.
        expect(canonicalizeUrl(input, page)).toBe(canonicalizeUrl(` ${input}`, page));
      }),
      { numRuns: 3_000 },
    );
  });
});
