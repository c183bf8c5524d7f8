import type { QueueEntry } from "../record/queue-entry.ts";
import type { JobId } from "../units.ts";

/** One row of a host's queue in the database. */
export interface QueuedUrl {
  /** The row's key: orders the entries of one job on one host by priority, then by sequence; never reused. */
  readonly key: Uint8Array;
  readonly job: JobId;
  readonly entry: QueueEntry;
}

/** Byte order, as the database sorts its keys. */
export function compareKeys(left: Uint8Array, right: Uint8Array): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at += 1) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
