import type { ExclusionReason } from "../../../core/jobs/exclusion.ts";
import type { QueuedUrl, StoredRow } from "../../../core/frontier/queued-row.ts";
import {
  jobSpaceOfQueueKey,
  sequenceOfQueueKey,
  waitingKeyOf,
} from "../../../core/record/queue-keys.ts";
import { jobSpaceOfUrlKey } from "../../../core/record/url-keys.ts";
import type { Row } from "../../../core/messages/rows.ts";
import { keyOf } from "../../../core/record/id-of.ts";
import { isQueued, QueueBundle, queuedIn } from "../../../core/record/queue-bundle.ts";
import { ExclusionRecord, type HostRecord, OutboxEntry } from "../../../core/record/record.pb.ts";
import { keptOutFor } from "../../../core/replication/url-lattice.ts";
import { rowBytesMax } from "../../../core/replication/row-lattice.ts";
import { followRow, heedHostRow, type MergedTag } from "../../../core/replication/merge-row.ts";
import { positionOfKey } from "../../../core/ring/ring-position.ts";
import type { HostName, Millis } from "../../../core/units.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Metrics } from "../../../ports/metrics.ts";
import type { Overlay } from "../../../ports/overlay.ts";
import type { Store, StoreOp } from "../../../ports/store.ts";
import type { Frontier } from "../../frontier/frontier.ts";
import type { JobRegistry } from "../../jobs/job-registry.ts";
import type { Journal } from "../../durability/journal.ts";
import { VisitedRows } from "../../durability/visited-rows.ts";
import type { Sequence } from "../../durability/sequence.ts";
import { MergedUrls } from "../../admission/merged-urls.ts";
import { sieveKeyOfRow } from "../../admission/sieve-keeper.ts";
import type { SieveKeeper } from "../../admission/sieve-keeper.ts";
import type { SieveKey } from "../../admission/sieve-log.ts";
import { isOutdated, withoutOutdated } from "./outdated.ts";
import type { MixedQueues } from "./mixed-queues.ts";
import { parcelOfRow } from "../exchange/parcel.ts";
import type { Parcel } from "../exchange/parcel.ts";
import { Overlaps, type CountedOverlaps } from "./overlaps.ts";
import { IncomingRows, type IncomingQueued, type IncomingRow } from "./incoming-rows.ts";
import { LatestRows } from "./latest-rows.ts";
import { nameKey, type NamedKey } from "./row-watch.ts";
import type { Territory } from "../ownership/territory.ts";

interface KeeperParts {
  readonly frontier: Frontier;
  readonly jobs: JobRegistry;
  readonly journal: Journal;
  readonly mixed: MixedQueues;
  readonly sequence: Sequence;
  readonly sieve: SieveKeeper;
  readonly territory: Territory;
  /** Sends what came into the outbox of an arc that is held here. */
  readonly send: (parcel: Parcel) => void;
}

/**
 * Takes in rows of other members: the copies that this peer keeps for them, and what both sides of a healed partition
 * know. Each row is merged with what is here, so rows may come in any order and as often as they like.
 *
 * Invariant: the sieve has every URL of which a row came in, so that a peer that takes an arc over takes none of its URLs
 * for new.
 * Invariant: a row is merged with the latest that the journal took in, not with what could be read of it before.
 */
