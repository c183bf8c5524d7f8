import { compareKeys } from "../../../core/record/compare-keys.ts";
import { idOf } from "../../../core/record/id-of.ts";
import { jobSpaceOfQueueKey, queueOfRow, waitingKeyOf } from "../../../core/record/queue-keys.ts";
import type { Row } from "../../../core/messages/rows.ts";
import { isQueued, QueueBundle, queuedIn } from "../../../core/record/queue-bundle.ts";
import { queuedRecord } from "../../../core/record/url-state.ts";
import type { ArcSet } from "../../../core/ring/arc-set.ts";
import type { Store, StoreEntry, StoreOp } from "../../../ports/store.ts";
import type { Job, JobRegistry } from "../../jobs/job-registry.ts";
import { recordKeysOf, withoutOutdated } from "../replication/outdated.ts";
import { readQueued, type QueuedBundle } from "../replication/read-queued.ts";
import { scanArcs } from "../replication/scan-arcs.ts";

/** What a look at some rows of queues has found. */
export interface QueueLook {
  /** URLs of each job, by the jobs' numbers, without those that are to be taken out. */
  readonly counts: ReadonlyMap<number, number>;
  /** Those included. */
  readonly allCounts: ReadonlyMap<number, number>;
  /** For each host with queued URLs the row by which a frontier finds it; those of cancelled jobs need not be found. */
  readonly waiting: readonly StoreOp[];
  /**
   * Takes out what is behind its URL's record, as copies bring back what was taken out of the queue meanwhile, what an
   * earlier row of the queue has, as both sides of a split have queued it, and what is no row of its queue, and writes the
   * rest in the form in which a peer writes it: a copy is kept as it comes.
   */
  readonly outdated: readonly StoreOp[];
  /** Records of URLs that have none, though they are queued: a copy that is not complete may have the one alone. */
  readonly missing: readonly Required<Row>[];
}

/** URLs of one queue that are compared with each other, at most: some 10 MB of them. What is beyond may be there twice. */
const comparedMax = 100_000;

/** Rows looked at together. */
const rowsPerLook = 100;

/** Counts what is queued, outdated or not, of the jobs with these numbers: others may be made up, and without end. */
export async function countQueued(
  store: Store,
  arcs: ArcSet,
  isAsked: (space: number) => boolean,
): Promise<ReadonlyMap<number, number>> {
  const counts = new Map<number, number>();
  for await (const { key, value } of scanArcs(store, "queue", arcs)) {
    const space = jobSpaceOfQueueKey(key);
    const queued = isAsked(space) && readQueued(key, value);
    if (queued) add(counts, space, queuedIn(queued.bundle));
  }
  return counts;
}

/**
 * Looks through what is queued within some arcs, as the database has it.
 *
 * @param jobs of entries of other jobs it cannot be told whether they are outdated
 * @param onLook called with what each look has found: there may be a million hosts, whose rows together would stop the
 *   process for seconds, and take a gigabyte
 */
export async function takeCensus(
  store: Store,
  jobs: JobRegistry,
  arcs: ArcSet,
  onLook: (look: QueueLook) => Promise<void>,
): Promise<void> {
  const once = new Once();
  /** Of the host whose rows were met last: they stand together. */
  let lastWaiting: Uint8Array | undefined;
  for await (const rows of inLooks(store, arcs)) {
    const counts = new Map<number, number>();
    const allCounts = new Map<number, number>();
    const waiting: StoreOp[] = [];
    const outdated: StoreOp[] = [];
    const missing: Required<Row>[] = [];
    const looks = rows.map((row) => lookAt(row, jobs));
    const records = await store.getMany(looks.flatMap(({ recordKeys }) => recordKeys));
    let at = 0;
    for (const { key, value, space, job, queued, recordKeys } of looks) {
      const known = records.slice(at, at + recordKeys.length);
      at += recordKeys.length;
      if (queued) add(allCounts, space, queuedIn(queued.bundle));
      const upToDate = queued && withoutOutdated(queued.bundle, known);
      const bundle = upToDate && once.of(key, upToDate, recordKeys);
      const count = bundle ? queuedIn(bundle) : 0;
      if (!queued || !bundle || count === 0) {
        outdated.push({ type: "del", key });
        continue;
      }
      const normal = QueueBundle.encode(bundle);
      if (compareKeys(normal, value) !== 0) outdated.push({ type: "put", key, value: normal });
      for (const [place, record] of recordKeys.entries()) {
        if (known[place] !== undefined || !isQueued(bundle, place)) continue;
        missing.push({ key: record, value: queuedRecord(bundle.attempts) });
      }
      add(counts, space, count);
      if (job?.definition.state === "cancelled") continue;
      const waitingKey = waitingKeyOf(key);
      if (lastWaiting && compareKeys(lastWaiting, waitingKey) === 0) continue;
      lastWaiting = waitingKey;
      const name = new TextEncoder().encode(queued.host);
      waiting.push({ type: "put", key: waitingKey, value: name });
    }
    await onLook({ counts, allCounts, waiting, outdated, missing });
  }
}

/** Of rows of queues in the order of their keys, what no earlier row of the same queue has. */
class Once {
  #queue: Uint8Array = new Uint8Array(0);
  readonly #met = new Set<string>();

  /** @param recordKeys of the URLs, by their places; none where the job is unknown */
  of(key: Uint8Array, bundle: QueueBundle, recordKeys: readonly Uint8Array[]): QueueBundle {
    const queue = queueOfRow(key);
    if (compareKeys(queue, this.#queue) !== 0) {
      this.#queue = queue;
      this.#met.clear();
    }
    let { taken } = bundle;
    for (const [place, record] of recordKeys.entries()) {
      if (!isQueued(bundle, place)) continue;
      const id = idOf(record);
      if (this.#met.has(id)) taken |= 1 << place;
      else if (this.#met.size < comparedMax) this.#met.add(id);
    }
    return { ...bundle, taken: taken >>> 0 };
  }
}

function add(counts: Map<number, number>, space: number, count: number): void {
  counts.set(space, (counts.get(space) ?? 0) + count);
}

/** A row of a queue, with the keys of what tells which of its URLs are outdated. */
interface Look {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly space: number;
  readonly job: Job | undefined;
  readonly queued: QueuedBundle | undefined;
  readonly recordKeys: readonly Uint8Array[];
}

function lookAt({ key, value }: StoreEntry, jobs: JobRegistry): Look {
  const space = jobSpaceOfQueueKey(key);
  const job = jobs.bySpace(space);
  const queued = readQueued(key, value);
  const recordKeys = queued && job ? recordKeysOf(queued.bundle, job) : [];
  return { key, value, space, job, queued, recordKeys };
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
