import { QueuedRow, rowKeyOf, type QueuedUrl } from "../../core/frontier/queued-row.ts";
import type { RefillTicket } from "../../core/frontier/job-queue.ts";
import { queueRange } from "../../core/record/keys.ts";
import type { JobId } from "../../core/units.ts";
import type { KeyRange, Store } from "../../ports/store.ts";
import type { Host } from "./host.ts";
import type { JobRegistry } from "../jobs/job-registry.ts";
import type { Journal } from "../durability/journal.ts";
import { queuePages } from "./queue-pages.ts";

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
        wanted -= found.filter(({ id }) => id > reached).length;
      }
      if (wanted <= 0 && !isLast) return { urls, isComplete: false };
    }
    return { urls, isComplete: true };
  }
}