export class ReplicaKeeper {
  readonly #clock: Clock;
  readonly #metrics: Metrics;
  readonly #parts: KeeperParts;
  readonly #overlaps: Overlaps;
  readonly #incoming: IncomingRows;
  readonly #latest: LatestRows;
  /** Of arcs that are held here. */
  readonly merged = new MergedUrls();
  readonly visited = new VisitedRows();
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    ports: {
      readonly clock: Clock;
      readonly store: Store;
      readonly metrics: Metrics;
      readonly overlay: Pick<Overlay, "self">;
    },
    parts: KeeperParts,
  ) {
    this.#clock = ports.clock;
    this.#overlaps = new Overlaps(ports.overlay.self);
    this.#metrics = ports.metrics;
    this.#parts = parts;
    this.#incoming = new IncomingRows(parts);
    this.#latest = new LatestRows(ports.store, parts.journal);
  }

  /** Ids of the rows of which the latest cannot be read yet. */
  underWay(): Set<string> {
    return this.#latest.underWay();
  }

  /** Does `work` while no row comes in. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /**
   * Merges rows whose times are those of a clock that is `behindMs` behind this peer's. Resolves when they are durable, with
   * the number of those that changed something.
   */
  async take(rows: readonly Row[], behindMs: Millis, overlaps: CountedOverlaps): Promise<number> {
    const { changed, durable } = await this.alone(() => this.#merge(rows, behindMs, overlaps));
    await durable;
    return changed;
  }

  async #merge(
    rows: readonly Row[],
    behindMs: Millis,
    overlaps: CountedOverlaps,
  ): Promise<{ changed: number; durable: Promise<void> }> {
    const incoming = rows.flatMap((row) => this.#incoming.of(row));
    const queued = incoming.flatMap((one) => one.queued?.records ?? []);
    // A copy of a queue's row takes the holder's word, whatever was there.
    const written = incoming.filter(
      ({ row, tag, isHeld }) => row.value !== undefined && (isHeld || tag !== "queue"),
    );
    const opposites = written.flatMap(({ opposite }) => opposite ?? []);
    const keys = [...written, ...queued, ...opposites];
    return this.#latest.use(keys, this.#firstRowsOf(incoming), (current) =>
      this.#append(incoming, newMerge(current, behindMs, overlaps)),
    );
  }

  /**
   * Ids of a copy's rows that cannot be here: those of URLs that the sieve has never seen. Most rows of a stream are, and
   * what is not there need not be looked for.
   */
  #firstRowsOf(incoming: readonly IncomingRow[]): ReadonlySet<string> {
    const { sieve } = this.#parts.sieve;
    const ids = new Set<string>();
    for (const { key, id, isHeld, tag } of incoming) {
      if (isHeld || (tag !== "url" && tag !== "exclusion")) continue;
      const { space, words, at } = sieveKeyOfRow(key);
      if (!sieve.mayHave(space, words, at)) ids.add(id);
    }
    return ids;
  }

  /** Whether an entry of the queue is behind its URL's record. */
  async isOutdated({ id, entry }: QueuedUrl, record: Uint8Array): Promise<boolean> {
    const sequence = sequenceOfQueueKey(keyOf(id));
    if (!this.#parts.mixed.has(positionOfKey(record), sequence)) return false;
    const named = nameKey(record);
    return this.#latest.use([named], new Set(), (current) =>
      isOutdated(entry, current.get(named.id)),
    );
  }

  /** From here on nothing waits: what is merged is what is written. */
  #append(
    incoming: readonly IncomingRow[],
    merge: Merge,
  ): { changed: number; durable: Promise<void> } {
    for (const one of incoming) {
      const { id, row, tag } = one;
      if (row.value === undefined) {
        merge.ops.push({ type: "del", key: row.key });
        merge.current.set(id, undefined);
      } else if (tag === "queue") this.#queue(one, row.value, merge);
      else if (tag === "host" && one.isHeld) heed(one, row.value, merge);
      else this.#follow(one, tag, row.value, merge);
    }
    const { ops } = merge;
    if (ops.length === 0) return { changed: 0, durable: this.#parts.journal.flushed() };
    ops.push(...this.#parts.sieve.log(merge.logged));
    const durable = this.#parts.journal.append(ops);
    for (const parcel of merge.parcels) this.#parts.send(parcel);
    for (const { host, row } of merge.arrivals) this.#parts.frontier.arrived(host, row);
    for (const record of merge.heard) this.#parts.frontier.heed(record, durable);
    this.#metrics.count("replica_rows_total", incoming.length);
    return { changed: ops.length, durable };
  }

  /** Merges a row that is there once: of a queue there may be many. */
  #follow(one: IncomingRow, tag: MergedTag, value: Uint8Array, merge: Merge): void {
    const { key, id, isHeld, opposite } = one;
    const { current, ops } = merge;
    const known = current.get(id);
    // What is timed by clocks moves with each message: two holders of an arc would send it to and fro for ever.
    if (isHeld && tag === "robots" && known !== undefined) return;
    const merged = followRow(tag, known, value, merge.behindMs);
    // Only now: a URL of which nothing is kept must not be taken for known when it is found.
    if (!merged) return;
    if (tag === "url" || tag === "exclusion") this.#sift(key, known, merge.logged);
    const other = opposite && current.get(opposite.id);
    if (other && tag === "exclusion") {
      // Copies of it go the same way. The holder that kept the URL out counts that back when the record comes there.
      ops.push({ type: "del", key });
      return;
    }
    const fetched = { id, value, changed: merged.changed };
    if (merged.overlap && this.#overlaps.counts(known, fetched, isHeld && merge.overlaps))
      this.#countOverlap(key);
    if (!merged.changed) return;
    ops.push({ type: "put", key, value: merged.value });
    if (opposite && other) {
      ops.push({ type: "del", key: opposite.key });
      current.set(opposite.id, undefined);
      this.#countLetIn(opposite.key, ExclusionRecord.decode(other).reason);
    }
    if (isHeld && tag === "url" && known) this.#countLetIn(key, keptOutFor(known));
    // A message may speak of one row twice: of its change, and as a part of a copy.
    current.set(id, merged.value);
    if (tag === "url") this.visited.merged(id, merged.value);
    if (!isHeld) return;
    if (tag === "url" || tag === "exclusion") this.merged.add(id);
    this.#parts.mixed.merged(positionOfKey(key));
    if (known === undefined && tag === "outbox") {
      merge.parcels.push(...this.#parcelsOf(key, merged.value));
    }
  }

  /** The writes that make records known which are missing in arcs that are about to be held. */
  enter(records: readonly Required<Row>[]): StoreOp[] {
    const logged: SieveKey[] = [];
    for (const { key } of records) this.#sift(key, undefined, logged);
    const ops = records.map(({ key, value }): StoreOp => ({ type: "put", key, value }));
    return [...ops, ...this.#parts.sieve.log(logged)];
  }

  #sift(key: Uint8Array, current: Uint8Array | undefined, logged: SieveKey[]): void {
    const sieveKey = sieveKeyOfRow(key);
    const { space, words, at } = sieveKey;
    const { sieve } = this.#parts.sieve;
    if (sieve.offer(space, words, at) === "ask") sieve.settle(space, words, at, true);
    if (current === undefined) logged.push(sieveKey);
  }

  #parcelsOf(key: Uint8Array, value: Uint8Array): Parcel[] {
    // The key stays, and is a view of a message.
    const parcel = parcelOfRow(key.slice(), OutboxEntry.decode(value), this.#clock.nowMs());
    return parcel ? [parcel] : [];
  }

  /** Keeps a row of a queue; where the queue is held here, the frontier is told of what is left of it. */
  #queue({ key, id, isHeld, queued }: IncomingRow, value: Uint8Array, merge: Merge): void {
    const { current, ops } = merge;
    // A copy is kept as it comes: who takes it over looks at it.
    if (!isHeld && value.length <= rowBytesMax) ops.push({ type: "put", key, value });
    if (!queued || current.get(id) !== undefined) return;
    const { job, host } = queued;
    const bundle = leftOf(queued, current);
    const count = queuedIn(bundle);
    if (count === 0) {
      // Copies of it go the same way: each comparison would bring it anew.
      ops.push({ type: "del", key });
      return;
    }
    const isKnown = ({ id: record }: NamedKey, place: number): boolean =>
      isQueued(bundle, place) && current.get(record) !== undefined;
    if (queued.records.some(isKnown)) this.#parts.mixed.doubt(positionOfKey(key));
    const left = QueueBundle.encode(bundle);
    ops.push({ type: "put", key, value: left });
    // A message may speak of one row twice.
    current.set(id, left);
    this.#parts.jobs.addQueued(jobSpaceOfQueueKey(key), count);
    this.#parts.mixed.merged(positionOfKey(key));
    if (job?.definition.state === "cancelled") return;
    const name = new TextEncoder().encode(host);
    ops.push({ type: "put", key: waitingKeyOf(key), value: name });
    if (job) merge.arrivals.push({ host, row: { key, value: left, job: job.definition.id } });
  }

  /** The URL was kept out at one place, and let in at another one: it does not count as skipped. */
  #countLetIn(key: Uint8Array, reason: string | undefined): void {
    if (reason === undefined) return;
    const job = this.#parts.jobs.bySpace(jobSpaceOfUrlKey(key));
    job?.counter.addSkipped(reason as ExclusionReason, -1);
  }

  /** The same URL was fetched here and elsewhere: across a partition, or by a member that was taken for dead. */
  #countOverlap(key: Uint8Array): void {
    this.#parts.jobs.bySpace(jobSpaceOfUrlKey(key))?.counter.add("overlapFetches");
  }
}

