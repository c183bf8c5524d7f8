import { isTerritorial } from "../../../core/record/key-tags.ts";
import { ArcSet } from "../../../core/ring/arc-set.ts";
import type { Row } from "../../../core/messages/rows.ts";
import type { RingPosition } from "../../../core/ring/ring-position.ts";
import { positionOfKey } from "../../../core/ring/ring-position.ts";
import type { MemberId, Millis } from "../../../core/units.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Logger } from "../../../ports/logger.ts";
import type { StoreOp } from "../../../ports/store.ts";
import { Pulse } from "../../pulse.ts";
import { CopyWaiters, type Written } from "./copy-waiters.ts";
import { ReplicaStream } from "./replica-stream.ts";
import type { ReplicaStreamOptions } from "./replica-stream.ts";
import type { PeerCalls } from "../peer-calls.ts";
import type { SwarmView } from "../members/swarm-view.ts";
import type { Territory } from "../ownership/territory.ts";
import { UnsureSites } from "./unsure-sites.ts";

export interface ReplicatorOptions {
  /** Members that hold everything of an arc, its holder included. @default 2 */
  readonly replicas: number;
  /** Rows on their way to one replica, at which the peer takes up no more work. @default 20_000 */
  readonly queuedRowsMax: number;
}

/** Changes that become durable together. */
interface Commit {
  readonly durable: Promise<void>;
  /** The last unit of it so far. */
  sequence: number;
}

/**
 * Sends every change of what this peer holds to the members that must have a copy.
 *
 * It reads along with the journal: what one append writes for one arc goes to each of the arc's replicas as one unit, when
 * it is durable here. A replica that knew of a page's end first would keep it where this peer ends before the page is in
 * its archive: it would count as fetched, and nobody would have it.
 * A page's end, the links that it led to and the ones in the outbox belong to one site, so they go together; a link to
 * another site goes through the outbox even where this peer holds both.
 */
export class Replicator {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #calls: Pick<PeerCalls, "rows">;
  readonly #view: SwarmView;
  readonly #territory: Territory;
  readonly #options: ReplicatorOptions;
  readonly #streamOptions: ReplicaStreamOptions;
  readonly #streams = new Map<MemberId, ReplicaStream>();
  /** Streams that were full when something was last pushed: few or none, while `full` is asked for all the time. */
  readonly #crowded = new Set<ReplicaStream>();
  /** By which the needs were set: a member that was gone for a moment meanwhile needs all that it would have needed. */
  #rings: Pick<SwarmView, "ring" | "futureRing">;
  /** What each member needs, and what was held when that was set. */
  #needs: ReadonlyMap<MemberId, ArcSet> = new Map();
  #heldThen = ArcSet.empty;
  /** Complete copies of members that need none any more, kept up to date until those who need one have theirs. */
  #standIns: ReadonlyMap<ReplicaStream, ArcSet> = new Map();
  /** Of what was written there before, who has only what came since may miss something. */
  readonly #unsure = new UnsureSites();
  readonly #onProgress: () => void;
  readonly #waiters: CopyWaiters;
  #sequence = 0;
  #commit: Commit | undefined;
  #durableUpTo = 0;
  readonly #pulse = new Pulse();

  constructor(
    ports: {
      readonly clock: Clock;
      readonly logger: Logger;
      readonly calls: Pick<PeerCalls, "rows">;
    },
    parts: { readonly view: SwarmView; readonly territory: Territory },
    options: { readonly replicator: ReplicatorOptions; readonly stream: ReplicaStreamOptions },
    /** Called when a replica has taken something in. */
    onProgress: () => void,
  ) {
    this.#clock = ports.clock;
    this.#logger = ports.logger;
    this.#calls = ports.calls;
    this.#view = parts.view;
    this.#rings = parts.view;
    this.#territory = parts.territory;
    this.#options = options.replicator;
    this.#streamOptions = options.stream;
    this.#onProgress = onProgress;
    this.#waiters = new CopyWaiters(ports.clock, (written) => this.#isReplicated(written));
  }

