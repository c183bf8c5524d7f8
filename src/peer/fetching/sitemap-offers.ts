import type { RobotsRules } from "../../core/robots/parse-robots.ts";
import type { Job } from "../jobs/job-registry.ts";
import type { Lease } from "../frontier/lease.ts";

const none: readonly string[] = [];

/**
 * Which sitemaps go with the links of a page: those that its origin's robots.txt names, until one page of the job has
 * brought them in, and again with one that is nearer to a seed, as they may have been too deep before. That is remembered as
 * long as the file is; to bring them in once more costs a look into the sieve.
 */
export class SitemapOffers {
  /** The least depth of the pages that have brought them in. */
  readonly #taken = new WeakMap<RobotsRules, WeakMap<Job, number>>();

  /** Canonical URLs to be followed from a page of this lease. */
  due({ job, robots, url: { entry } }: Lease): readonly string[] {
    if (!robots || !job.definition.options.sitemaps) return none;
    return entry.depth < this.#takenAt(robots, job) ? robots.sitemaps : none;
  }

  /** The links of a page of this lease, with the sitemaps that were due then, are in the journal. */
  taken({ job, robots, url: { entry } }: Lease, sitemaps: readonly string[]): void {
    // What came in without them, as the job did not want them yet, has not brought them in, although it may want them by now.
    if (!robots || sitemaps.length === 0) return;
    const depth = Math.min(entry.depth, this.#takenAt(robots, job));
    const jobs = this.#taken.get(robots);
    if (jobs) jobs.set(job, depth);
    else this.#taken.set(robots, new WeakMap([[job, depth]]));
  }

  #takenAt(robots: RobotsRules, job: Job): number {
    return this.#taken.get(robots)?.get(job) ?? Infinity;
  }
}