/** A row that has come into the queue of a host. */
interface Arrival {
  readonly host: HostName;
  readonly row: StoredRow;
}

/** What the rows of one message come to, row by row. */
interface Merge {
  readonly behindMs: Millis;
  readonly overlaps: CountedOverlaps;
  /** What is known of each row, by its id, with what the rows before it have changed. */
  readonly current: Map<string, Uint8Array | undefined>;
  readonly ops: StoreOp[];
  readonly logged: SieveKey[];
  readonly arrivals: Arrival[];
  /** What came into the outbox of an arc that is held here. */
  readonly parcels: Parcel[];
  readonly heard: HostRecord[];
}

function newMerge(current: Merge["current"], behindMs: Millis, overlaps: CountedOverlaps): Merge {
  return { behindMs, overlaps, current, ops: [], logged: [], arrivals: [], parcels: [], heard: [] };
}

/** Takes from another holder's record of a host what has to be heeded here. */
function heed({ key, id }: IncomingRow, value: Uint8Array, merge: Merge): void {
  const heeded = heedHostRow(merge.current.get(id), value, merge.behindMs);
  if (!heeded) return;
  merge.ops.push({ type: "put", key, value: heeded.value });
  merge.current.set(id, heeded.value);
  merge.heard.push(heeded.record);
}

/** What a row brings to a queue that is held here: no URL whose record is further, as that one was taken out of it here. */
function leftOf(
  { bundle, records }: IncomingQueued,
  current: ReadonlyMap<string, Uint8Array | undefined>,
): QueueBundle {
  return withoutOutdated(
    bundle,
    records.map(({ id }) => current.get(id)),
  );
}
