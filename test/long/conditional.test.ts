import { afterEach, describe, expect, it } from "vitest";
import { audit } from "../../sim/auditor/auditor.ts";
import { renderAudit } from "../../sim/auditor/render-audit.ts";
import { defaultSampleWebOptions } from "../../sim/sample-web/sample-web-options.ts";
import { TrueGraph } from "../../sim/sample-web/true-graph.ts";
import { crawlWords, ProcessBench, summaryOf } from "../support/process-bench.ts";
import { readWarcs } from "../support/read-crawl.ts";

/** No failures, nor pages with the content of another one, which are asked for whole. */
const plainShares = { throttled: 0, unavailable: 0, failing: 0, reset: 0, duplicate: 0 };

describe("a second job over pages that were fetched before", () => {
  const bench = new ProcessBench();
  afterEach(() => bench.clear());

  it("asks whether they have changed, and finds every link in what it has", async () => {
    const site = await bench.site({
      sites: 3,
      hostsPerSite: 1,
      totalPages: 150,
      // Each URL has one spelling, so that both jobs ask for the same.
      sessionShare: 0,
      variantShare: 0,
      shares: { ...defaultSampleWebOptions.shares, ...plainShares },
    });
    const graph = new TrueGraph(site.web, { seeds: site.seeds });
    const out = await bench.directory();
    const first = summaryOf(await bench.run(crawlWords(site, out, 5)));
    const before = site.server.hits.length;
    const ended = await bench.run(crawlWords(site, out, 5, ["--job", "again"]));
    const again = summaryOf(ended);
    const hits = site.server.hits.slice(before);

    expect(ended.code).toBe(0);
    const { pages, fetched } = first;
    expect(again).toMatchObject({ job: "again", pages, fetched, failed: 0, queued: 0 });
    const unchanged = hits.filter(({ status }) => status === 304);
    expect(unchanged).toHaveLength(graph.htmlPages());
    expect(unchanged.every(({ bytes }) => bytes === 0)).toBe(true);
    // Every page is reached again although no page was sent again, and robots.txt is remembered.
    const report = await audit(hits, graph, { hostDelayMs: 5 });
    const failed = report.checks.filter(({ passed }) => !passed).map(({ name }) => name);
    expect(failed, renderAudit(report)).toEqual(["robots-not-read"]);
    expect(report.robotsRequests).toBe(0);

    const records = await readWarcs(again.archive);
    const revisits = records.filter(
      ({ type, header }) =>
        type === "revisit" && header("warc-profile")?.endsWith("/server-not-modified") === true,
    );
    expect(revisits).toHaveLength(unchanged.length);
    expect(revisits.every(({ body, status }) => body.length === 0 && status === 304)).toBe(true);
    const asked = records.filter(({ type, field }) => type === "request" && field("if-none-match"));
    expect(asked).toHaveLength(unchanged.length);
    expect(asked.every(({ field }) => field("if-modified-since") !== null)).toBe(true);

    const peer = await bench.peer(out);
    const url = site.web.rootUrl(0);
    const answer = await fetch(`${peer.api}/v1/content?job=again&url=${encodeURIComponent(url)}`);
    const body = Buffer.from(await answer.arrayBuffer());
    expect(body.equals(Buffer.from(site.web.page(url).body))).toBe(true);
  });
});
