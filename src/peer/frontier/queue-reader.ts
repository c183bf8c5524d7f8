import { idOf, keyOf } from "../../core/record/id-of.ts";
import { after, queueRange } from "../../core/record/keys.ts";
import { QueueEntry } from "../../core/record/queue-entry.ts";
import type { JobId } from "../../core/units.ts";
import type { Store } from "../../ports/store.ts";
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
    const gte = ticket.after.length > 0 ? after(keyOf(ticket.after)) : range.gte;
    const rows = await this.#store.range({ gte, lt: range.lt }, ticket.limit);
    const urls = rows.map(({ key, value }) => ({
      id: idOf(key),
      job,
      entry: QueueEntry.decode(value),
    }));
    queue.refill(ticket, urls, rows.length < ticket.limit);
  }
}
