import { jobSpaceOfQueueKey, waitingKeyOf } from "../../../core/record/keys.ts";
import type { QueueEntry } from "../../../core/record/queue-entry.ts";
import type { ArcSet } from "../../../core/ring/arc-set.ts";
import type { CanonicalUrl } from "../../../core/units.ts";
import { hostOf } from "../../../core/url/site-of.ts";
import type { Store, StoreEntry, StoreOp } from "../../../ports/store.ts";
import type { Job, JobRegistry } from "../../jobs/job-registry.ts";
import { urlRow } from "../../admission/url-row.ts";
import { isOutdated } from "../replication/outdated.ts";
import { readQueued } from "../replication/read-queued.ts";
import { idOf } from "../../../core/record/id-of.ts";
import { scanArcs } from "../replication/scan-arcs.ts";

/** What is queued within some arcs, as the database has it. */
export interface QueueCensus {
  /** Entries of each job, by the jobs' numbers, without those that are taken out. */
  readonly counts: ReadonlyMap<number, number>;
  /** Those included. */
  readonly allCounts: ReadonlyMap<number, number>;
  /** For each host with queued URLs the row by which a frontier finds it. */
  readonly waiting: readonly StoreOp[];
  /**
   * Takes out what is behind its URL's record, as copies bring back what was taken out of the queue meanwhile, and what is no
   * entry of its queue: a copy is kept as it comes.
   */
  readonly outdated: readonly StoreOp[];
}

/** Rows looked at together. */
const rowsPerLook = 500;

/** `jobs`: of entries of other jobs it cannot be told whether they are outdated. */
export async function takeCensus(
  store: Store,
  jobs: JobRegistry,
  arcs: ArcSet,
): Promise<QueueCensus> {
  const counts = new Map<number, number>();
  const allCounts = new Map<number, number>();
  const waiting = new Map<string, StoreOp>();
  const outdated: StoreOp[] = [];
  for await (const rows of inLooks(store, arcs)) {
    const entries = rows.map(({ key, value }) => ({
      key,
      space: jobSpaceOfQueueKey(key),
      entry: readQueued(key, value),
    }));
    const records = await store.getMany(
      entries.map(({ entry, space }) => recordKeyOf(entry, jobs.bySpace(space))),
    );
    entries.forEach(({ key, space, entry }, at) => {
      allCounts.set(space, (allCounts.get(space) ?? 0) + 1);
      if (!entry || isOutdated(entry, records[at])) {
        outdated.push({ type: "del", key });
        return;
      }
      counts.set(space, (counts.get(space) ?? 0) + 1);
      const waitingKey = waitingKeyOf(key);
      const value = new TextEncoder().encode(hostOf(entry.url as CanonicalUrl));
      waiting.set(idOf(waitingKey), { type: "put", key: waitingKey, value });
    });
  }
  return { counts, allCounts, waiting: [...waiting.values()], outdated };
}

/** The rows of the queues within the arcs, some at a time. */
async function* inLooks(store: Store, arcs: ArcSet): AsyncGenerator<StoreEntry[], void, undefined> {
  let rows: StoreEntry[] = [];
  for await (const { key, value } of scanArcs(store, "queue", arcs)) {
    rows.push({ key: new Uint8Array(key), value });
    if (rows.length < rowsPerLook) continue;
    yield rows;
    rows = [];
  }
  if (rows.length > 0) yield rows;
}

/** No row has this key. */
const noKey = new Uint8Array(0);

function recordKeyOf(entry: QueueEntry | undefined, job: Job | undefined): Uint8Array {
  return entry && job ? urlRow(entry.url as CanonicalUrl, job).key : noKey;
}
