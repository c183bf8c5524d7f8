import { after } from "../../core/record/key-ranges.ts";
import { jobSpaceOfQueueKey, queueRange } from "../../core/record/queue-keys.ts";
import type { HostAddress } from "../../core/record/host-keys.ts";
import { bundleUrlsMax } from "../../core/record/queue-bundle.ts";
import type { KeyRange, Store, StoreEntry } from "../../ports/store.ts";

/** Most queues have no more rows than that. */
const fewRows = 4;

export interface QueuePage {
  readonly rows: readonly StoreEntry[];
  /** There are no rows behind these. */
  readonly isLast: boolean;
}

/**
 * The rows of a queue in the order of their keys, for somebody who wants so many URLs: the first page has enough where all
 * rows are full, or there are few, and each that follows is twice as long.
 */
export async function* queuePages(
  store: Pick<Store, "range">,
  { gte, lt }: KeyRange,
  urlsWanted: number,
): AsyncGenerator<QueuePage, void, undefined> {
  let from = gte;
  let asked = 1 + Math.min(urlsWanted, fewRows) + Math.floor(urlsWanted / bundleUrlsMax);
  for (;;) {
    const rows = await store.range({ gte: from, lt }, asked);
    const last = rows.at(-1);
    const isLast = !last || rows.length < asked;
    yield { rows, isLast };
    if (isLast) return;
    from = after(last.key);
    asked *= 2;
  }
}

/** The jobs that have rows in a host's queue: one look-up for each and one more, as there may be ten thousand others. */
export async function* queuedSpaces(
  store: Pick<Store, "range">,
  keys: HostAddress,
): AsyncGenerator<number, void, undefined> {
  const { gte, lt } = queueRange(keys);
  for (let from = gte; ;) {
    const [row] = await store.range({ gte: from, lt }, 1);
    if (!row) return;
    const space = jobSpaceOfQueueKey(row.key);
    yield space;
    from = queueRange(keys, space).lt;
  }
}
