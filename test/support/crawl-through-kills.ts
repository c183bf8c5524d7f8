import { audit } from "../../sim/auditor/auditor.ts";
import type { AuditReport } from "../../sim/auditor/auditor.ts";
import { TrueGraph } from "../../sim/sample-web/true-graph.ts";
import { hash64 } from "../../src/core/hash/hash64.ts";
import type { CrawlSummary } from "../../node/crawl-summary.ts";
import { crawlWords, summaryOf } from "./process-bench.ts";
import type { ProcessBench, SampleSite } from "./process-bench.ts";
import { until } from "./until.ts";

export interface KillPlan {
  readonly delayMs: number;
  readonly kills: number;
  /** Decides after how many requests of the server each kill comes. */
  readonly seed: number;
  /** Requests that the whole crawl is expected to make. */
  readonly requests: number;
}

/** What came of a crawl that was killed again and again. */
export interface KilledCrawl {
  readonly summary: CrawlSummary;
  readonly graph: TrueGraph;
  readonly report: AuditReport;
  /** Kills that hit a running process. */
  readonly kills: number;
}

/**
 * Crawls a sample web and ends the process with SIGKILL at seeded moments, each time going on with the same command line
 * on the same directory; then holds the server's log of all runs together against the true graph.
 */
export async function crawlThroughKills(
  bench: ProcessBench,
  site: SampleSite,
  out: string,
  plan: KillPlan,
): Promise<KilledCrawl> {
  const words = crawlWords(site, out, plan.delayMs);
  let kills = 0;
  for (const hits of killMoments(plan)) {
    const crawl = bench.start(words);
    await until(
      `${hits} requests`,
      () => site.server.hits.length >= hits || !crawl.isRunning,
      300_000,
    );
    const { signal } = await crawl.end("SIGKILL");
    if (signal === "SIGKILL") kills += 1;
  }
  const summary = summaryOf(await bench.run(words));
  const graph = new TrueGraph(site.web, { seeds: site.seeds });
  const report = await audit(site.server.hits, graph, {
    hostDelayMs: plan.delayMs,
    refetchesAllowed: summary.duplicateFetches,
    robotsRefetchesAllowed: plan.kills,
  });
  return { summary, graph, report, kills };
}

/** Seeded numbers of requests, in order, all within the first nine tenths of the crawl. */
function killMoments({ kills, seed, requests }: KillPlan): number[] {
  const draws = Array.from({ length: kills }, (_, kill) => {
    const draw = Number(hash64(`kill ${seed}`, BigInt(kill)) >> 11n) / 2 ** 53;
    return Math.ceil(draw * requests * 0.9);
  });
  return draws.sort((a, b) => a - b);
}
