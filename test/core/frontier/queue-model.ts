import { idOf } from "../../../src/core/record/id-of.ts";
import type { QueuedUrl } from "../../../src/core/frontier/queued-url.ts";
import type { JobId } from "../../../src/core/units.ts";

export const jobA = "a" as JobId;
export const jobB = "b" as JobId;

/** An entry whose key sorts by `priority`, then by `sequence`. */
export function queued(job: JobId, priority: number, sequence: number, attempts = 0): QueuedUrl {
  return {
    id: idOf(Uint8Array.of(job.charCodeAt(0), priority, sequence >> 8, sequence & 255)),
    job,
    entry: {
      url: `http://host.test/${job}/${priority}/${sequence}`,
      depth: 0,
      attempts,
      redirectChain: [],
      discoveredAtMs: 0,
    },
  };
}

/** Everything that a scan may find: the rows of one job as they are now, in key order. */
export function rowsOf(table: ReadonlyMap<string, QueuedUrl>, job: JobId): QueuedUrl[] {
  return [...table.values()].filter((url) => url.job === job).sort(byId);
}

/** The order of their keys. */
export function byId(left: QueuedUrl, right: QueuedUrl): number {
  if (left.id === right.id) return 0;
  return left.id < right.id ? -1 : 1;
}
