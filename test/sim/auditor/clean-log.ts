import type { AuditCheckName, AuditRules } from "../../../sim/auditor/audit-rules.ts";
import { audit, type AuditReport } from "../../../sim/auditor/auditor.ts";
import type { Hit } from "../../../sim/sample-web/hit-log.ts";
import { defaultSampleWebOptions } from "../../../sim/sample-web/sample-web-options.ts";
import { SampleWeb } from "../../../sim/sample-web/sample-web.ts";
import { TrueGraph, type PageVerdict } from "../../../sim/sample-web/true-graph.ts";

export const delayMs = 100;
export const startAtMs = 1_800_000_000_000;
export const durationMs = 4;
export const retryAfterMs = 1_000;

export const web = new SampleWeb(
  {
    ...defaultSampleWebOptions,
    sites: 4,
    totalPages: 400,
    crawlDelayShare: 0.5,
    crawlDelaySeconds: 0.25,
    trapShare: 0.5,
  },
  80,
);
export const graph = new TrueGraph(web, { seeds: [web.rootUrl(0)] });

export function hit(url: string, arrivedAtMs: number, status: number): Hit {
  const { hostname, pathname, search } = new URL(url);
  const host = web.names.findHost(hostname);
  return {
    arrivedAtMs,
    finishedAtMs: arrivedAtMs + durationMs,
    host: hostname,
    address: host === undefined ? "127.0.0.1" : web.names.addressOf(host),
    method: "GET",
    path: pathname + search,
    status,
    bytes: 10,
    userAgent: "orbweaver/0.1 (+https://crawler.example/)",
    complete: true,
  };
}

/** The log of a crawl that does everything right, as fast as it may; hits of a host follow one another. */
function cleanLog(): Hit[] {
  const pages = new Map<string, string[]>();
  for (const id of graph.ids("must")) {
    const url = web.urlOf(id);
    const { hostname } = new URL(url);
    pages.set(hostname, [...(pages.get(hostname) ?? []), url]);
  }
  const hits: Hit[] = [];
  for (const [hostname, urls] of pages) {
    const host = web.names.findHost(hostname) ?? { site: 0, label: 0 };
    const crawlDelayMs = (web.robotsOf(host).crawlDelaySeconds ?? 0) * 1_000;
    let atMs = startAtMs;
    const visit = (url: string, status: number, waitMs: number): void => {
      hits.push(hit(url, atMs, status));
      atMs += Math.max(delayMs, crawlDelayMs, waitMs);
    };
    visit(`http://${hostname}/robots.txt`, web.page(`http://${hostname}/robots.txt`).status, 0);
    for (const url of urls) {
      const { status, throttle, resets } = web.page(url);
      if (throttle !== undefined) visit(url, throttle.status, retryAfterMs + durationMs);
      visit(url, resets ? 0 : status, 0);
    }
  }
  return hits;
}

export const clean = cleanLog();
/** Hits of the host with most of them; the root comes right after robots.txt. */
export const busy = clean.filter((each) => each.host === "www.site-0000.example");
export const last = busy.at(-1) ?? hit(web.rootUrl(0), startAtMs, 200);
export const afterLastMs = last.arrivedAtMs + 10_000;

export function pageWith(verdict: PageVerdict): string {
  const [id = 0] = graph.ids(verdict);
  return web.urlOf(id);
}

export function run(hits: Hit[], rules: Partial<AuditRules> = {}): Promise<AuditReport> {
  return audit(hits, graph, { hostDelayMs: delayMs, ...rules });
}

export function failures(report: AuditReport): AuditCheckName[] {
  return report.checks.filter((check) => !check.passed).map((check) => check.name);
}

/** The clean log with one hit put in place of another. */
export function replace(old: Hit | undefined, change: Partial<Hit>): Hit[] {
  return clean.map((each) => (each === old ? { ...each, ...change } : each));
}
