import type { Millis } from "../../src/core/units.ts";
import type { JobReport, PeerStats } from "../../src/ports/peer-control.ts";

/** What a progress display shows: one job, or all jobs, of the peer or of its swarm. */
export interface ProgressView {
  readonly title: string;
  readonly pages: number;
  /** Pages a second, of late; absent where it is not known for what is shown. */
  readonly currentRate?: number;
  /** Pages a second, over `elapsedMs`. */
  readonly meanRate: number;
  readonly queued: number;
  /** Absent where it is not known for what is shown. */
  readonly activeHosts?: number;
  /** Absent where it is not known for what is shown. */
  readonly openRequests?: number;
  readonly failed: number;
  readonly skipped: number;
  readonly bytes: number;
  readonly elapsedMs: Millis;
  /** A word where the job is not just running. */
  readonly note?: string;
  /** What keeps the job from going on. */
  readonly trouble?: string;
}

/** What is known of jobs, and of all of them together. */
export type ProgressFigures = Pick<PeerStats, "jobs"> &
  Partial<Pick<PeerStats, "activeHosts" | "openRequests" | "pagesPerSecond">>;

/**
 * The view of job `id`, or of all jobs together, under the time that was spent on it.
 *
 * Rates, hosts and requests are told of all jobs together. They are those of one job where no other has anything left.
 */
export function progressView(
  { jobs: all, pagesPerSecond, activeHosts, openRequests }: ProgressFigures,
  id: string | undefined,
  title: string,
): ProgressView {
  const isShown = ({ definition }: JobReport): boolean => id === undefined || definition.id === id;
  const jobs = all.filter(isShown);
  const total = (count: (counts: JobReport["counts"]) => number): number =>
    jobs.reduce((sum, { counts }) => sum + count(counts), 0);
  const pages = total((counts) => counts.pages);
  const elapsedMs = total((counts) => counts.activeMs);
  const left = jobs.filter(({ finished }) => !finished);
  const paused = left.length > 0 && left.every(({ definition }) => definition.state === "paused");
  const isAll = all.every((job) => isShown(job) || job.finished);
  return {
    title,
    pages,
    ...(isAll && pagesPerSecond !== undefined && { currentRate: pagesPerSecond }),
    meanRate: elapsedMs > 0 ? pages / (elapsedMs / 1_000) : 0,
    queued: total((counts) => counts.queued),
    ...(isAll && activeHosts !== undefined && { activeHosts }),
    ...(isAll && openRequests !== undefined && { openRequests }),
    failed: total((counts) => counts.failed),
    skipped: total((counts) => skippedOf(counts.skipped)),
    bytes: total((counts) => counts.bytes),
    elapsedMs,
    ...(paused ? { note: "paused" } : {}),
  };
}

/** URLs skipped, over all reasons. */
export function skippedOf(skipped: Readonly<Record<string, number>>): number {
  return Object.values(skipped).reduce((sum, count) => sum + count, 0);
}
