import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultJobOptions } from "../../../src/core/jobs/job-definition.ts";
import type { JobOptions } from "../../../src/core/jobs/job-definition.ts";
import { compileJobRules } from "../../../src/core/jobs/job-rules.ts";
import { jobIdOf } from "../../../src/core/jobs/validate-job-options.ts";
import type { CanonicalUrl } from "../../../src/core/units.ts";
import { canonicalizeUrl } from "../../../src/core/url/canonicalize-url.ts";
import { hostOf, siteOfHost } from "../../../src/core/url/site-of.ts";

function canonical(input: string): CanonicalUrl {
  const url = canonicalizeUrl(input);
  if (url === undefined) throw new Error(`no URL: ${input}`);
  return url;
}

function rulesOf(options: Partial<JobOptions>) {
  return compileJobRules({
    id: jobIdOf("test"),
    revision: 1,
    stateRevision: 1,
    state: "running",
    options: { ...defaultJobOptions, ...options },
  });
}

function judge(options: Partial<JobOptions>, link: string, from: string, depth = 0) {
  const host = hostOf(canonical(from));
  return rulesOf(options).judge(canonical(link), { host, site: siteOfHost(host), depth });
}

const page = "https://www.example.com/";

describe("scope", () => {
  it.each([
    ["page", page, page, "scope"],
    ["host", page, "http://www.example.com:8080/x", undefined],
    ["host", page, "https://example.com/", "scope"],
    ["host", page, "https://www.example.com.evil.example/", "scope"],
    ["site", page, "https://example.com/", undefined],
    ["site", page, "https://shop.example.com/", undefined],
    ["site", page, "https://badexample.com/", "scope"],
    ["site", page, "https://other.org/", "scope"],
    ["site", "https://github.io/", "https://alice.github.io/", "scope"],
    ["site", "https://alice.github.io/", "https://bob.github.io/", "scope"],
    ["site", "http://127.0.0.1:81/", "http://127.0.0.1:82/", undefined],
    ["site", "http://127.0.0.1/", "http://127.0.0.2/", "scope"],
    ["any", page, "https://other.org/", undefined],
  ] as const)("%s: from %s to %s is %s", (scope, from, link, expected) => {
    expect(judge({ scope }, link, from)).toBe(expected);
  });

  it("site means the same as comparing the sites of both ends", () => {
    const names = ["github.io", "a.github.io", "b.a.github.io", "example.com", "x.example.com"];
    const host = fc.constantFrom(...names, "com", "127.0.0.1", "[::1]", "localhost", "a.localhost");
    fc.assert(
      fc.property(host, fc.array(host), (from, links) => {
        const rules = rulesOf({ scope: "site" });
        const source = canonical(`http://${from}/`);
        const site = siteOfHost(hostOf(source));
        for (const link of links.map((name) => canonical(`http://${name}/`))) {
          const same = siteOfHost(hostOf(link)) === site;
          const reason = rules.judge(link, { host: hostOf(source), site, depth: 0 });
          expect(reason).toBe(same ? undefined : "scope");
        }
      }),
    );
  });
});

describe("the rules of a job", () => {
  it("judge each host by its own site, whoever was judged before", () => {
    const rules = rulesOf({ scope: "site" });
    const judged = (link: string, from: string) => {
      const host = hostOf(canonical(from));
      return rules.judge(canonical(link), { host, site: siteOfHost(host), depth: 0 });
    };
    for (let round = 0; round < 2; round += 1) {
      expect(judged("https://alice.github.io/", "https://github.io/")).toBe("scope");
      expect(judged("https://shop.example.com/", page)).toBeUndefined();
    }
  });
});

describe("limits", () => {
  it("keeps out what is farther from the seeds than depthMax", () => {
    expect(judge({ depthMax: 2 }, page, page, 1)).toBeUndefined();
    expect(judge({ depthMax: 2 }, page, page, 2)).toBe("depth");
    expect(judge({ depthMax: 0 }, page, page, 0)).toBe("depth");
  });

  it("keeps out a URL longer than urlBytesMax", () => {
    expect(judge({ urlBytesMax: page.length + 1 }, `${page}a`, page)).toBeUndefined();
    expect(judge({ urlBytesMax: page.length }, `${page}a`, page)).toBe("url-length");
  });

  it.each([
    ["", undefined],
    ["a/b", undefined],
    ["a/b/", undefined],
    ["a/b?x=/c/d/e", undefined],
    ["a/b/c", "path-depth"],
    ["a//b", "path-depth"],
  ])("with pathSegmentsMax 2, /%s is %s", (path, expected) => {
    expect(judge({ pathSegmentsMax: 2 }, page + path, page)).toBe(expected);
  });
});

describe("patterns", () => {
  it("asks for one of include and none of exclude, anywhere in the URL", () => {
    const options = { include: ["/docs/", "\\.html$"], exclude: ["draft"] };
    expect(judge(options, `${page}docs/x`, page)).toBeUndefined();
    expect(judge(options, `${page}x.html`, page)).toBeUndefined();
    expect(judge(options, `${page}x`, page)).toBe("pattern");
    expect(judge(options, `${page}docs/draft`, page)).toBe("pattern");
  });

  it("know a URL by what browsers show of it, too, where they have more than ASCII", () => {
    const [closed, latin1] = [`${page}priv%C3%A9/x`, `${page}priv%E9/x`];
    expect(judge({ exclude: ["/privé/"] }, closed, page)).toBe("pattern");
    expect(judge({ exclude: ["/priv%C3%A9/|ü"] }, closed, page)).toBe("pattern");
    expect(judge({ exclude: ["/privé/"] }, latin1, page)).toBeUndefined();
    expect(judge({ include: ["/privé/"] }, closed, page)).toBeUndefined();
    expect(judge({ include: ["/privé/"] }, latin1, page)).toBe("pattern");
    expect(judge({ exclude: ["/priv./"] }, closed, page)).toBeUndefined();
  });
});

