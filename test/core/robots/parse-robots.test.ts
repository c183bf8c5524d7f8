import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRobots } from "../../../src/core/robots/parse-robots.ts";
import { normalizePattern, patternMatches } from "../../../src/core/robots/robots-path.ts";

const site = "https://example.com";

function allows(lines: readonly string[], path: string, userAgent = "orbweaver"): boolean {
  return parseRobots(lines.join("\n")).isAllowed(site + path, userAgent);
}

describe("isAllowed", () => {
  it("allows everything where nothing is said", () => {
    expect(allows([], "/x")).toBe(true);
    expect(allows(["<html>", "not: robots"], "/x")).toBe(true);
    expect(allows(["disallow: /"], "/x")).toBe(true);
    expect(allows(["user-agent: *", "disallow:"], "/x")).toBe(true);
  });

  it("lets a group by name replace the one for everybody", () => {
    const text = ["user-agent: *", "disallow: /", "user-agent: Orbweaver", "disallow: /private"];
    expect(allows(text, "/x")).toBe(true);
    expect(allows(text, "/private")).toBe(false);
    expect(allows(text, "/x", "other")).toBe(false);
    expect(allows(text, "/private", "ORBWEAVER/1.0 (+https://example.org)")).toBe(false);
  });

  it("takes a group without rules at the end for one that allows everything", () => {
    const text = ["user-agent: *", "disallow: /", "user-agent: orbweaver"];
    expect(allows(text, "/x")).toBe(true);
    expect(allows(text, "/x", "other")).toBe(false);
  });

  it("merges the groups of one name", () => {
    const text = ["user-agent: orbweaver", "disallow: /a", "user-agent: x", "disallow: /c"];
    const merged = [...text, "user-agent: orbweaver", "disallow: /b"];
    expect(allows(merged, "/a")).toBe(false);
    expect(allows(merged, "/b")).toBe(false);
    expect(allows(merged, "/c")).toBe(true);
  });

  it("does not let other records end a run of user-agent lines", () => {
    const text = ["user-agent: orbweaver", "crawl-delay: 2", "sitemap: x", "user-agent: other"];
    expect(allows([...text, "disallow: /"], "/x")).toBe(false);
  });

  it("does not take part of a name for the name", () => {
    expect(allows(["user-agent: orb", "disallow: /"], "/x")).toBe(true);
    expect(allows(["user-agent: orbweaver-news", "disallow: /"], "/x")).toBe(true);
    expect(allows(["user-agent: /orbweaver", "disallow: /"], "/x")).toBe(true);
    expect(allows(["user-agent: other *", "disallow: /"], "/x")).toBe(true);
  });

  it.each([
    ["disallow: /a", "allow: /a/b", "/a/b", true],
    ["allow: /a", "disallow: /a/b", "/a/b", false],
    ["disallow: /a", "allow: /a", "/a", true],
    ["disallow: /a?", "allow: /a?", "/a?", true],
  ])("lets the longest of `%s` and `%s` decide, of two as long the one that allows", (...row) => {
    const [one, other, path, allowed] = row;
    const padding = `disallow: /${"-".repeat(100_000)}`;
    for (const rules of [
      [one, other],
      [other, one],
    ]) {
      expect(allows(["user-agent: *", ...rules], path)).toBe(allowed);
      expect(allows(["user-agent: *", ...rules, padding], path)).toBe(allowed);
    }
  });

  it("always allows robots.txt itself", () => {
    expect(allows(["user-agent: *", "disallow: /"], "/robots.txt")).toBe(true);
    expect(allows(["user-agent: *", "disallow: /"], "/robots.txt2")).toBe(false);
  });

  it.each([
    ["/a%62c", "/abc", false],
    ["/abc", "/a%62c", false],
    ["/a%2fc", "/a%2Fc", false],
    ["/a%2fc", "/a/c", true],
    ["/ü", "/%c3%bc", false],
    ["/%c3%bc", "/ü", false],
    ["/a*c$", "/abbc", false],
    ["/a*c$", "/abbcd", true],
    ["/a*a$", "/a", true],
    ["/a+b*c", "/a+bc", false],
    ["/a%2A", "/a*", false],
    ["/a%2A", "/ab", true],
    ["/a%24", "/a$b", false],
    ["/a$b", "/a$b", false],
    ["/a[1]'", "/a[1]'", false],
    ["/a%", "/a%", false],
    ["/a%", "/a%20b", false],
    ["/*%2", "/a%2Fb", false],
    ["/*%2", "/a%3D", true],
    ["/%%341", "/%%341", false],
    ["/%%341", "/A", true],
    ["/x?", "/x?", false],
    ["/x?", "/x", true],
    ["/*?*=", "/x?a=1", false],
    ["/a b", "/a%20b", false],
    ["/\ud800", "/%EF%BF%BD", false],
    ["a", "/a", true],
    ["$", "/", true],
  ])("with `disallow: %s`, %s is allowed: %s", (pattern, path, allowed) => {
    expect(allows(["user-agent: *", `disallow: ${pattern}`], path)).toBe(allowed);
    const padding = `disallow: /${"-".repeat(100_000)}`;
    expect(allows(["user-agent: *", `disallow: ${pattern}`, padding], path)).toBe(allowed);
  });

  it.each(["Disallow", "dissallow", "DISSALOW", "disalow", "diasllow", "disallaw", "disallowed"])(
    "takes %s for disallow",
    (field) => {
      expect(allows(["user-agent: *", `${field}: /a`], "/a")).toBe(false);
    },
  );

  it("takes other spellings of user-agent and allow for what they mean", () => {
    expect(allows(["useragent: *", "disallow: /a"], "/a")).toBe(false);
    expect(allows(["User agent: *", "disallow: /a"], "/a")).toBe(false);
    expect(allows(["user-agents: *", "disallow: /a"], "/a")).toBe(false);
    expect(allows(["user-agent: *", "disallow: /a", " Allow : /a/b"], "/a/b")).toBe(true);
    expect(allows(["user-agent: *", "disallow: /a", "allowed: /a/b"], "/a/b")).toBe(true);
  });

  it("does not take other words for fields", () => {
    expect(allows(["user-agent: *", "no-disallow: /a", "disavow: /b"], "/a")).toBe(true);
    expect(allows(["user-agent: *", "no-disallow: /a", "disavow: /b"], "/b")).toBe(true);
    expect(allows(["agent: *", "disallow: /a"], "/a")).toBe(true);
    expect(allows(["no-user-agent: *", "disallow: /a"], "/a")).toBe(true);
  });

  it("does not miss the colon between two words alone", () => {
    expect(allows([" User-agent \t* ", "Disallow /a # here # and here"], "/a")).toBe(false);
    expect(allows(["user-agent: *", "disallow /a /b"], "/a")).toBe(true);
    expect(allows(["user-agent: *", "disallow"], "/a")).toBe(true);
  });

  it.each([
    ["/index.html", "/", true],
    ["/index.htm", "/", true],
    ["/index.html", "/index.html", true],
    ["/index.html", "/x", false],
    ["/a/index.html", "/a/", true],
    ["/a/index.html", "/a/b", false],
    ["/a/index.html", "/", false],
    ["/index.php", "/", false],
    ["/index.html/a", "/", false],
    ["/my-index.html", "/my-", false],
  ])("with `allow: %s` against all else closed, %s is allowed: %s", (pattern, path, allowed) => {
    const padding = `disallow: /${"-".repeat(100_000)}`;
    const text = ["user-agent: *", "disallow: /", `allow: ${pattern}`];
    expect(allows(text, path)).toBe(allowed);
    expect(allows([...text, padding], path)).toBe(allowed);
  });

  it("does not close a folder whose index file is closed", () => {
    expect(allows(["user-agent: *", "disallow: /index.html"], "/")).toBe(true);
  });

  it("refuses what is no http(s) URL", () => {
    expect(parseRobots("").isAllowed("mailto:a@example.com", "orbweaver")).toBe(false);
  });

  it("gives each crawler that asks its own answer", () => {
    const rules = parseRobots("user-agent: a\ndisallow: /\nuser-agent: b\nallow: /");
    expect(["a", "b", "a", "c"].map((agent) => rules.isAllowed(`${site}/x`, agent))).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });
});

