import type { ExclusionReason } from "../../../core/jobs/exclusion.ts";
import type { QueuedUrl, StoredRow } from "../../../core/frontier/queued-row.ts";
import {
  jobSpaceOfQueueKey,
  jobSpaceOfUrlKey,
  retag,
  sequenceOfQueueKey,
  territorialTagOf,
  waitingKeyOf,
} from "../../../core/record/keys.ts";
import type { Row } from "../../../core/messages/rows.ts";
import type { TerritorialTag } from "../../../core/record/keys.ts";
import { idOf, keyOf } from "../../../core/record/id-of.ts";
import { isQueued, QueueBundle, queuedIn } from "../../../core/record/queue-bundle.ts";
import { queuedRecord } from "../../../core/record/url-state.ts";
import { ExclusionRecord, type HostRecord, OutboxEntry } from "../../../core/record/record.pb.ts";
import { keptOutFor } from "../../../core/replication/url-lattice.ts";
import { rowBytesMax } from "../../../core/replication/row-lattice.ts";
import { followRow, heedHostRow } from "../../../core/replication/merge-row.ts";
import { positionOfKey } from "../../../core/ring/ring-position.ts";
import type { HostName, Millis } from "../../../core/units.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Metrics } from "../../../ports/metrics.ts";
import type { Overlay } from "../../../ports/overlay.ts";
import type { Store, StoreOp } from "../../../ports/store.ts";
import type { Frontier } from "../../frontier/frontier.ts";
import type { Job, JobRegistry } from "../../jobs/job-registry.ts";
import type { Journal } from "../../durability/journal.ts";
import { VisitedRows } from "../../durability/visited-rows.ts";
import type { Sequence } from "../../durability/sequence.ts";
import { MergedUrls } from "../../admission/merged-urls.ts";
import { sieveKeyOfRow } from "../../admission/sieve-keeper.ts";
import type { SieveKeeper } from "../../admission/sieve-keeper.ts";
import type { SieveKey } from "../../admission/sieve-log.ts";
import { isOutdated, recordKeysOf, withoutOutdated } from "./outdated.ts";
import type { MixedQueues } from "./mixed-queues.ts";
import { parcelOfRow } from "../exchange/parcel.ts";
import type { Parcel } from "../exchange/parcel.ts";
import { Overlaps, type CountedOverlaps } from "./overlaps.ts";
import { isWaitingRow, readQueued, type QueuedBundle } from "./read-queued.ts";
import { nameKey, RowWatch } from "./row-watch.ts";
import type { NamedKey } from "./row-watch.ts";
import type { Territory } from "../ownership/territory.ts";

interface Incoming extends NamedKey {
  readonly row: Row;
  readonly tag: TerritorialTag;
  readonly isHeld: boolean;
  /** Of a row for a queue that is held here. */
  readonly queued?: Queued;
  /** Of a URL's record, or its exclusion, in an arc that is held here: the row that the URL has where it is the other one. */
  readonly opposite?: NamedKey;
}

