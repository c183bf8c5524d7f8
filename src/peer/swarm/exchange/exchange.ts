import { idOf } from "../../../core/record/id-of.ts";
import { positionOfKey } from "../../../core/ring/ring-position.ts";
import type { RingPosition } from "../../../core/ring/ring-position.ts";
import type { ArcSet } from "../../../core/ring/arc-set.ts";
import { OutboxEntry } from "../../../core/record/record.pb.ts";
import { FingerprintCache } from "../../../core/sieve/fingerprint-cache.ts";
import type { MemberId, Millis } from "../../../core/units.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Logger } from "../../../ports/logger.ts";
import type { Metrics } from "../../../ports/metrics.ts";
import type { Store, StoreOp } from "../../../ports/store.ts";
import type { Journal } from "../../durability/journal.ts";
import type { JobRegistry } from "../../jobs/job-registry.ts";
import { sieveKeyOfRow } from "../../admission/sieve-keeper.ts";
import type { SieveKey } from "../../admission/sieve-log.ts";
import type { FinalResult, LaneOptions } from "./forward-lane.ts";
import { ForwardLanes } from "./forward-lanes.ts";
import { LeftRows } from "./left-rows.ts";
import { OutboxSweep } from "./outbox-sweep.ts";
import { parcelId, parcelOfRow } from "./parcel.ts";
import { Parcels } from "./parcels.ts";
import type { Acknowledged, Parcel, Delivery } from "./parcel.ts";
import { scanArcs } from "../replication/scan-arcs.ts";
import type { SwarmView } from "../members/swarm-view.ts";
import type { Territory } from "../ownership/territory.ts";

export interface ExchangeOptions {
  /** URLs on their way to their owners, at which the peer takes up no more work; some 500 bytes each. @default 50_000 */
  readonly pendingMax: number;
  /**
   * URLs on their way at which rows of the outbox that come in from others stay on disk until there is room; as many again of
   * jobs that are unknown here, which wait for their definitions. @default 200_000
   */
  readonly rowsMax: number;
  /** URLs remembered as delivered, a power of two: a link that is found again costs nothing then. 96 bytes each. @default 65_536 */
  readonly sentCacheCapacity: number;
  readonly lane: LaneOptions;
}

/** Rows of the outbox that one URL takes with it; others of it stay on disk until it has arrived. */
const keysMax = 64;

/** How often is looked whether there is room for rows that were left on disk. */
const readOnMs: Millis = 5_000;

/** How often rows are read that were put off, though none of their ways is known to be open again: not all were tried. */
const putOffReadMs: Millis = 300_000;

/** Characters of a rejected URL in the log, at most. */
const loggedUnitsMax = 200;

/**
 * The outbox: discovered URLs on their way to the members that hold their sites, this one included.
 *
 * A link to another site becomes a row of the outbox in its page's own batch. The row belongs to the arc of the page's
 * site: it is replicated and passed on with it, so whoever holds that arc sends it. It is deleted some time after the URL
 * became durable at its owner and at its owner's replicas.
 *
 * An owner may run, or who keeps its copies, and take nothing for ever. Lest all that may wait waits for it, and the peer takes
 * up no work any more, its way is put off ({@link ForwardLanes}): of what has a row the latest alone is kept and sent now and
 * then, and the rest stays on disk until something arrives.
 *
 * Invariant: a URL counts as sent only after its acknowledgement.
 */
export class Exchange {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #metrics: Metrics;
  readonly #store: Store;
  readonly #journal: Journal;
  readonly #view: SwarmView;
  readonly #territory: Territory;
  readonly #options: ExchangeOptions & { readonly replicas: number };
  readonly #deliver: (to: MemberId, parcels: readonly Parcel[]) => Promise<Delivery>;
  readonly #jobs: Pick<JobRegistry, "all" | "bySpace">;
  readonly #wake: () => void;
  readonly #parcels = new Parcels();
  readonly #lanes: ForwardLanes;
  readonly #sent: FingerprintCache;
  readonly #sweep: OutboxSweep;
  #left = this.#newLeft();
  /** Those that are being read. */
  #reading: LeftRows | undefined;
  #isReadingOn = false;
  #putOffReadAtMs: Millis = 0;
  readonly #stop = new AbortController();
  readonly #onFailure: (error: unknown) => void;

