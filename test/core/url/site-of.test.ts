import { describe, expect, it } from "vitest";
import { canonicalizeUrl } from "../../../src/core/url/canonicalize-url.ts";
import { hostOf, originOf, siteOf } from "../../../src/core/url/site-of.ts";

function canonical(input: string) {
  const url = canonicalizeUrl(input);
  if (url === undefined) throw new Error(`no URL: ${input}`);
  return url;
}

describe("siteOf", () => {
  it.each([
    ["https://www.example.com/x", "example.com"],
    ["https://a.b.example.co.uk/", "example.co.uk"],
    ["HTTP://User@WWW.Example.com:8080", "example.com"],
    ["https://alice.github.io/", "alice.github.io"],
    ["https://deep.alice.github.io/", "alice.github.io"],
    ["https://github.io/", "github.io"],
    ["https://co.uk/", "co.uk"],
    ["http://localhost:3000/", "localhost"],
    ["http://127.0.0.1:3000/", "127.0.0.1"],
    ["http://[2001:db8::1]:3000/", "[2001:db8::1]"],
    ["https://shop.bücher.de/", "xn--bcher-kva.de"],
    ["https://a.unknown-suffix/", "a.unknown-suffix"],
    ["https://under_score.example.com/", "example.com"],
  ])("puts %s into %s", (url, site) => {
    expect(siteOf(url)).toBe(site);
  });

  it("takes what is no http(s) URL for a bug", () => {
    expect(() => siteOf("mailto:a@example.com")).toThrow("not an http(s) URL");
  });
});

describe("hostOf and originOf", () => {
  it.each([
    "https://example.com/x:y/?a=http://b:1/",
    "http://example.com:8080/",
    "http://127.0.0.1:81/a:b",
    "http://[2001:db8::1]/a:b",
    "https://[2001:db8::1]:8443/",
    "http://s/",
  ])("read from %s what a full parse finds", (input) => {
    const url = canonical(input);
    const parsed = new URL(url);
    expect(hostOf(url)).toBe(parsed.hostname);
    expect(originOf(url)).toBe(parsed.origin);
  });
});
