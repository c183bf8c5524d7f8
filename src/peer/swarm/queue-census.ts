import { compareKeys } from "../../core/frontier/queued-url.ts";
import { jobSpaceOfQueueKey, rangeOfArc, waitingKeyOf } from "../../core/record/keys.ts";
import { QueueEntry } from "../../core/record/record.pb.ts";
import type { ArcSet } from "../../core/ring/arc-set.ts";
import type { CanonicalUrl } from "../../core/units.ts";
import { hostOf } from "../../core/url/site-of.ts";
import type { Store, StoreOp } from "../../ports/store.ts";

/** What is queued within some arcs, as the database has it. */
export interface QueueCensus {
  /** URLs of each job, by the jobs' numbers. */
  readonly counts: ReadonlyMap<number, number>;
  /** For each host with queued URLs the row by which a frontier finds it. */
  readonly waiting: readonly StoreOp[];
}

export async function takeCensus(store: Store, arcs: ArcSet): Promise<QueueCensus> {
  const counts = new Map<number, number>();
  const waiting: StoreOp[] = [];
  let last = new Uint8Array(0);
  for (const arc of arcs.arcs()) {
    for await (const { key, value } of store.scan(rangeOfArc("queue", arc))) {
      const space = jobSpaceOfQueueKey(key);
      counts.set(space, (counts.get(space) ?? 0) + 1);
      const waitingKey = waitingKeyOf(key);
      if (compareKeys(waitingKey, last) === 0) continue;
      last = waitingKey;
      const host = hostOf(QueueEntry.decode(value).url as CanonicalUrl);
      waiting.push({ type: "put", key: waitingKey, value: new TextEncoder().encode(host) });
    }
  }
  return { counts, waiting };
}
