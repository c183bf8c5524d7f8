import { invariant } from "../../../src/core/errors.ts";
import { QueuedRow } from "../../../src/core/frontier/queued-row.ts";
import type { QueuedUrl, StoredRow } from "../../../src/core/frontier/queued-row.ts";
import { QueueBundle } from "../../../src/core/record/queue-bundle.ts";
import type { JobId } from "../../../src/core/units.ts";

export const jobA = "a" as JobId;
export const jobB = "b" as JobId;

/** A row of so many URLs whose key sorts by `priority`, then by `sequence`, longer by so many characters. */
export function storedRow(
  job: JobId,
  priority: number,
  sequence: number,
  { urls = 1, more = 0 } = {},
): StoredRow {
  const name = `http://host.test/${job}/${priority}/${sequence}`;
  const value = QueueBundle.encode({
    urls: Array.from({ length: urls }, (_, place) => (place === 0 ? name : `${name}/${place}`)),
    taken: 0,
    depth: 0,
    attempts: 0,
    unseen: 0,
    redirectChain: more > 0 ? ["x".repeat(more)] : [],
    discoveredAtMs: 0,
  });
  const key = Uint8Array.of(job.charCodeAt(0), priority, sequence >> 8, sequence & 255);
  return { key, value, job };
}

/** The URL of a row that has one. */
export function queued(job: JobId, priority: number, sequence: number): QueuedUrl {
  const [url] = QueuedRow.urlsOf(storedRow(job, priority, sequence));
  invariant(url !== undefined, "a new row has a URL");
  return url;
}

/** The order of their keys. */
export function byId(left: { readonly id: string }, right: { readonly id: string }): number {
  if (left.id === right.id) return 0;
  return left.id < right.id ? -1 : 1;
}
