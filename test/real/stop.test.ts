import { execFileSync } from "node:child_process";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { audit } from "../../sim/auditor/auditor.ts";
import { renderAudit } from "../../sim/auditor/render-audit.ts";
import {
  defaultSampleWebOptions,
  plainSampleWebOptions,
} from "../../sim/sample-web/sample-web-options.ts";
import { TrueGraph } from "../../sim/sample-web/true-graph.ts";
import { crawlWords, ProcessBench, summaryOf } from "../support/process-bench.ts";
import { SilentSite } from "../support/silent-site.ts";
import { until } from "../support/until.ts";

const noFailures = { throttled: 0, unavailable: 0, failing: 0, reset: 0 };

/** A graceful stop must be over by then; the command itself insists after 10 s. */
const stopMsMax = 10_000;

describe("peer crawl that is told to stop", () => {
  const bench = new ProcessBench();
  afterEach(() => bench.clear());

  it("stops in time, keeps everything, repeats nothing, and goes on when started again", async () => {
    const site = await bench.site({
      sites: 5,
      totalPages: 300,
      shares: { ...defaultSampleWebOptions.shares, ...noFailures, slow: 0.05 },
    });
    const out = await bench.directory();
    const words = crawlWords(site, out, 10);
    const stops = [
      ["SIGTERM", 143, 60],
      ["SIGINT", 130, 120],
    ] as const;
    for (const [signal, code, hits] of stops) {
      const crawl = bench.start(words);
      await until(`${hits} requests`, () => site.server.hits.length >= hits);
      const askedAtMs = Date.now();
      const ended = await crawl.end(signal);
      expect(Date.now() - askedAtMs).toBeLessThan(stopMsMax);
      expect(ended).toMatchObject({ code, signal: null });
      expect(ended.stderr).toContain(`continue with: peer crawl --out ${out}\n`);
      const summary = summaryOf(ended);
      expect(summary).toMatchObject({ finished: false, duplicateFetches: 0 });
      expect(summary.queued).toBeGreaterThan(0);
    }

    const summary = summaryOf(await bench.run(words));
    const graph = new TrueGraph(site.web, { seeds: site.seeds });
    const report = await audit(site.server.hits, graph, { hostDelayMs: 10 });
    expect(report.passed, renderAudit(report)).toBe(true);
    expect(summary).toMatchObject({
      finished: true,
      pages: graph.htmlPages(),
      fetched: graph.counts().must,
      duplicateFetches: 0,
    });
  });

  it("goes on where a terminal goes that is not its own, as behind nohup", async () => {
    const site = await bench.site({ ...plainSampleWebOptions, sites: 2, totalPages: 60 });
    const out = await bench.directory();
    const crawl = bench.start(crawlWords(site, out, 10));
    await until("it crawls", () => site.server.hits.length >= 10);
    const ended = await crawl.end("SIGHUP");
    expect(ended).toMatchObject({ code: 0, signal: null });
    expect(summaryOf(ended)).toMatchObject({ finished: true, pages: 60 });
  });

  it("says so by its exit code where the reader of its output has gone as well", async () => {
    const silent = await SilentSite.start();
    const out = await bench.directory();
    const crawl = bench.start(["crawl", silent.url, "--allow-private", "--out", out]);
    await silent.asked;
    crawl.dropOutput();
    void crawl.end("SIGINT");
    silent.stop();
    expect(await crawl.ended).toMatchObject({ code: 130, signal: null });
  });

  it.runIf(process.platform !== "win32")(
    "ends also where others keep the pipe open that its URLs come from",
    async () => {
      const silent = await SilentSite.start();
      const folder = await bench.directory();
      const pipe = join(folder, "pipe");
      execFileSync("mkfifo", [pipe]);
      const writer = await open(pipe, "r+");
      bench.atEnd(() => writer.close());
      await writer.write(`${silent.url}\n`);
      const out = join(folder, "out");
      const crawl = bench.start(["crawl", "--file", pipe, "--allow-private", "--out", out]);
      await silent.asked;
      void crawl.end("SIGTERM");
      silent.stop();
      const ended = await crawl.ended;
      expect(ended).toMatchObject({ code: 143, signal: null });
      expect(ended.stdout).toMatch(/^stopped; everything is kept\n/);
      expect(ended.stderr).toContain(`continue with: peer crawl --file ${pipe} --out ${out}\n`);
    },
  );

  it("lets a request in flight end, but not when it is told a second time", async () => {
    const silent = await SilentSite.start();
    const out = await bench.directory();
    const flags = ["--allow-private", "--delay", "0", "--out", out];
    const crawl = bench.start(["crawl", silent.url, ...flags]);
    await silent.asked;
    void crawl.end("SIGINT");
    const askedAtMs = Date.now();
    await until("another press of the key is a second one", () => Date.now() - askedAtMs > 600);
    expect(crawl.isRunning).toBe(true);
    expect(await crawl.end("SIGINT")).toMatchObject({ code: 130 });
    expect(Date.now() - askedAtMs).toBeLessThan(3_000);

    const peer = await bench.peer(out, ["--allow-private"]);
    const stats = await bench.run(["stats", "--data", out, "--json"]);
    expect(JSON.parse(stats.stdout)).toMatchObject({
      jobs: [{ counts: { queued: 1, duplicateFetches: 1 } }],
    });
    await peer.process.end("SIGKILL");
    silent.stop();
  });
});
