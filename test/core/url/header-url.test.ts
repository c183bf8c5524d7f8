import { describe, expect, it } from "vitest";
import { canonicalizeHeaderUrl } from "../../../src/core/url/header-url.ts";

const base = "http://site.example/";

/** Bytes as a header field gives them: each one a character. */
function wire(text: string, encoding: "utf8" | "latin1"): string {
  return Buffer.from(text, encoding).toString("latin1");
}

describe("a URL in a header", () => {
  it.each([
    ["/café/中", "utf8", "/caf%C3%A9/%E4%B8%AD"],
    ["/café?q=中", "utf8", "/caf%C3%A9?q=%E4%B8%AD"],
    ["/café", "latin1", "/caf%C3%A9"],
    ["/plain?a=%E9", "utf8", "/plain?a=%E9"],
  ] as const)("%s in %s leads to %s", (text, encoding, path) => {
    expect(canonicalizeHeaderUrl(wire(text, encoding), base)).toBe(`http://site.example${path}`);
  });

  it("may name its host in UTF-8 too", () => {
    expect(canonicalizeHeaderUrl(wire("http://bücher.example/", "utf8"), base)).toBe(
      "http://xn--bcher-kva.example/",
    );
  });
});
