import type { MeasuredRun } from "./measured-run.ts";
import { pageKey, type ServerHit } from "./site-server.ts";
import { median } from "./statistics.ts";

/** What one run of a tool came to, by the server's log and the kernel's account. */
export interface Figures {
  /** Expected pages that the server sent. */
  readonly pages: number;
  /** Expected pages that it was never asked for. */
  readonly missing: number;
  /** Requests for pages beyond the first for each. */
  readonly again: number;
  /** All other requests: redirects, errors, robots.txt, what is no page. */
  readonly other: number;
  /** From the start of the process to the first page sent. */
  readonly firstPageSeconds: number;
  /** From the start of the process to its end. */
  readonly seconds: number;
  readonly pagesPerSecond: number;
  /** From the first request to the last: what is left when start and end of the process do not count. */
  readonly crawlSeconds: number;
  readonly crawlPagesPerSecond: number;
  readonly cpuSeconds: number;
  readonly pagesPerCpuSecond: number;
  readonly peakMebibytes: number;
}

/** A run with what went wrong in it. */
export interface JudgedRun {
  readonly figures: Figures;
  readonly missingPages: readonly string[];
  readonly problem?: string;
}

/** Missing pages named in the document; their number is always whole. */
const namedPagesMax = 100;

/** Judges a run by what the server saw. */
export function judge(
  run: MeasuredRun,
  hits: readonly ServerHit[],
  expected: ReadonlySet<string>,
  exitCodes: readonly number[],
): JudgedRun {
  const sent = new Set<string>();
  let pageHits = 0;
  let firstPageAtMs = run.endedAtMs;
  let firstAtMs = run.endedAtMs;
  let lastAtMs = run.startedAtMs;
  for (const { finishedAtMs, host, method, path, status } of hits) {
    firstAtMs = Math.min(firstAtMs, finishedAtMs);
    lastAtMs = Math.max(lastAtMs, finishedAtMs);
    const key = pageKey(host, path);
    if (method !== "GET" || status !== 200 || !expected.has(key)) continue;
    sent.add(key);
    pageHits += 1;
    firstPageAtMs = Math.min(firstPageAtMs, finishedAtMs);
  }
  const pages = sent.size;
  const seconds = (run.endedAtMs - run.startedAtMs) / 1_000;
  const crawlSeconds = Math.max(0, lastAtMs - firstAtMs) / 1_000;
  const problem = problemOf(run, exitCodes);
  return {
    figures: {
      pages,
      missing: expected.size - pages,
      again: pageHits - pages,
      other: hits.length - pageHits,
      firstPageSeconds: Math.max(0, firstPageAtMs - run.startedAtMs) / 1_000,
      seconds,
      pagesPerSecond: rate(pages, seconds),
      crawlSeconds,
      crawlPagesPerSecond: rate(pages, crawlSeconds),
      cpuSeconds: run.cpuSeconds,
      pagesPerCpuSecond: rate(pages, run.cpuSeconds),
      peakMebibytes: run.peakBytes / 1_024 ** 2,
    },
    missingPages: [...expected].filter((page) => !sent.has(page)).slice(0, namedPagesMax),
    ...(problem !== undefined && { problem }),
  };
}

function problemOf(run: MeasuredRun, exitCodes: readonly number[]): string | undefined {
  const ran = `after ${Math.round((run.endedAtMs - run.startedAtMs) / 1_000)} s`;
  if (run.killed === "timeout") return `did not end and was killed ${ran}`;
  if (run.killed === "interrupted") return `was interrupted ${ran}`;
  if (exitCodes.includes(run.exitCode)) return undefined;
  const said = run.complaint === "" ? "" : `: ${run.complaint.split("\n").at(-1) ?? ""}`;
  return `exit code ${run.exitCode} ${ran}${said}`;
}

function rate(count: number, seconds: number): number {
  return seconds > 0 ? count / seconds : 0;
}

/** The median of each figure by itself; the worst of those that must be perfect. */
export function medianFigures(runs: readonly Figures[]): Figures {
  const of = (pick: (figures: Figures) => number): number => median(runs.map(pick));
  return {
    pages: Math.min(...runs.map(({ pages }) => pages)),
    missing: Math.max(...runs.map(({ missing }) => missing)),
    again: Math.max(...runs.map(({ again }) => again)),
    other: of(({ other }) => other),
    firstPageSeconds: of(({ firstPageSeconds }) => firstPageSeconds),
    seconds: of(({ seconds }) => seconds),
    pagesPerSecond: of(({ pagesPerSecond }) => pagesPerSecond),
    crawlSeconds: of(({ crawlSeconds }) => crawlSeconds),
    crawlPagesPerSecond: of(({ crawlPagesPerSecond }) => crawlPagesPerSecond),
    cpuSeconds: of(({ cpuSeconds }) => cpuSeconds),
    pagesPerCpuSecond: of(({ pagesPerCpuSecond }) => pagesPerCpuSecond),
    peakMebibytes: of(({ peakMebibytes }) => peakMebibytes),
  };
}
