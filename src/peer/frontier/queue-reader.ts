import { QueuedRow, rowKeyOf, type QueuedUrl } from "../../core/frontier/queued-row.ts";
import type { RefillTicket } from "../../core/frontier/job-queue.ts";
import { after, queueRange } from "../../core/record/keys.ts";
import { bundleUrlsMax } from "../../core/record/queue-bundle.ts";
import type { JobId } from "../../core/units.ts";
import type { KeyRange, Store } from "../../ports/store.ts";
import type { Host } from "./host.ts";
import type { JobRegistry } from "../jobs/job-registry.ts";
import type { Journal } from "../durability/journal.ts";

/** Reads heads of hosts' queues from disk. */
export class QueueReader {
  readonly #store: Store;
  readonly #jobs: JobRegistry;
  readonly #journal: Journal;

  constructor(store: Store, parts: { readonly jobs: JobRegistry; readonly journal: Journal }) {
    this.#store = store;
    this.#jobs = parts.jobs;
    this.#journal = parts.journal;
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
    { job, limit }: RefillTicket,
    range: KeyRange,
  ): Promise<{ readonly urls: QueuedUrl[]; readonly isComplete: boolean }> {
    const urls: QueuedUrl[] = [];
    let { gte } = range;
    // As if all rows were full, and then twice as many each time. Of the first one everything may have been read before.
    let asked = 2 + Math.floor(limit / bundleUrlsMax);
    for (;;) {
      const rows = await this.#store.range({ gte, lt: range.lt }, asked);
      for (const row of rows) urls.push(...QueuedRow.urlsOf({ ...row, job }));
      const last = rows.at(-1);
      if (!last || rows.length < asked) return { urls, isComplete: true };
      if (urls.length >= limit + bundleUrlsMax) return { urls, isComplete: false };
      gte = after(last.key);
      asked *= 2;
    }
  }
}
