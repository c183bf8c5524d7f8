import { dirname } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { audit } from "../../sim/auditor/auditor.ts";
import { renderAudit } from "../../sim/auditor/render-audit.ts";
import { defaultSampleWebOptions } from "../../sim/sample-web/sample-web-options.ts";
import type { SampleWeb } from "../../sim/sample-web/sample-web.ts";
import { TrueGraph } from "../../sim/sample-web/true-graph.ts";
import type { CrawlSummary } from "../../node/crawl-summary.ts";
import type { Ended } from "../support/peer-process.ts";
import { crawlWords, ProcessBench, summaryOf } from "../support/process-bench.ts";
import type { SampleSite } from "../support/process-bench.ts";
import { readIndexes, readWarcs, recordAt } from "../support/read-crawl.ts";
import type { WarcEntry } from "../support/read-crawl.ts";

const delayMs = 5;

const totalPages = 300;

/** Every kind of page; of those that fail one each, so that the host's circuit breaker stays closed. */
const one = 1 / totalPages;
const failures = { throttled: one, unavailable: one, failing: one, reset: one };
const shares = {
  ...defaultSampleWebOptions.shares,
  ...failures,
  slow: 0.01,
  unindexed: 0.01,
  loop: 0.01,
};

describe("peer crawl of a web with every fault", () => {
  const bench = new ProcessBench();
  let site: SampleSite;
  let graph: TrueGraph;
  let out: string;
  let ended: Ended;
  let summary: CrawlSummary;
  let records: readonly WarcEntry[];

  beforeAll(async () => {
    site = await bench.site({ sites: 1, hostsPerSite: 1, totalPages, shares });
    graph = new TrueGraph(site.web, { seeds: site.seeds });
    out = await bench.directory();
    ended = await bench.run(crawlWords(site, out, delayMs));
    summary = summaryOf(ended);
    records = await readWarcs(summary.archive);
  }, 60_000);
  afterAll(() => bench.clear());

  it("meets every kind of page there is", () => {
    const kinds = Object.entries(graph.kinds()).filter(([, count]) => count > 0);
    expect(kinds.map(([kind]) => kind).sort()).toEqual(
      Object.keys(graph.kinds())
        .filter((kind) => !["nofollowed", "orphan"].includes(kind))
        .sort(),
    );
  });

  it("fetches what it must, once, in time, and nothing else, as the server's log proves", async () => {
    const report = await audit(site.server.hits, graph, { hostDelayMs: delayMs });
    expect(report.passed, renderAudit(report)).toBe(true);
    expect(report.pages.mustFetch).toBeGreaterThan(270);
  });

  it("ends with exit code 0 and one document whose numbers are the true graph's", () => {
    const kinds = graph.kinds();
    const must = graph.counts().must;
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout.trimEnd().split("\n")).toHaveLength(1);
    expect(summary).toMatchObject({
      job: "crawl",
      finished: true,
      pages: graph.htmlPages(),
      fetched: must - kinds.reset,
      failed: kinds.reset,
      queued: 0,
      duplicateFetches: 0,
      out,
    });
    expect(summary.skipped["robots"]).toBe(graph.counts().robots);
    expect(summary.statuses["4xx"]).toBe(kinds.missing);
    expect(summary.statuses["5xx"]).toBe(kinds.failing);
    expect(summary.statuses["3xx"]).toBe(kinds.redirect + kinds.loop);
    const pages = site.server.hits.filter(({ path }) => path !== "/robots.txt");
    expect(summary.requests).toBe(pages.length);
    expect(summary.bytes).toBe(pages.reduce((sum, { bytes }) => sum + bytes, 0));
    expect(summary.pagesPerSecond).toBeCloseTo(summary.pages / summary.seconds, 0);
    expect(summary.archive.length).toBeGreaterThan(0);
  });

  it("archives each page byte for byte as the server has it, readable by other tools", () => {
    const responses = byUrl(records, "response");
    const revisits = byPage(site.web, records, "revisit");
    const answers = byPage(site.web, records, "response");
    let compared = 0;
    for (const id of graph.ids("must")) {
      if (graph.web.kindOf(id) === "reset") continue;
      const url = site.web.urlOf(id);
      const page = site.web.page(url);
      const holder = revisits.get(id)?.header("warc-refers-to-target-uri");
      const response = typeof holder === "string" ? responses.get(holder) : answers.get(id);
      expect(response?.status, url).toBe(page.status);
      expect(Buffer.compare(response?.body ?? Buffer.alloc(0), page.body), url).toBe(0);
      compared += 1;
    }
    expect(compared).toBe(summary.fetched);
    expect(revisits.size).toBeGreaterThan(0);
    const requests = records.filter(({ type }) => type === "request");
    expect(requests).toHaveLength(responses.size + revisits.size);
  });

  it("indexes each capture at its place in its file", async () => {
    const entries = await readIndexes(summary.archive);
    const captures = records.filter(({ type }) => type === "response" || type === "revisit");
    expect(entries).toHaveLength(captures.length);
    const byPlace = new Map(captures.map((one) => [`${one.file} ${one.offset}`, one]));
    const directory = dirname(summary.archive[0] ?? "");
    for (const entry of entries) {
      const record = byPlace.get(`${entry.filename} ${entry.offset}`);
      expect(record?.url).toBe(entry.url);
      expect(String(record?.status)).toBe(entry.status);
      expect(await recordAt(directory, entry)).toContain(`WARC-Target-URI: ${entry.url}\r\n`);
    }
  });

  it("hands out each archived body byte for byte, duplicates included", async () => {
    const peer = await bench.peer(out);
    const urls = [...graph.ids("must")]
      .filter((id) => graph.web.kindOf(id) !== "reset")
      .map((id) => site.web.urlOf(id));
    for (const url of urls) {
      const answer = await fetch(`${peer.api}/v1/content?url=${encodeURIComponent(url)}`);
      const body = Buffer.from(await answer.arrayBuffer());
      expect(Buffer.compare(body, site.web.page(url).body), url).toBe(0);
    }
    await peer.process.end("SIGTERM");
  });

  it("says that all is done when it is started again, and asks no server", async () => {
    const before = site.server.hits.length;
    const again = await bench.run(["crawl", "--out", out, "--json"]);
    expect(again.code).toBe(0);
    expect(summaryOf(again)).toMatchObject({ finished: true, pages: summary.pages, queued: 0 });
    expect(summaryOf(again).archive).toEqual(summary.archive);
    expect(site.server.hits).toHaveLength(before);
  });
});

function byUrl(records: readonly WarcEntry[], type: string): Map<string, WarcEntry> {
  return new Map(
    records.filter((record) => record.type === type).map((record) => [record.url, record]),
  );
}

/** By the page's number: the crawler archives a page under the spelling that it found. */
function byPage(
  web: SampleWeb,
  records: readonly WarcEntry[],
  type: string,
): Map<number, WarcEntry> {
  return new Map(
    [...byUrl(records, type)].map(([url, record]) => {
      const { hostname, pathname, search } = new URL(url);
      const target = web.locate(hostname, pathname + search);
      return [target.kind === "page" ? target.id : -1, record];
    }),
  );
}