  constructor(
    ports: {
      readonly clock: Clock;
      readonly logger: Logger;
      readonly metrics: Metrics;
      readonly store: Store;
    },
    parts: {
      readonly journal: Journal;
      readonly view: SwarmView;
      readonly territory: Territory;
      readonly deliver: (to: MemberId, parcels: readonly Parcel[]) => Promise<Delivery>;
      readonly jobs: Pick<JobRegistry, "all" | "bySpace">;
      /** Called when there is room again, though nothing has arrived. */
      readonly wake: () => void;
    },
    options: ExchangeOptions & { readonly replicas: number },
    onFailure: (error: unknown) => void,
  ) {
    this.#clock = ports.clock;
    this.#logger = ports.logger;
    this.#metrics = ports.metrics;
    this.#store = ports.store;
    this.#journal = parts.journal;
    this.#view = parts.view;
    this.#territory = parts.territory;
    this.#deliver = parts.deliver;
    this.#jobs = parts.jobs;
    this.#wake = parts.wake;
    this.#options = options;
    this.#onFailure = onFailure;
    this.#sent = new FingerprintCache(options.sentCacheCapacity);
    const deleteRows = (keys: readonly Uint8Array[]): void => this.#deleteRows(keys);
    this.#sweep = new OutboxSweep(ports.clock, this.#stop.signal, deleteRows, onFailure);
    this.#lanes = new ForwardLanes(
      ports.clock,
      parts,
      {
        deliver: (to, parcels) => this.#deliverTo(to, parcels),
        acknowledged: (parcel, result) => this.#acknowledge(parcel, result),
        opened: () => this.reroute(),
        putOff: (parcel) => this.#putOff(parcel),
        mayBeLeft: (parcel) => this.#mayBeLeft(parcel),
        isWanted: (parcel) => this.#parcels.get(parcelId(parcel.rowKey)) === parcel,
      },
      options,
      this.#stop.signal,
      onFailure,
    );
  }

  /** URLs of jobs that are unknown here wait for their definition, and keep nobody from others'. */
  get full(): boolean {
    const { pendingMax } = this.#options;
    if (this.#parcels.size < pendingMax) return false;
    return this.#parcels.sizeOf((space) => !this.#isUnheard(space)) >= pendingMax;
  }

  get pending(): number {
    return this.#parcels.size;
  }

  /** URLs of a job that have not been acknowledged. */
  pendingOf(space: number): number {
    const isUnheard = this.#isUnheard(space);
    const areLeft = [this.#left, this.#reading].some((left) => left?.mayHave(space, isUnheard));
    return this.#parcels.of(space) + Number(areLeft);
  }

  /** Whether a link found on a page of `source` goes through the outbox. */
  takes(source: RingPosition | undefined, position: RingPosition): boolean {
    if (!this.#territory.holds(position)) return true;
    return source !== undefined && source !== position && this.#view.others.length > 0;
  }

  /**
   * Whether a URL, or an exclusion, is on its way already, or has lately been acknowledged. A seed that waits for its owner
   * does not count: it is gone when its sender gives it up, or dies.
   */
  knows(rowKey: Uint8Array, { space, words, at }: SieveKey): boolean {
    if (this.#sent.has(space, words, at)) return true;
    const parcel = this.#parcels.get(parcelId(rowKey));
    return parcel !== undefined && parcel.outboxKeys.length > 0;
  }

  /** Sends a parcel whose outbox row, if it has one, is in the journal; later, where there is no room and nobody waits. */
  send(parcel: Parcel): void {
    const id = parcelId(parcel.rowKey);
    const known = this.#parcels.get(id);
    if (known) {
      // What waits for the acknowledgement of the one waits for that of the other, a page's row among it.
      if (known.outboxKeys.length >= keysMax) this.#leave({ ...parcel, hint: known.hint });
      else {
        const own = new Set(known.outboxKeys.map(idOf));
        const others = parcel.outboxKeys.filter((key) => !own.has(idOf(key)));
        if (others.length > 0) known.outboxKeys = [...known.outboxKeys, ...others];
      }
      known.waiters.push(...parcel.waiters);
      return;
    }
    parcel.isUnheard = this.#isUnheard(parcel.space);
    const hasRoom = this.#parcels.sizeWhere(parcel.isUnheard) < this.#options.rowsMax;
    if (!hasRoom && parcel.waiters.length === 0) {
      this.#leave(parcel);
      return;
    }
    this.#parcels.add(id, parcel);
    this.#lanes.place(parcel);
  }

  /** Takes up what the outbox holds of these arcs, which are held from now on. */
  async load(arcs: ArcSet): Promise<void> {
    for await (const { key, value } of scanArcs(this.#store, "outbox", arcs)) {
      const parcel = parcelOfRow(key, OutboxEntry.decode(value), this.#clock.nowMs());
      if (parcel && this.#territory.holds(positionOfKey(key))) this.send(parcel);
    }
  }

  /**
   * Lets go of what the outbox holds of these arcs: another member sends it from now on. What somebody waits for here is sent
   * nevertheless, without its row.
   */
  drop(arcs: ArcSet): void {
    for (const [id, parcel] of this.#parcels) {
      const { waiters, outboxKeys } = parcel;
      const left = outboxKeys.filter((key) => !arcs.contains(positionOfKey(key)));
      if (left.length === outboxKeys.length) continue;
      parcel.outboxKeys = left;
      if (left.length === 0 && waiters.length === 0) this.#parcels.delete(id);
    }
  }

  /** Somebody waits no longer: without a row, and without others that wait, the parcel is withdrawn. */
  withdraw(rowKey: Uint8Array, waiter: Acknowledged): void {
    const id = parcelId(rowKey);
    const parcel = this.#parcels.get(id);
    const at = parcel?.waiters.indexOf(waiter) ?? -1;
    if (!parcel || at === -1) return;
    parcel.waiters.splice(at, 1);
    if (parcel.waiters.length === 0 && parcel.outboxKeys.length === 0) this.#parcels.delete(id);
  }

  /** The ring, the holdings or the ways have changed: everything is sent where it belongs now. */
  reroute(): void {
    this.#putOffReadAtMs = 0;
    this.#lanes.reroute();
  }

  /** Deletes the rows of all that has been acknowledged. */
  sweep(): void {
    this.#sweep.now();
  }

  stop(): void {
    this.#stop.abort();
    this.#lanes.stop();
  }

  #newLeft(): LeftRows {
    return new LeftRows(() => this.#jobs.all().map(({ space }) => space));
  }

  #isUnheard(space: number): boolean {
    return this.#jobs.bySpace(space) === undefined;
  }

  /** The parcel's row stays on disk alone, until there is room, or its way is open again. */
  #leave(parcel: Parcel): void {
    const { outboxKeys, space } = parcel;
    if (outboxKeys.length === 0) return;
    if (this.#mayBeLeft(parcel) && this.#lanes.isPutOff(parcel)) this.#left.addPutOff(space);
    else this.#left.add(space, this.#isUnheard(space));
    if (this.#isReadingOn) return;
    this.#isReadingOn = true;
    this.#readOn().catch(this.#onFailure);
  }

  async #readOn(): Promise<void> {
    const { signal } = this.#stop;
    while (!this.#left.isEmpty && !signal.aborted) {
      await this.#clock.sleep(readOnMs, signal);
      if (this.#mayReadOn()) await this.#readLeft();
    }
    this.#isReadingOn = false;
  }

  #mayReadOn(): boolean {
    const hasRoom = this.#parcels.sizeWhere(false) <= this.#options.rowsMax / 2;
    // Where nothing else is on its way, nothing would tell that one of theirs is open.
    const isDue = this.pending === 0 || this.#clock.nowMs() >= this.#putOffReadAtMs;
    const isWanted =
      (isDue && this.#left.hasPutOff) || this.#left.mayHaveKnown((space) => this.#isUnheard(space));
    return hasRoom && isWanted && !this.#stop.signal.aborted;
  }

  async #readLeft(): Promise<void> {
    this.#reading = this.#left;
    this.#left = this.#newLeft();
    this.#putOffReadAtMs = this.#clock.nowMs() + putOffReadMs;
    this.sweep();
    await this.#journal.flushed();
    await this.load(this.#territory.held);
    this.#reading = undefined;
  }

  #mayBeLeft({ outboxKeys, space, waiters }: Parcel): boolean {
    return outboxKeys.length > 0 && waiters.length === 0 && !this.#isUnheard(space);
  }

  /** Its rows stay on disk alone. */
  #putOff(parcel: Parcel): void {
    const wasFull = this.full;
    this.#parcels.delete(parcelId(parcel.rowKey));
    this.#leave(parcel);
    if (wasFull) this.#wake();
  }

  async #deliverTo(to: MemberId, parcels: readonly Parcel[]): Promise<Delivery> {
    const delivery = await this.#deliver(to, parcels);
    if (delivery.kind === "received" && to !== this.#view.self) {
      this.#metrics.observe("forward_message_urls", parcels.length);
    }
    return delivery;
  }

  #acknowledge(parcel: Parcel, result: FinalResult): void {
    const { rowKey, entry } = parcel;
    if (result === "rejected") {
      const url = entry.url.slice(0, loggedUnitsMax);
      this.#logger.warn("url-rejected", { job: entry.job, url, characters: entry.url.length });
    }
    const id = parcelId(rowKey);
    // It was let go of while it was under way, and its arc came back: another parcel stands for the URL now.
    const successor = this.#parcels.get(id);
    this.#parcels.delete(id);
    const { space, words, at } = sieveKeyOfRow(rowKey);
    this.#sent.testAndAdd(space, words, at);
    this.#metrics.count("forwarded_urls_total");
    const isNew = result === "new";
    this.#end(parcel, isNew);
    if (successor && successor !== parcel)
      this.#end(successor, isNew && parcel.waiters.length === 0);
  }

  #end({ waiters, outboxKeys }: Parcel, isNew: boolean): void {
    this.#sweep.add(outboxKeys);
    for (const [at, acknowledged] of waiters.entries()) acknowledged(isNew && at === 0);
  }

  /** Those of arcs that have passed to another member are that one's to delete. */
  #deleteRows(keys: readonly Uint8Array[]): void {
    const held = keys.filter((key) => this.#territory.holds(positionOfKey(key)));
    if (held.length > 0)
      void this.#journal.append(held.map((key): StoreOp => ({ type: "del", key })));
  }
}
