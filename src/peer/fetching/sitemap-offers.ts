import type { RobotsRules } from "../../core/robots/parse-robots.ts";
import type { Job } from "../jobs/job-registry.ts";
import type { Lease } from "../durability/lease.ts";

const none: readonly string[] = [];

/**
 * Which sitemaps go with the links of a page: those that its origin's robots.txt names, until one page of the job has
 * brought them in. That is remembered as long as the file is; to bring them in once more costs a look into the sieve.
 */
export class SitemapOffers {
  readonly #taken = new WeakMap<RobotsRules, WeakSet<Job>>();

  /** Canonical URLs to be followed from a page of this lease. */
  due({ job, robots }: Lease): readonly string[] {
    if (!robots || !job.definition.options.sitemaps) return none;
    return this.#taken.get(robots)?.has(job) ? none : robots.sitemaps;
  }

  /** The links of a page of this lease, with what was due, are in the journal. */
  taken({ job, robots }: Lease): void {
    // A job that does not want them yet may do so when its options change.
    if (!robots || !job.definition.options.sitemaps) return;
    const jobs = this.#taken.get(robots);
    if (jobs) jobs.add(job);
    else this.#taken.set(robots, new WeakSet([job]));
  }
}