describe("a hostile robots.txt", () => {
  const bulk = 3 * 500 * 1_024;

  it("counts no further than 500 KiB of escaped bytes, and not half a line", () => {
    const head = `user-agent: *\n#${"x".repeat(bulk - 15 - 20)}\n`;
    expect(allows([`${head}disallow: /a`, "disallow: /b"], "/a")).toBe(false);
    expect(allows([`${head}disallow: /a`, "disallow: /b"], "/b")).toBe(true);
    expect(allows([`${head}disallow: /a/long/name`], "/a/long/nothing")).toBe(true);
    expect(allows([`${head}disallow: /a/long/n`], "/a/long/name")).toBe(false);
    expect(allows([`user-agent: *\rdisallow: /a\r#${"x".repeat(bulk)}`], "/a")).toBe(false);
    expect(allows(["x".repeat(bulk + 10)], "/a")).toBe(true);
  });

  it("is judged however many rules without a wildcard it has", () => {
    const plain = Array.from({ length: 3_000 }, (_, n) => `disallow: /p${String(n)}`);
    const path = `/${"a".repeat(2_000)}`;
    expect(allows(["user-agent: *", ...plain], path)).toBe(true);
    expect(allows(["user-agent: *", ...plain, "disallow: /a"], path)).toBe(false);
  });

  it("is judged in linear time however many wildcards it has", () => {
    const path = `/${"a".repeat(2_000)}`;
    expect(allows(["user-agent: *", `disallow: /${"*a".repeat(250_000)}`], path)).toBe(true);
    expect(allows(["user-agent: *", `disallow: /${"*a".repeat(2_000)}`], path)).toBe(false);
    expect(allows(["user-agent: *", `disallow: /${"*a".repeat(900)}*b`], path)).toBe(true);
  });

  it("closes a site whose rules would cost too much for a long URL, and for such a URL alone", () => {
    const rules = Array.from({ length: 20_000 }, () => "disallow: /*aaaab");
    const text = ["user-agent: *", ...rules];
    expect(allows(text, `/${"a".repeat(2_000)}`)).toBe(false);
    expect(allows(text, "/aaaa")).toBe(true);
    expect(allows(text, "/aaaab")).toBe(false);
  });

  it("does not multiply its rules by its names", () => {
    const names = Array.from({ length: 15_000 }, (_, index) => `user-agent: bot${String(index)}`);
    const rules = Array.from({ length: 15_000 }, (_, index) => `disallow: /${String(index)}`);
    expect(allows([...names, ...rules], "/14999", "bot14999")).toBe(false);
    expect(allows([...names, ...rules], "/14999", "bot")).toBe(true);
  });

  it("cannot reach what is built in by its names", () => {
    const text = ["user-agent: __proto__", "user-agent: constructor", "disallow: /"];
    expect(allows(text, "/x")).toBe(true);
    expect(allows(text, "/x", "constructor")).toBe(false);
  });

  it("is never an exception", () => {
    const token = fc.constantFrom(
      "user-agent",
      "disallow",
      "allow",
      ":",
      "*",
      "$",
      "/a",
      "%4",
      "\n",
    );
    const text = fc
      .array(fc.oneof(token, fc.string({ unit: "binary" })))
      .map((all) => all.join(""));
    fc.assert(
      fc.property(text, fc.webUrl(), fc.string(), (robots, url, agent) => {
        expect(parseRobots(robots).isAllowed(url, agent)).toBeTypeOf("boolean");
      }),
    );
  });
});

