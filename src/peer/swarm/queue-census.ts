import { jobSpaceOfQueueKey, rangeOfArc } from "../../core/record/keys.ts";
import type { ArcSet } from "../../core/ring/arc-set.ts";
import type { Store } from "../../ports/store.ts";

/** How many URLs of each job are queued within `arcs`, by the jobs' numbers, as the database has it. */
export async function countQueued(store: Store, arcs: ArcSet): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  for (const arc of arcs.arcs()) {
    for await (const { key } of store.scan(rangeOfArc("queue", arc))) {
      const space = jobSpaceOfQueueKey(key);
      counts.set(space, (counts.get(space) ?? 0) + 1);
    }
  }
  return counts;
}