describe("repeated segments", () => {
  it.each([
    ["a/b/c/d", 3, undefined],
    ["a/x/a/y/a", 3, undefined],
    ["a/x/a/y/a/z/a", 3, "repeated-segments"],
    ["a/a/a/a/", 3, "repeated-segments"],
    ["a/b/a/b", 3, undefined],
    ["a/b/a/b/a/b", 3, "repeated-segments"],
    ["z/a/b/c/a/b/c/a/b/c/z", 3, "repeated-segments"],
    ["a/b/x/a/b/x2/a/b", 3, undefined],
    ["////", 3, "repeated-segments"],
    ["a/b/a/b/a/b", 4, undefined],
    ["a/b/a/b/a/b/a/b", 4, "repeated-segments"],
    ["x?u=/a/a/a/a/a", 3, undefined],
    ["www.example.com/a/www.example.com/b/www.example.com", 3, undefined],
    ["m/a/m/b/m", 3, undefined],
    ["a//b//c//", 3, undefined],
    ["a/b/c/d", 2, undefined],
    ["a/b", 1, undefined],
    ["a/b/c", 1, undefined],
    ["a/a", 1, "repeated-segments"],
  ])("/%s with segmentRepeatsMax %i is %s", (path, segmentRepeatsMax, expected) => {
    expect(judge({ segmentRepeatsMax }, page + path, page)).toBe(expected);
  });
});

describe("calendars", () => {
  it.each([
    "calendar/2036/01/",
    "calendar/1989/12/",
    "events/month/2040-1",
    "event/2040/1",
    "Calendar/1989/12/",
    "x/Month/2040-1",
    "blog/2036/01/31",
    "blog/2036/01/31?print=1",
    "x/2100-12-31.html",
    "x?day=2036-01-01",
    "calendar?day=1989-01-01",
    "agenda/day?date=1923-05-01",
    "x?cal=1989-12",
    "x?view=calendar&date=1989-12-31",
    "x?caldate=19891201",
    "x?cal_yr=1980&calmonth=1",
    "x?caldate=20400131",
    "x?year=2040&month=1",
    "events?month=12&year=1980",
    "date/2036/01",
    "x?view=2040-07",
    "x?start_date=2036-1",
    "x?start_date=2036-1-5",
    "x?startDate=204001",
    "x?cal=2040-01",
    "x?cal_yr=2040&calmonth=1",
    "x?tx_week=3&fromyear=2040",
  ])("/%s is kept out", (path) => {
    expect(judge({}, page + path, page)).toBe("calendar");
  });

  it.each([
    "calendar/2035/12/",
    "calendar/1990/01/",
    "blog/2035/12/31",
    "part/2040/7/?sort=date",
    "events/2048",
    "events/1234/details",
    "papers/1890/05/13",
    "papers/1890-05-13",
    "date/1923/05/01",
    "issues/day/1923-05-01",
    "x?date=1923-05-01",
    "x?day=19230501",
    "x?year=1923&month=5",
    "x?start_date=1605-07&end_date=1989-12-31",
    "item/2048/7/",
    "part/x-2040-01-7",
    "phone/12040-01",
    "films?year=1950",
    "x?candidate=12345",
    "x?update_id=10234",
    "x?local=2040-1",
    "x?player=1234&week=5",
    "x?year=2040&common=1",
    "x?film=2040&month=5",
    "x?year=12040&month=1",
    "x?year=20401&month=1",
    "x?date=v2040-1",
    "x?date_id=13579",
    "x?date=123456789",
    "x?id=204001",
    "2040",
  ])("/%s is not", (path) => {
    expect(judge({}, page + path, page)).toBeUndefined();
  });
});

describe("a host with a calendar's name", () => {
  it("does not make its pages those of a calendar", () => {
    const link = "https://calendar.example.com/1989/12/";
    expect(judge({}, link, page)).toBeUndefined();
  });
});

describe("judgeSeed", () => {
  it("asks exclude and the length alone", () => {
    const rules = rulesOf({
      scope: "page",
      depthMax: 0,
      include: ["nothing"],
      exclude: ["draft"],
      urlBytesMax: 100,
    });
    expect(rules.judgeSeed(canonical(`${page}a/a/a/a/a/calendar/2090/01/`))).toBeUndefined();
    expect(rules.judgeSeed(canonical(`${page}draft`))).toBe("pattern");
    expect(rules.judgeSeed(canonical(page + "a".repeat(100)))).toBe("url-length");
  });
});

describe("judgeSitemap", () => {
  it("asks all that is asked of a link but include and the guards against traps", () => {
    const options: Partial<JobOptions> = { scope: "host", include: ["nothing"], depthMax: 2 };
    const judgeSitemap = (link: string, depth = 0, more: Partial<JobOptions> = {}) =>
      rulesOf({ ...options, ...more }).judgeSitemap(canonical(link), {
        host: hostOf(canonical(page)),
        site: siteOfHost(hostOf(canonical(page))),
        depth,
      });
    expect(judgeSitemap(`${page}a/a/a/a/a/calendar/2090/01/sitemap.xml`)).toBeUndefined();
    expect(judgeSitemap("https://example.com/sitemap.xml")).toBe("scope");
    expect(judgeSitemap(`${page}sitemap.xml`, 2)).toBe("depth");
    expect(judgeSitemap(`${page}sitemap.xml`, 0, { exclude: ["xml$"] })).toBe("pattern");
    expect(judgeSitemap(`${page}sitemap.xml`, 0, { urlBytesMax: 30 })).toBe("url-length");
  });
});
