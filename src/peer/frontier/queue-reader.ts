import { QueuedRow, rowKeyOf, type QueuedUrl } from "../../core/frontier/queued-row.ts";
import type { RefillTicket } from "../../core/frontier/job-queue.ts";
import { queueRange } from "../../core/record/queue-keys.ts";
import type { JobId } from "../../core/units.ts";
import type { KeyRange, Store } from "../../ports/store.ts";
import type { Host } from "./host.ts";
import { jobHold, type Job, type JobRegistry } from "../jobs/job-registry.ts";
import type { Journal } from "../durability/journal.ts";
import { queuedSpaces, queuePages } from "./queue-pages.ts";

/** With no more, a look-up for each costs no more than to find those that have rows. */
const fewJobs = 2;

/** Reads heads of hosts' queues from disk. */
export class QueueReader {
  readonly #store: Pick<Store, "range">;
  readonly #jobs: JobRegistry;
  readonly #journal: Pick<Journal, "flushed">;

  constructor(
    store: Pick<Store, "range">,
    parts: { readonly jobs: JobRegistry; readonly journal: Pick<Journal, "flushed"> },
  ) {
    this.#store = store;
    this.#jobs = parts.jobs;
    this.#journal = parts.journal;
  }

  /**
   * Finds the jobs that have rows of the host. What the journal held before the call is among them.
   *
   * Few may be taken to have some, as a refill tells; but of a job that is held back there is none.
   */
  async findJobs(host: Host): Promise<void> {
    const end = host.beginRead();
    const known = this.#jobs.all().filter(({ definition }) => definition.state !== "cancelled");
    const areWanted = known.length <= fewJobs && !known.some(jobHold);
    end(areWanted ? known : await this.#jobsOnDisk(host));
  }

  async #jobsOnDisk({ keys }: Host): Promise<Job[]> {
    await this.#journal.flushed();
    const found: Job[] = [];
    for await (const space of queuedSpaces(this.#store, keys)) {
      const job = this.#jobs.bySpace(space);
      if (job) found.push(job);
    }
    return found;
  }

  /** Fills up the head of one job; what the journal held before the call is among it. */
  async refill(host: Host, job: JobId): Promise<void> {
    const { queue } = host.visit;
    const { space } = this.#jobs.get(job);
    const ticket = queue.beginRefill(job);
    await this.#journal.flushed();
    const range = queueRange(host.keys, space);
    const gte = ticket.after.length > 0 ? rowKeyOf(ticket.after) : range.gte;
    const { urls, isComplete } = await this.#scan(ticket, { gte, lt: range.lt });
    queue.refill(ticket, urls, isComplete);
  }

  /** As many URLs as are wanted, or all that there are. */
  async #scan(
    { job, after: reached, limit }: RefillTicket,
    range: KeyRange,
  ): Promise<{ readonly urls: QueuedUrl[]; readonly isComplete: boolean }> {
    const urls: QueuedUrl[] = [];
    let wanted = limit;
    for await (const { rows, isLast } of queuePages(this.#store, range, limit)) {
      for (const row of rows) {
        if (wanted <= 0) return { urls, isComplete: false };
        const found = QueuedRow.urlsOf({ ...row, job });
        urls.push(...found);
        // Of the first row all or some may have been read before.
        for (const { id, weight } of found) if (id > reached) wanted -= weight;
      }
      if (wanted <= 0 && !isLast) return { urls, isComplete: false };
    }
    return { urls, isComplete: true };
  }
}
