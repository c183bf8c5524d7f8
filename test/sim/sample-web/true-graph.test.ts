import { afterEach, describe, expect, test } from "vitest";

import { audit } from "../../../sim/auditor/auditor.ts";
import {
  defaultSampleWebOptions,
  plainSampleWebOptions,
  type SampleWebOptions,
} from "../../../sim/sample-web/sample-web-options.ts";
import { SampleServer } from "../../../sim/sample-web/sample-server.ts";
import { SampleWeb } from "../../../sim/sample-web/sample-web.ts";
import { TrueGraph } from "../../../sim/sample-web/true-graph.ts";
import { crawlPlainly } from "../../support/crawl-plainly.ts";

const port = 8080;

describe("the true graph", () => {
  let server: SampleServer | undefined;
  afterEach(() => server?.stop());

  test("is what a crawl over HTTP finds, with every fault switched on", async () => {
    const options: SampleWebOptions = {
      ...defaultSampleWebOptions,
      sites: 6,
      totalPages: 900,
      crossSiteShare: 0.3,
      slowMs: 5,
      retryAfterSeconds: 0,
      charsetShare: 0.4,
      baseShare: 0.2,
      refreshShare: 0.2,
      variantShare: 0.4,
      sessionShare: 0.2,
    };
    server = await SampleServer.start(options);
    const seeds = [server.web.rootUrl(0)];
    const graph = new TrueGraph(server.web, { seeds });
    const crawled = await crawlPlainly(server.web, seeds);
    const must = [...graph.ids("must")].map((id) => server?.web.urlOf(id));
    expect(must.length).toBeGreaterThan(800);
    expect(crawled.sort()).toEqual(must.sort());

    const report = await audit(server.hits, graph, { hostDelayMs: 0 });
    expect(report.checks.filter((check) => !check.passed)).toEqual([]);
    expect(report.pages).toMatchObject({ mustFetch: must.length, fetched: must.length });
    expect(report.pages.retries).toBeGreaterThan(0);
    expect(report.addresses).toBe(12);
  });

  test.each([
    ["few", 0.02],
    ["most", 0.7],
  ])("needs no random link to find all when %s links dangle", (_, missing) => {
    const shares = { ...defaultSampleWebOptions.shares, missing };
    const options = { ...defaultSampleWebOptions, linksPerPage: 0, robotsMissingShare: 1 };
    const web = new SampleWeb({ ...options, shares }, port);
    const graph = new TrueGraph(web, { seeds: [web.rootUrl(0)] });
    const kindsOf = (ids: Iterable<number>): string[] => [...ids].map((id) => web.kindOf(id));
    const all = kindsOf(Array.from({ length: web.layout.pageCount }, (_, id) => id));
    const hidden = { unreachable: "orphan", nofollow: "nofollowed" } as const;
    for (const verdict of ["unreachable", "nofollow"] as const) {
      const found = kindsOf(graph.ids(verdict));
      expect(found.length).toBeGreaterThan(10);
      expect(found).toEqual(all.filter((kind) => kind === hidden[verdict]));
    }
  });

  test("leaves nothing out but what is hidden on purpose", () => {
    const web = new SampleWeb(defaultSampleWebOptions, port);
    const graph = new TrueGraph(web, { seeds: [web.rootUrl(0)] });
    for (const id of graph.ids("unreachable")) {
      expect(["orphan", "duplicate", "redirect", "loop"]).toContain(web.kindOf(id));
    }
    expect([...graph.ids("nofollow")].every((id) => web.kindOf(id) === "nofollowed")).toBe(true);
    expect([...graph.ids("robots")].every((id) => web.kindOf(id) === "ruled")).toBe(true);
    const counts = graph.counts();
    for (const verdict of ["unreachable", "nofollow", "robots", "must"] as const) {
      expect(counts[verdict]).toBeGreaterThan(0);
    }
    const kinds = graph.kinds();
    expect(Object.values(kinds).reduce((sum, count) => sum + count, 0)).toBe(counts.must);
    const withoutHtml = ["missing", "failing", "reset", "other", "redirect", "loop"] as const;
    const others = withoutHtml.reduce((sum, kind) => sum + kinds[kind], 0);
    expect(graph.htmlPages()).toBe(counts.must - others);
  });

  test("follows rules that are relaxed", () => {
    const web = new SampleWeb(defaultSampleWebOptions, port);
    const seeds = [web.rootUrl(0)];
    const graph = new TrueGraph(web, { seeds, respectsRobots: false, respectsNofollow: false });
    expect(graph.counts()).toMatchObject({ robots: 0, nofollow: 0 });
    expect(graph.kinds().nofollowed).toBeGreaterThan(0);
  });

  test("stays in scope", () => {
    const web = new SampleWeb({ ...plainSampleWebOptions, sites: 5, totalPages: 500 }, port);
    const seed = web.rootUrl(1);
    const found = (scope: "page" | "host" | "site" | "any"): string[] =>
      [...new TrueGraph(web, { seeds: [seed], scope }).ids("must")].map((id) => web.urlOf(id));
    const hostsOf = (urls: string[]): Set<string> => new Set(urls.map((u) => new URL(u).hostname));
    expect(found("page")).toEqual([seed]);
    expect(hostsOf(found("host"))).toEqual(new Set(["www.site-0001.example"]));
    expect(hostsOf(found("site")).size).toBe(2);
    expect(found("site")).toHaveLength(web.layout.pagesOf(1));
    expect(hostsOf(found("any")).size).toBeGreaterThan(4);
    const cut = new TrueGraph(web, { seeds: [seed], scope: "site" });
    expect(cut.counts().scope).toBeGreaterThan(0);
  });

  test("counts the scope from the page with the link, not from all seeds", () => {
    const shares = { ...plainSampleWebOptions.shares, other: 0.1 };
    const web = new SampleWeb(
      { ...plainSampleWebOptions, sites: 5, totalPages: 500, shares },
      port,
    );
    const pages = [...Array(web.layout.pagesOf(2)).keys()].map((index) =>
      web.layout.idOf(2, index),
    );
    const file = pages.find((id) => web.kindOf(id) === "other") ?? 0;
    const seeds = [web.rootUrl(1), web.urlOf(file)];
    const graph = new TrueGraph(web, { seeds, scope: "site" });
    expect(pages.filter((id) => graph.verdictOf(id) === "must")).toEqual([file]);
    expect(graph.counts().scope).toBeGreaterThan(0);
  });

  test("gives up after too many redirects", () => {
    const shares = { ...plainSampleWebOptions.shares, redirect: 0.3 };
    const options = { ...plainSampleWebOptions, sites: 1, totalPages: 100, shares };
    const web = new SampleWeb({ ...options, redirectChainMax: 30 }, port);
    const graph = new TrueGraph(web, { seeds: [web.rootUrl(0)], redirectsMax: 10 });
    expect(graph.kinds().redirect).toBe(11);
    expect(graph.counts()["redirect-limit"]).toBe(1);
  });

  test("has nothing of a host whose robots.txt fails", () => {
    const web = new SampleWeb({ ...defaultSampleWebOptions, robotsFailingShare: 1 }, port);
    const graph = new TrueGraph(web, { seeds: web.rootUrls() });
    expect(graph.counts()).toMatchObject({ must: 0, robots: 20 });
  });

  test("knows where traps begin", () => {
    const web = new SampleWeb({ ...defaultSampleWebOptions, trapShare: 0.5 }, port);
    const graph = new TrueGraph(web, { seeds: web.rootUrls() });
    expect(graph.trapSites().length).toBeGreaterThan(3);
    expect(graph.trapSites().length).toBeLessThan(17);
  });

  test("refuses a seed that is no page of the web", () => {
    const web = new SampleWeb(plainSampleWebOptions, port);
    expect(() => new TrueGraph(web, { seeds: ["http://www.site-0000.example/no"] })).toThrow(
      RangeError,
    );
  });
});