  /** True while as much is on its way to a replica as may be. */
  get full(): boolean {
    for (const stream of this.#crowded) {
      if (stream.queuedRows >= this.#options.queuedRowsMax) return true;
      this.#crowded.delete(stream);
    }
    return false;
  }

  /** Rows on their way. */
  get queuedRows(): number {
    let rows = 0;
    for (const stream of this.#streams.values()) rows += stream.queuedRows;
    return rows;
  }

  /** Whether all that was written up to the unit `sequence` is durable at those to whom it goes. */
  hasSent(sequence: number): boolean {
    return [...this.#streams.values()].every((stream) => stream.hasAll(sequence));
  }

  /** Units of the journal so far. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Whether copies are kept up to date for want of those that are to replace them. */
  get hasStandIns(): boolean {
    return this.#standIns.size > 0;
  }

  /** Whether a member that was put off takes something again, and needs a new stream; see {@link setNeeds}. */
  get hasReturned(): boolean {
    return [...this.#streams.values()].some(({ isBack }) => isBack);
  }

  /** Arcs that are held here and that some member needs a copy of and has no complete one; perhaps, where they have just been taken. */
  get uncopied(): ArcSet {
    const { held } = this.#territory;
    return held.subtract(this.#heldThen).union(this.#incomplete()).intersect(held);
  }

  stream(member: MemberId): ReplicaStream | undefined {
    return this.#streams.get(member);
  }

  /** Members that need a copy of what this peer holds at `position`, now or when all that join have joined. */
  #targetsOf(position: RingPosition): readonly MemberId[] {
    const { ring, futureRing } = this.#rings;
    const now = ring.preferenceOf(position, this.#options.replicas);
    if (ring === futureRing) return now;
    return [...new Set([...now, ...futureRing.preferenceOf(position, this.#options.replicas)])];
  }

  /** Called by the journal with each atomic change, and what tells when it is durable: the same for all of one commit. */
  observe(ops: readonly StoreOp[], durable: Promise<void>): void {
    if (this.#streams.size === 0 && this.#view.others.length === 0) return;
    this.#sequence += 1;
    this.#belongsTo(durable);
    const units = new Map<ReplicaStream, Row[]>();
    let lastPosition = -1;
    let targets: ReplicaStream[] = [];
    for (const op of ops) {
      if (!isTerritorial(op.key)) continue;
      const position = positionOfKey(op.key);
      if (position !== lastPosition) {
        lastPosition = position;
        targets = this.#territory.holds(position) ? this.#liveAt(position) : [];
      }
      if (targets.length === 0) continue;
      const row: Row = op.type === "put" ? { key: op.key, value: op.value } : { key: op.key };
      for (const stream of targets) {
        const rows = units.get(stream);
        if (rows) rows.push(row);
        else units.set(stream, [row]);
      }
    }
    for (const [stream, rows] of units) this.#push(stream, rows);
  }

  /**
   * Sets which arcs each member must have a copy of, as the rings of this moment tell. Streams to members that need
   * nothing, have been started anew, or are back after they were put off, end; an arc that is new to a member has to be
   * copied, behind the changes that are sent from now on. A complete copy that is needed no more goes on while another one
   * that is needed instead is not complete: what was written meanwhile would be at this peer and in parts of copies only,
   * and nobody asks for parts when this peer is lost. Returns the arcs of which a member's copy is kept up to date no more.
   */
  setNeeds(needs: ReadonlyMap<MemberId, ArcSet>): ReadonlyMap<MemberId, ArcSet> {
    this.#settle();
    const { ring, futureRing } = this.#view;
    this.#rings = { ring, futureRing };
    this.#needs = needs;
    this.#heldThen = this.#territory.held;
    const incomplete = this.#incomplete();
    const standIns = new Map<ReplicaStream, ArcSet>();
    this.#standIns = standIns;
    const dropped = new Map<MemberId, ArcSet>();
    const ended: ReplicaStream[] = [];
    for (const [member, stream] of this.#streams) {
      const isRunning = this.#view.isRunning(member, stream.generation) && !stream.isBack;
      const needed = needs.get(member) ?? ArcSet.empty;
      const spare = stream.synced.intersect(incomplete).subtract(needed);
      const arcs = isRunning ? needed.union(spare) : ArcSet.empty;
      dropped.set(member, stream.live.subtract(arcs));
      for (const position of stream.underWayOutside(arcs)) this.#unsure.add(position);
      if (!arcs.isEmpty) {
        stream.keepOnly(arcs);
        if (!spare.isEmpty) standIns.set(stream, spare);
      } else {
        this.#streams.delete(member);
        ended.push(stream);
      }
    }
    for (const [member, arcs] of needs) {
      const generation = this.#view.generationOf(member);
      if (arcs.isEmpty || generation === undefined) continue;
      const stream = this.#streams.get(member) ?? this.#newStream(member, generation);
      this.#streams.set(member, stream);
      stream.goLive(arcs, this.#sequence);
    }
    // Only now: the end of a stream has everybody look who waits for copies, and all that must have one are known by now.
    for (const stream of ended) stream.end();
    this.#look();
    return dropped;
  }

  /** Copies of these arcs count as complete no more, until they have been compared once more. */
  copyAnew(arcs: ArcSet): void {
    for (const stream of this.#streams.values()) stream.doubt(arcs);
  }

  /**
   * Sends rows of a copy, behind the changes so far; resolves when there is room for more, at the latest when what was sent
   * before has been taken, as a crawl that is faster than the replica leaves no room, or the member is put off.
   */
  async copy(stream: ReplicaStream, rows: readonly Row[], signal: AbortSignal): Promise<void> {
    const before = stream.pushedUnits;
    this.#push(stream, rows);
    const lowRows = this.#options.queuedRowsMax / 4;
    await this.#pulse.until(
      () =>
        signal.aborted || stream.isPutOff || stream.queuedRows < lowRows || stream.hasTaken(before),
    );
  }

  /** Resolves when less is on its way to each replica than may be. */
  async room(signal: AbortSignal): Promise<void> {
    await this.#pulse.until(() => signal.aborted || !this.full);
  }

  /** Resolves when everything pushed to the stream before the call is durable there, or the stream is of no use any more. */
  async drained(stream: ReplicaStream, signal: AbortSignal): Promise<void> {
    // A crawl that goes on leaves the stream never empty.
    const units = stream.pushedUnits;
    await this.#pulse.until(
      () =>
        signal.aborted ||
        stream.isPutOff ||
        stream.hasTaken(units) ||
        this.#streams.get(stream.member) !== stream,
    );
  }

  /**
   * Resolves with true when what was written for these positions before the call is durable at all members that must have
   * a copy; with false when that has not come about within `withinMs`, or has become meaningless.
   */
  replicated(positions: readonly RingPosition[], withinMs: Millis): Promise<boolean> {
    return this.#waiters.wait({ positions, sequence: this.#sequence }, withinMs);
  }

  /**
   * Of these positions those of which that has come about, at the latest when so much time is over. There may be thousands: all
   * wait as one, as each progress is looked at for whoever waits.
   */
  async replicatedOf(
    positions: Iterable<RingPosition>,
    withinMs: Millis,
  ): Promise<ReadonlySet<RingPosition>> {
    const all = [...positions];
    const sequence = this.#sequence;
    if (await this.replicated(all, withinMs)) return new Set(all);
    return new Set(all.filter((one) => this.#isReplicated({ positions: [one], sequence })));
  }

  /** Resolves when nothing is on its way any more, or at that time. */
  async emptied(byMs: Millis): Promise<void> {
    const leftMs = byMs - this.#clock.nowMs();
    const cancel = this.#clock.call(leftMs, () => this.#pulse.fire());
    await this.#pulse.until(() => this.queuedRows === 0 || this.#clock.nowMs() >= byMs);
    cancel();
    const { queuedRows } = this;
    if (queuedRows > 0) this.#logger.warn("stopped-before-replicas", { rows: queuedRows });
  }

  stop(): void {
    const streams = [...this.#streams.values()];
    this.#streams.clear();
    // Before the ends of the streams, behind which nothing is on its way any more.
    this.#waiters.giveUp();
    for (const stream of streams) stream.end();
    this.#pulse.fire();
  }

  /** Counts the latest unit to the commit that makes it durable. */
  #belongsTo(durable: Promise<void>): void {
    if (this.#commit?.durable === durable) {
      this.#commit.sequence = this.#sequence;
      return;
    }
    const commit: Commit = { durable, sequence: this.#sequence };
    this.#commit = commit;
    durable.then(
      () => {
        this.#durableUpTo = commit.sequence;
        for (const stream of this.#streams.values()) stream.release(commit.sequence);
      },
      // The journal has reported the failure: what was written since will never be anywhere, and nobody is told of it.
      () => this.stop(),
    );
  }

  /** Something has changed by which a waiter may be content. */
  #look(): void {
    this.#waiters.look();
    this.#pulse.fire();
    this.#onProgress();
  }

  #isReplicated({ positions, sequence }: Written): boolean {
    const { ring, self } = this.#view;
    return positions.every((position) => {
      for (const [stream, arcs] of this.#standIns) {
        if (arcs.contains(position) && !stream.has(position, sequence)) return false;
      }
      const isUnsure = this.#unsure.has(position);
      return ring.preferenceOf(position, this.#options.replicas).every((member) => {
        if (member === self) return true;
        const stream = this.#streams.get(member);
        if (!stream?.has(position, sequence)) return false;
        return !isUnsure || stream.synced.contains(position);
      });
    });
  }

  #push(stream: ReplicaStream, rows: readonly Row[]): void {
    stream.push(this.#sequence, rows);
    if (stream.queuedRows >= this.#options.queuedRowsMax) this.#crowded.add(stream);
  }

  #liveAt(position: RingPosition): ReplicaStream[] {
    const streams: ReplicaStream[] = [];
    for (const member of this.#targetsOf(position)) {
      if (member === this.#view.self) continue;
      const stream = this.#streams.get(member);
      if (stream && !stream.isPutOff && stream.live.contains(position)) streams.push(stream);
      else this.#unsure.add(position);
    }
    for (const [stream, arcs] of this.#standIns) if (arcs.contains(position)) streams.push(stream);
    return streams;
  }

  /** Of what every member that needs a copy had a complete one of, nothing is unsure any more. */
  #settle(): void {
    if (this.#unsure.isEmpty) return;
    this.#unsure.keepOnly(this.uncopied);
  }

  /** Arcs of which a member that needs a copy has no complete one. */
  #incomplete(): ArcSet {
    const incomplete = [...this.#needs].map(([member, needed]) => {
      const stream = this.#streams.get(member);
      const isRunning = stream && this.#view.isRunning(member, stream.generation);
      return isRunning ? needed.subtract(stream.synced) : needed;
    });
    return ArcSet.unionOf(incomplete);
  }

  #newStream(member: MemberId, generation: number): ReplicaStream {
    const stream = new ReplicaStream(
      { member, generation },
      this.#clock,
      (rows) => this.#calls.rows(member, rows),
      this.#streamOptions,
      () => this.#look(),
    );
    stream.release(this.#durableUpTo);
    return stream;
  }
}
