import { idOf } from "../record/id-of.ts";
import type { QueueEntry } from "../record/queue-entry.ts";
import { ownText } from "../text/own-text.ts";
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

/** A row that has just been written to a host's queue. */
export interface NewQueuedUrl {
  readonly key: Uint8Array;
  readonly job: JobId;
  /** Its URL may be a part of a longer text. */
  readonly entry: QueueEntry;
}

/** The row as it is held in memory, where it may wait for long. */
export function heldUrl({ key, job, entry }: NewQueuedUrl): QueuedUrl {
  return { id: idOf(key), job, entry: { ...entry, url: ownText(entry.url) } };
}
