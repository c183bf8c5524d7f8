import type { Millis } from "../../src/core/units.ts";
import type { JobReport, JobShare, PeerStats } from "../../src/ports/peer-control.ts";

/** What a progress display shows: one job, or all jobs, of the peer or of its swarm. */
export interface ProgressView {
  readonly title: string;
  readonly pages: number;
  /** Pages a second, of late. */
  readonly currentRate: number;
  /** Pages a second, over the whole time. */
  readonly meanRate: number;
  readonly queued: number;
  readonly activeHosts: number;
  readonly openRequests: number;
  readonly failed: number;
  readonly skipped: number;
  readonly bytes: number;
  readonly elapsedMs: Millis;
  /** A word where the job is not just running. */
  readonly note?: string;
}

/** The view of job `id`, or of all jobs together. */
export function progressView(
  stats: Omit<PeerStats, "peer" | "version" | "queued" | "archiveFiles">,
  id: string | undefined,
  title: string,
): ProgressView {
  const jobs = stats.jobs.filter(({ definition }) => id === undefined || definition.id === id);
  const total = (count: (counts: (typeof jobs)[number]["counts"]) => number): number =>
    jobs.reduce((sum, { counts }) => sum + count(counts), 0);
  const pages = total((counts) => counts.pages);
  const elapsedMs =
    id === undefined ? stats.upMs : jobs.reduce((sum, job) => sum + activeMsOf(job), 0);
  const paused = jobs.length > 0 && jobs.every(({ definition }) => definition.state === "paused");
  return {
    title,
    pages,
    currentRate: stats.pagesPerSecond,
    meanRate: elapsedMs > 0 ? pages / (elapsedMs / 1_000) : 0,
    queued: total((counts) => counts.queued),
    activeHosts: stats.activeHosts,
    openRequests: stats.openRequests,
    failed: total((counts) => counts.failed),
    skipped: total((counts) => skippedOf(counts.skipped)),
    bytes: total((counts) => counts.bytes),
    elapsedMs,
    ...(paused ? { note: "paused" } : {}),
  };
}

/** Time spent on a job. Members of a swarm crawl at the same time, so the one that did longest tells it. */
export function activeMsOf(job: JobReport & { readonly shares?: readonly JobShare[] }): Millis {
  const times = (job.shares ?? []).map(({ counts }) => counts.activeMs);
  return times.length === 0 ? job.counts.activeMs : Math.max(...times);
}

/** URLs skipped, over all reasons. */
export function skippedOf(skipped: Readonly<Record<string, number>>): number {
  return Object.values(skipped).reduce((sum, count) => sum + count, 0);
}
