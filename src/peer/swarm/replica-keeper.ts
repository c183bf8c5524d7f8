import { jobSpaceOfQueueKey, readUrlKey, territorialTagOf } from "../../core/record/keys.ts";
import type { Row } from "../../core/messages/rows.ts";
import type { TerritorialTag } from "../../core/record/keys.ts";
import { HostRecord, QueueEntry } from "../../core/record/record.pb.ts";
import { mergeRow } from "../../core/replication/merge-row.ts";
import { shiftRow } from "../../core/replication/shift-row.ts";
import { positionOfKey } from "../../core/ring/ring-position.ts";
import type { CanonicalUrl, HostName, Millis, SiteName } from "../../core/units.ts";
import { hostOf, siteOfHost } from "../../core/url/site-of.ts";
import type { Metrics } from "../../ports/metrics.ts";
import type { Store, StoreOp } from "../../ports/store.ts";
import type { Frontier } from "../frontier.ts";
import type { Job, JobRegistry } from "../job-registry.ts";
import type { Journal } from "../journal.ts";
import { exclusionSpace } from "../sieve-keeper.ts";
import type { SieveKey, SieveKeeper } from "../sieve-keeper.ts";
import { idOf, RowWatch } from "./row-watch.ts";
import type { Territory } from "./territory.ts";

interface Incoming {
  readonly row: Row;
  readonly tag: TerritorialTag;
  readonly isHeld: boolean;
}

/** A queue entry that has come from elsewhere into an arc that is crawled here. */
interface Arrival {
  readonly key: Uint8Array;
  readonly entry: QueueEntry;
  readonly job: Job;
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
  readonly #store: Store;
  readonly #metrics: Metrics;
  readonly #parts: {
    readonly frontier: Frontier;
    readonly jobs: JobRegistry;
    readonly journal: Journal;
    readonly sieve: SieveKeeper;
    readonly territory: Territory;
  };
  readonly #watch = new RowWatch();
  readonly #onFailure: (error: unknown) => void;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    ports: { readonly store: Store; readonly metrics: Metrics },
    parts: {
      readonly frontier: Frontier;
      readonly jobs: JobRegistry;
      readonly journal: Journal;
      readonly sieve: SieveKeeper;
      readonly territory: Territory;
    },
    onFailure: (error: unknown) => void,
  ) {
    this.#store = ports.store;
    this.#metrics = ports.metrics;
    this.#parts = parts;
    this.#onFailure = onFailure;
    parts.journal.observe((ops) => this.#watch.observe(ops));
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
  async take(rows: readonly Row[], behindMs: Millis): Promise<number> {
    const { changed, durable } = await this.alone(() => this.#merge(rows, behindMs));
    await durable;
    return changed;
  }

  async #merge(
    rows: readonly Row[],
    behindMs: Millis,
  ): Promise<{ changed: number; durable: Promise<void> }> {
    const incoming = rows.flatMap((row): Incoming[] => {
      const tag = territorialTagOf(row.key);
      if (tag === undefined) return [];
      const isHeld = this.#parts.territory.holds(positionOfKey(row.key));
      // What is held here is not deleted on another's word: what is queued is dropped when its turn comes.
      return isHeld && row.value === undefined ? [] : [{ row, tag, isHeld }];
    });
    const watched = this.#watch.watch(incoming.map(({ row }) => row.key));
    try {
      const current = await this.#store.getMany(incoming.map(({ row }) => row.key));
      return this.#append(incoming, behindMs, (at) => {
        const written = watched[at]?.written;
        return written ? written.value : current[at];
      });
    } finally {
      this.#watch.unwatch(watched);
    }
  }

  /** From here on nothing waits: what is merged is what is written. */
  #append(
    incoming: readonly Incoming[],
    behindMs: Millis,
    currentAt: (at: number) => Uint8Array | undefined,
  ): { changed: number; durable: Promise<void> } {
    const ops: StoreOp[] = [];
    const logged: SieveKey[] = [];
    const arrivals: Arrival[] = [];
    // A message may speak of one row twice: of its change, and as a part of a copy.
    const latest = new Map<string, Uint8Array | undefined>();
    incoming.forEach(({ row, tag, isHeld }, at) => {
      const id = idOf(row.key);
      const current = latest.has(id) ? latest.get(id) : currentAt(at);
      if (row.value === undefined) {
        if (current !== undefined) ops.push({ type: "del", key: row.key });
        latest.set(id, undefined);
        return;
      }
      if (tag === "url" || tag === "exclusion") this.#sift(row.key, tag, current, logged);
      // Of clocks the holder's word stands; only where both hold the arc the more careful one does.
      const known = tag === "host" && !isHeld ? undefined : current;
      const merged = mergeRow(tag, known, shiftRow(tag, row.value, behindMs));
      if (!merged) return;
      if (merged.overlap) this.#countOverlap(row.key);
      if (!merged.changed) return;
      ops.push({ type: "put", key: row.key, value: merged.value });
      latest.set(id, merged.value);
      if (isHeld) this.#notice(tag, row.key, merged.value, current, arrivals);
    });
    if (ops.length === 0) return { changed: 0, durable: this.#parts.journal.flushed() };
    ops.push(...this.#parts.sieve.log(logged));
    const durable = this.#parts.journal.append(ops);
    this.#arrive(arrivals).catch(this.#onFailure);
    this.#metrics.count("replica_rows_total", incoming.length);
    return { changed: ops.length, durable };
  }

  #sift(
    key: Uint8Array,
    tag: "url" | "exclusion",
    current: Uint8Array | undefined,
    logged: SieveKey[],
  ): void {
    const { words, space: jobSpace } = readUrlKey(key);
    const space = tag === "url" ? jobSpace : exclusionSpace(jobSpace);
    const { sieve } = this.#parts.sieve;
    if (sieve.offer(space, words, 0) === "ask") sieve.settle(space, words, 0, true);
    if (current === undefined) logged.push({ space, words, at: 0 });
  }

  /** What a row of a held arc means for what is in memory. */
  #notice(
    tag: TerritorialTag,
    key: Uint8Array,
    value: Uint8Array,
    current: Uint8Array | undefined,
    arrivals: Arrival[],
  ): void {
    if (tag === "queue" && current === undefined) {
      const job = this.#parts.jobs.bySpace(jobSpaceOfQueueKey(key));
      if (!job) return;
      job.counter.add("queued");
      arrivals.push({ job, key, entry: QueueEntry.decode(value) });
    } else if (tag === "host") {
      const { host, nextFetchAtMs } = HostRecord.decode(value);
      this.#parts.frontier.hostNamed(host as HostName)?.visit.gate.opened(nextFetchAtMs, 0);
    }
  }

  /** The same URL was fetched on both sides of a partition, or by a member that was taken for dead. */
  #countOverlap(key: Uint8Array): void {
    const { space } = readUrlKey(key);
    this.#parts.jobs.bySpace(space)?.counter.add("overlapFetches");
  }

  async #arrive(arrivals: readonly Arrival[]): Promise<void> {
    if (arrivals.length === 0) return;
    const names = new Map<HostName, SiteName>();
    for (const { entry } of arrivals) {
      const name = hostOf(entry.url as CanonicalUrl);
      names.set(name, siteOfHost(name));
    }
    const hosts = await this.#parts.frontier.hostsFor(names);
    for (const { job, key, entry } of arrivals) {
      const host = hosts.get(hostOf(entry.url as CanonicalUrl));
      if (host) this.#parts.frontier.added(host, { key, job: job.definition.id, entry });
    }
  }
}
