import { describe, expect, it } from "vitest";
import { canonicalizeLocation, canonicalizeFieldUrl } from "../../../src/core/url/header-url.ts";

const base = "http://site.example/";

/** Bytes as a header field gives them: each one a character. */
function wire(text: string, encoding: "utf8" | "latin1"): string {
  return Buffer.from(text, encoding).toString("latin1");
}

describe("a URL in a Refresh or Link field", () => {
  it.each([
    ["/café/中", "utf8", "/caf%C3%A9/%E4%B8%AD"],
    ["/café?q=中", "utf8", "/caf%C3%A9?q=%E4%B8%AD"],
    ["/café", "latin1", "/caf%C3%A9"],
    ["/plain?a=%E9", "utf8", "/plain?a=%E9"],
  ] as const)("%s in %s leads to %s", (text, encoding, path) => {
    expect(canonicalizeFieldUrl(wire(text, encoding), base)).toBe(`http://site.example${path}`);
  });

  it("may name its host in UTF-8 too", () => {
    expect(canonicalizeFieldUrl(wire("http://bücher.example/", "utf8"), base)).toBe(
      "http://xn--bcher-kva.example/",
    );
  });
});

describe("a URL in a Location field", () => {
  it.each([
    ["/café/中", "utf8", "/caf%C3%A9/%E4%B8%AD"],
    ["/café?q=ü", "latin1", "/caf%E9?q=%FC"],
    ["/%E9é", "latin1", "/%E9%E9"],
    ["/plain?a=%E9", "utf8", "/plain?a=%E9"],
  ] as const)("%s in %s leads to its bytes, escaped: %s", (text, encoding, path) => {
    expect(canonicalizeLocation(wire(text, encoding), base)).toBe(`http://site.example${path}`);
  });

  it("may name its host in UTF-8, too, and in nothing else", () => {
    const url = "http://bücher.example/";
    expect(canonicalizeLocation(wire(url, "utf8"), base)).toBe("http://xn--bcher-kva.example/");
    expect(canonicalizeLocation(wire(url, "latin1"), base)).toBeUndefined();
  });
});