/** A row of a queue from elsewhere. */
interface Queued extends QueuedBundle {
  /** Undefined where this peer has not heard of it: such a row is kept as it comes, and read when it has. */
  readonly job: Job | undefined;
  /** Of its URLs' records, by the URLs' places. */
  readonly records: readonly NamedKey[];
}

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
  readonly #store: Store;
  readonly #metrics: Metrics;
  readonly #parts: KeeperParts;
  readonly #overlaps: Overlaps;
  readonly #watch = new RowWatch();
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
    this.#store = ports.store;
    this.#metrics = ports.metrics;
    this.#parts = parts;
    parts.journal.observe((ops, durable) => this.#watch.observe(ops, durable));
  }

  /** Ids of the rows of which the latest cannot be read yet. */
  underWay(): Set<string> {
    return this.#watch.underWay();
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
    const incoming = rows.flatMap((row) => this.#incoming(row));
    const queued = incoming.flatMap((one) => one.queued?.records ?? []);
    // A copy of a queue's row takes the holder's word, whatever was there.
    const written = incoming.filter(
      ({ row, tag, isHeld }) => row.value !== undefined && (isHeld || tag !== "queue"),
    );
    const opposites = written.flatMap(({ opposite }) => opposite ?? []);
    const keys = [...written, ...queued, ...opposites];
    return this.#withLatest(keys, this.#firstRowsOf(incoming), (current) =>
      this.#append(incoming, behindMs, overlaps, current),
    );
  }

  /**
   * Ids of a copy's rows that cannot be here: those of URLs that the sieve has never seen. Most rows of a stream are, and
   * what is not there need not be looked for.
   */
  #firstRowsOf(incoming: readonly Incoming[]): ReadonlySet<string> {
    const { sieve } = this.#parts.sieve;
    const ids = new Set<string>();
    for (const { key, id, isHeld, tag } of incoming) {
      if (isHeld || (tag !== "url" && tag !== "exclusion")) continue;
      const { space, words, at } = sieveKeyOfRow(key);
      if (!sieve.mayHave(space, words, at)) ids.add(id);
    }
    return ids;
  }

  /**
   * Calls `use` with what is known of rows at that very moment, by the ids of their keys, whether the database shows it yet
   * or not. It does not show those that are `absent`.
   */
  async #withLatest<T>(
    keys: readonly NamedKey[],
    absent: ReadonlySet<string>,
    use: (current: Map<string, Uint8Array | undefined>) => T,
  ): Promise<T> {
    const watched = this.#watch.watch(keys);
    const latest = new Map<string, Uint8Array | undefined>();
    try {
      const asked = watched.filter(({ id }) => !absent.has(id));
      const read = await this.#read(asked);
      for (const [at, { id }] of asked.entries()) latest.set(id, read[at]);
    } finally {
      this.#watch.unwatch(watched);
    }
    for (const { id, written } of watched) {
      if (written) latest.set(id, written.type === "put" ? written.value : undefined);
    }
    return use(latest);
  }

  /** A single row, as each visit may ask for, goes with those that others ask for. */
  async #read(rows: readonly NamedKey[]): Promise<readonly (Uint8Array | undefined)[]> {
    const [first, ...others] = rows;
    if (first !== undefined && others.length === 0) return [await this.#store.get(first.key)];
    return this.#store.getMany(rows.map(({ key }) => key));
  }

  /** Whether an entry of the queue is behind its URL's record. */
  async isOutdated({ id, entry }: QueuedUrl, record: Uint8Array): Promise<boolean> {
    const sequence = sequenceOfQueueKey(keyOf(id));
    if (!this.#parts.mixed.has(positionOfKey(record), sequence)) return false;
    const named = nameKey(record);
    return this.#withLatest([named], new Set(), (current) =>
      isOutdated(entry, current.get(named.id)),
    );
  }

  /**
   * A row, with what has to be known of it; nothing for one that changes nothing here. A row of a queue says of its URLs that
   * they are queued: their records may come later, or never.
   */
  #incoming(row: Row): Incoming[] {
    const tag = territorialTagOf(row.key);
    if (tag === undefined) return [];
    const isHeld = this.#parts.territory.holds(positionOfKey(row.key));
    // What is held here is not deleted on another's word: what is queued is dropped when its turn comes.
    if (isHeld && row.value === undefined) return [];
    if (tag === "waiting" && row.value && !isWaitingRow(row.key, row.value)) return [];
    const { key } = row;
    // Nor are its URLs queued then: with records and no place in a queue, nobody would ever fetch them.
    if (tag === "queue" && row.value && !this.#parts.sequence.observe(sequenceOfQueueKey(key)))
      return [];
    const one: Incoming = { key, id: idOf(key), row, tag, isHeld };
    if (!isHeld) return [one];
    if (tag === "url") return [{ ...one, opposite: nameKey(retag(key, "exclusion")) }];
    if (tag === "exclusion") return [{ ...one, opposite: nameKey(retag(key, "url")) }];
    if (tag !== "queue") return [one];
    const job = this.#parts.jobs.bySpace(jobSpaceOfQueueKey(row.key));
    const queued = row.value && readQueued(row.key, row.value);
    if (!queued) return [];
    if (!job) return [{ ...one, queued: { ...queued, job, records: [] } }];
    const records = recordKeysOf(queued.bundle, job).map(nameKey);
    const { bundle } = queued;
    const queuedRows = records
      .filter((_, place) => isQueued(bundle, place))
      .flatMap((record) =>
        this.#incoming({ key: record.key, value: queuedRecord(bundle.attempts) }),
      );
    return [{ ...one, queued: { ...queued, job, records } }, ...queuedRows];
  }

  /** From here on nothing waits: what is merged is what is written. */
  #append(
    incoming: readonly Incoming[],
    behindMs: Millis,
    overlaps: CountedOverlaps,
    current: Map<string, Uint8Array | undefined>,
  ): { changed: number; durable: Promise<void> } {
    const ops: StoreOp[] = [];
    const logged: SieveKey[] = [];
    const arrivals: Arrival[] = [];
    const parcels: Parcel[] = [];
    const heard: HostRecord[] = [];
    for (const one of incoming) {
      const { id, row, tag, isHeld, opposite } = one;
      if (row.value === undefined) {
        ops.push({ type: "del", key: row.key });
        current.set(id, undefined);
        continue;
      }
      const known = current.get(id);
      if (tag === "queue") {
        arrivals.push(...this.#queue(one, current, ops));
        continue;
      }
      // What is timed by clocks moves with each message: two holders of an arc would send it to and fro for ever.
      if (isHeld && tag === "robots" && known !== undefined) continue;
      if (isHeld && tag === "host") {
        const heeded = heedHostRow(known, row.value, behindMs);
        if (!heeded) continue;
        ops.push({ type: "put", key: row.key, value: heeded.value });
        current.set(id, heeded.value);
        heard.push(heeded.record);
        continue;
      }
      const merged = followRow(tag, known, row.value, behindMs);
      // Only now: a URL of which nothing is kept must not be taken for known when it is found.
      if (!merged) continue;
      if (tag === "url" || tag === "exclusion") this.#sift(row.key, known, logged);
      const other = opposite && current.get(opposite.id);
      if (other && tag === "exclusion") {
        // Copies of it go the same way. The holder that kept the URL out counts that back when the record comes there.
        ops.push({ type: "del", key: row.key });
        continue;
      }
      const fetched = { id, value: row.value, changed: merged.changed };
      if (merged.overlap && this.#overlaps.counts(known, fetched, isHeld && overlaps))
        this.#countOverlap(row.key);
      if (!merged.changed) continue;
      ops.push({ type: "put", key: row.key, value: merged.value });
      if (opposite && other) {
        ops.push({ type: "del", key: opposite.key });
        current.set(opposite.id, undefined);
        this.#countLetIn(opposite.key, ExclusionRecord.decode(other).reason);
      }
      if (isHeld && tag === "url" && known) this.#countLetIn(row.key, keptOutFor(known));
      // A message may speak of one row twice: of its change, and as a part of a copy.
      current.set(id, merged.value);
      if (tag === "url") this.visited.merged(id, merged.value);
      if (!isHeld) continue;
      if (tag === "url" || tag === "exclusion") this.merged.add(id);
      this.#parts.mixed.merged(positionOfKey(row.key));
      if (known === undefined && tag === "outbox") {
        parcels.push(...this.#parcelsOf(row.key, merged.value));
      }
    }
    if (ops.length === 0) return { changed: 0, durable: this.#parts.journal.flushed() };
    ops.push(...this.#parts.sieve.log(logged));
    const durable = this.#parts.journal.append(ops);
    for (const parcel of parcels) this.#parts.send(parcel);
    for (const { host, row } of arrivals) this.#parts.frontier.arrived(host, row);
    for (const record of heard) this.#parts.frontier.heed(record, durable);
    this.#metrics.count("replica_rows_total", incoming.length);
    return { changed: ops.length, durable };
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

  /** Takes in a row of a queue; tells what it brings to one that is held here. */
  #queue(
    { id, row: { key, value }, isHeld, queued }: Incoming,
    current: Map<string, Uint8Array | undefined>,
    ops: StoreOp[],
  ): readonly Arrival[] {
    if (value === undefined) return [];
    // A copy is kept as it comes: who takes it over looks at it.
    if (!isHeld && value.length <= rowBytesMax) ops.push({ type: "put", key, value });
    if (!queued || current.get(id) !== undefined) return [];
    const { job, host } = queued;
    const bundle = leftOf(queued, current);
    const count = queuedIn(bundle);
    if (count === 0) {
      // Copies of it go the same way: each comparison would bring it anew.
      ops.push({ type: "del", key });
      return [];
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
    if (job?.definition.state === "cancelled") return [];
    const name = new TextEncoder().encode(host);
    ops.push({ type: "put", key: waitingKeyOf(key), value: name });
    return job ? [{ host, row: { key, value: left, job: job.definition.id } }] : [];
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

/** What a row brings to a queue that is held here: no URL whose record is further, as that one was taken out of it here. */
function leftOf(
  { bundle, records }: Queued,
  current: ReadonlyMap<string, Uint8Array | undefined>,
): QueueBundle {
  return withoutOutdated(
    bundle,
    records.map(({ id }) => current.get(id)),
  );
}