describe("both matchers", () => {
  it("agree with each other and with a regular expression", () => {
    const pattern = fc
      .array(fc.constantFrom("a", "b", "/", "*", "$", "%61", "?"), { maxLength: 8 })
      .map((pieces) => `/${pieces.join("")}`);
    const path = fc
      .array(fc.constantFrom("a", "b", "/", "?a"), { maxLength: 10 })
      .map((pieces) => `/${pieces.join("")}`);
    fc.assert(
      fc.property(pattern, path, (rule, url) => {
        const normal = normalizePattern(rule);
        const source = normal.replace(/[?$/]/g, "\\$&").replaceAll("*", ".*");
        const matches = new RegExp(`^${source.replace(/\\\$$/, "$")}`).test(url);
        expect(patternMatches(normal, url)).toBe(matches);
        if (url.includes("//") || url === "/robots.txt") return;
        expect(allows(["user-agent: *", `disallow: ${rule}`], url)).toBe(!matches);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("crawlDelayMs", () => {
  it.each([
    ["2", 2_000],
    ["0.5", 500],
    [".5", 500],
    ["5.", 5_000],
    [".", undefined],
    ["0", 0],
    ["999999999", 86_400_000],
    ["-1", undefined],
    ["NaN", undefined],
    ["Infinity", undefined],
    ["1e9", undefined],
    ["0x10", undefined],
    ["", undefined],
    ["2 seconds", undefined],
  ])("reads %j as %s", (value, expected) => {
    const rules = parseRobots(`user-agent: *\ncrawl-delay: ${value}\ndisallow: /a`);
    expect(rules.crawlDelayMs("orbweaver")).toBe(expected);
  });

  it("is nobody's that stands before all groups", () => {
    const rules = parseRobots("crawl-delay: 2\nuser-agent: *\nallow: /");
    expect(rules.crawlDelayMs("orbweaver")).toBeUndefined();
  });

  it("is the crawler's own, and of several the longest", () => {
    const rules = parseRobots(
      "user-agent: *\ncrawl-delay: 9\nallow: /\nuser-agent: a\ncrawl-delay: 3\ncrawl-delay: 1\nallow: /",
    );
    expect(rules.crawlDelayMs("a")).toBe(3_000);
    expect(rules.crawlDelayMs("b")).toBe(9_000);
  });

  it("is the longest of all groups that name the crawler", () => {
    const group = (seconds: number) => `user-agent: a\ncrawl-delay: ${seconds}\nallow: /\n`;
    const rules = parseRobots(`${group(3)}${group(5)}${group(4)}`);
    expect(rules.crawlDelayMs("a")).toBe(5_000);
  });
});

describe("sitemaps", () => {
  it("are canonical, absolute, each once, whatever group they stand in", () => {
    const rules = parseRobots(
      "\ufeffSitemap: https://Example.com/a.xml # main\nuser-agent: x\nsitemap:https://example.com/a.xml\n" +
        "SITEMAP : http://example.com/b.xml\nsitemap: /relative.xml\nsitemap: ftp://example.com/c.xml",
    );
    expect(rules.sitemaps).toEqual(["https://example.com/a.xml", "http://example.com/b.xml"]);
  });

  it("may be named by their paths where it is known whose file it is", () => {
    const text = "Sitemap: /a.xml?x=1\nSitemap: b.xml\nSitemap:\nSitemap: http://other.org/c.xml";
    expect(parseRobots(text, "https://e.com:8443").sitemaps).toEqual([
      "https://e.com:8443/a.xml?x=1",
      "https://e.com:8443/b.xml",
      "http://other.org/c.xml",
    ]);
  });

  it("are found under another spelling", () => {
    for (const field of ["Site-map", "Sitemaps"]) {
      expect(parseRobots(`${field}: https://e.com/a.xml`).sitemaps).toEqual([
        "https://e.com/a.xml",
      ]);
    }
    const others = "host: https://e.com/\nno-sitemap: https://e.com/a.xml";
    expect(parseRobots(others).sitemaps).toEqual([]);
  });

  it("are at most 1,000", () => {
    const lines = Array.from({ length: 1_001 }, (_, index) => `sitemap: http://a/${String(index)}`);
    expect(parseRobots(lines.join("\r")).sitemaps).toHaveLength(1_000);
  });
});
