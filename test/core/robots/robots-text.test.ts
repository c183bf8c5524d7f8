import { describe, expect, it } from "vitest";
import { parseRobots } from "../../../src/core/robots/parse-robots.ts";
import { robotsText } from "../../../src/core/robots/robots-text.ts";

function allows(body: Uint8Array, path: string): boolean {
  return parseRobots(robotsText(body, false)).isAllowed(`http://e.org${path}`, "orbweaver");
}

describe("robotsText", () => {
  const text = "User-agent: *\nDisallow: /caf\u00e9/\n";

  it.each([
    ["utf8", "/caf%C3%A9/", "/caf%E9/"],
    ["latin1", "/caf%E9/", "/caf%C3%A9/"],
  ] as const)("means by a path in %s its very bytes: %s and not %s", (encoding, closed, open) => {
    const body = Buffer.from(text, encoding);
    expect(allows(body, closed)).toBe(false);
    expect(allows(body, open)).toBe(true);
  });

  it("may begin with a byte order mark, also where not all of it is UTF-8", () => {
    const body = Buffer.from(`\uFEFF${text}`);
    expect(allows(body, "/caf%C3%A9/")).toBe(false);
    const mixed = Buffer.concat([body, Buffer.from("# \xe9\n", "latin1")]);
    expect(allows(mixed, "/caf%C3%A9/")).toBe(false);
    const marked = Buffer.concat([Buffer.from("\uFEFF"), Buffer.from(text, "latin1")]);
    expect(allows(marked, "/caf%E9/")).toBe(false);
  });

  it("is read as UTF-16 where its mark says so, in either order of bytes", () => {
    const body = Buffer.from(`\uFEFF${text}`, "utf16le");
    for (const each of [body, Buffer.from(body).swap16()]) {
      expect(allows(each, "/caf%C3%A9/")).toBe(false);
      expect(allows(each, "/")).toBe(true);
      expect(robotsText(each.subarray(0, -3), true)).toBe("User-agent: *\n");
    }
  });

  it("counts to the end of 500 KiB, though escaped bytes are longer", () => {
    const head = "User-agent: *\n";
    const end = "\nDisallow: /caf\u00e9/\n";
    const comment = `#${"\u00e9".repeat(500 * 1_024 - head.length - end.length - 1)}`;
    const body = Buffer.from(`${head}${comment}${end}`, "latin1");
    expect(body).toHaveLength(500 * 1_024);
    expect(allows(body, "/caf%E9/")).toBe(false);
  });

  it("is the whole lines of what was cut, within a character too", () => {
    const body = Buffer.from("Allow: /\u00e9\nDisallow: /\u00e9");
    expect(robotsText(body, true)).toBe("Allow: /\u00e9\n");
    expect(robotsText(body.subarray(0, -1), true)).toBe("Allow: /\u00e9\n");
    expect(robotsText(body, false)).toBe("Allow: /\u00e9\nDisallow: /\u00e9");
  });
});
