import type { Millis } from "../../core/units.ts";
import { isFinished, isRunnable } from "./job-registry.ts";
import type { Job } from "./job-registry.ts";

/**
 * The time that is spent on each job, as it is looked at now and then.
 *
 * What a job had been worked on since the look before counts also where it has ended meanwhile: a short crawl ends before
 * a second look, and takes its time all the same.
 */
export class WorkTime {
  /** Of jobs that are worked on: until when their time is counted. */
  readonly #countedToMs = new Map<Job, Millis>();
  /** At which look each job was seen to have ended last. */
  readonly #endedAtMs = new Map<Job, Millis>();
  #lookedAtMs: Millis = -Infinity;

  /** The job has had something to do since then; it may be done by now, and looks since then may have counted that. */
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
