import type { Millis } from "../../core/units.ts";
import { isFinished, isRunnable } from "./job-registry.ts";
import type { Job } from "./job-registry.ts";

/**
 * Counts the time that each job is worked on, at looks from time to time.
 *
 * A job that has ended since the look before is counted up to this look: a short crawl ends before there is a second look,
 * and has taken time all the same.
 */
export class WorkTime {
  /** Of jobs that are worked on: until when their time is counted. */
  readonly #countedToMs = new Map<Job, Millis>();
  /** At which look each job was seen to have ended last. */
  readonly #endedAtMs = new Map<Job, Millis>();
  #lookedAtMs: Millis = -Infinity;

  /**
   * The job was given work at `sinceMs`. It may be done by now, and a look since then may have counted that already: then
   * nothing is left to count.
   */
  begin(job: Job, sinceMs: Millis): void {
    if (this.#countedToMs.has(job)) return;
    const endedAtMs = this.#endedAtMs.get(job) ?? -Infinity;
    if (endedAtMs > sinceMs && !isWorkedOn(job)) return;
    this.#countedToMs.set(job, Math.max(sinceMs, this.#lookedAtMs));
  }

  /** Counts the time since the last look; the jobs that were worked on and are finished now. */
  count(jobs: readonly Job[], nowMs: Millis): readonly Job[] {
    this.#lookedAtMs = nowMs;
    const ended: Job[] = [];
    for (const job of jobs) {
      const sinceMs = this.#countedToMs.get(job);
      if (sinceMs !== undefined) job.counter.add("activeMs", Math.round(nowMs - sinceMs));
      if (isWorkedOn(job)) this.#countedToMs.set(job, nowMs);
      else if (this.#countedToMs.delete(job) && isFinished(job)) ended.push(job);
    }
    for (const job of ended) this.#endedAtMs.set(job, nowMs);
    return ended;
  }
}

/**
 * Whether there is anything to do for it now. The last page that a limit allows leaves no room for another one, but is
 * being fetched.
 */
export function isWorkedOn(job: Job): boolean {
  return job.leases > 0 || (!isFinished(job) && isRunnable(job));
}
