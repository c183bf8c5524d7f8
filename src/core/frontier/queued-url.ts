import type { QueueEntry } from "../record/queue-entry.ts";
import type { JobId } from "../units.ts";

/** One row of a host's queue in the database. */
export interface QueuedUrl {
  /**
   * Of the row's key ({@link idOf}): orders the entries of one job on one host by priority, then by sequence; never reused.
   * As bytes it would take four times the memory, and many are held.
   */
  readonly id: string;
  readonly job: JobId;
  readonly entry: QueueEntry;
}
