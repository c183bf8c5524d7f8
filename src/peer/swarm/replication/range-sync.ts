import { compareKeys } from "../../../core/record/compare-keys.ts";
import type { Row } from "../../../core/messages/rows.ts";
import { idOf } from "../../../core/record/id-of.ts";
import { territorialTags } from "../../../core/record/key-tags.ts";
import type { TerritorialTag } from "../../../core/record/key-tags.ts";
import { fingerprintsOf, isFound } from "../../../core/replication/known-rows.ts";
import { ArcSet } from "../../../core/ring/arc-set.ts";
import type { Millis } from "../../../core/units.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Store } from "../../../ports/store.ts";
import type { Journal } from "../../durability/journal.ts";
import { Slots } from "../../slots.ts";
import type { PeerCalls } from "../peer-calls.ts";
import type { ReplicaKeeper } from "./replica-keeper.ts";
import type { ReplicaStream } from "./replica-stream.ts";
import { differingSpans, rangeSections, readChunk, wholeSpan } from "./range-sections.ts";
import type { Chunk, DifferingSpan, Section, Span } from "./range-sections.ts";
import type { Replicator } from "./replicator.ts";

/** Rows whose fingerprints one question holds: the other side reads about as many for its answer. */
const rowsPerQuestion = 2_000;
/** Rows of one answer, and of one part of a copy. */
const rowsPerAnswer = 500;

/**
 * Spans made equal at once. One takes a few turns of messages and commits, mostly to wait for them; and the fewer of all rows
 * have changed, the more spans lie apart.
 */
const spansAtOnce = 8;
const retryMs = 300;

/**
 * Made equal one behind the other. Either side may be lost for good before the end: a record must not be on the other one
 * without its URL's place in the queue, nor a page's end without the links that it led to, as nobody would ever fetch those.
 * And of a URL that was kept out and let in since, the member has its record before it loses the exclusion.
 */
const tagsInTurn: readonly TerritorialTag[] = ["queue", "outbox", "url", "exclusion"];
const tagsAtOnce = territorialTags.filter((tag) => !tagsInTurn.includes(tag));

/** A member that has answered nothing for so long is left for later: others wait for their copies. */
const patienceMs = 60_000;

type SyncCalls = Pick<PeerCalls, "digests" | "pull" | "synced">;

interface RangeSyncParts {
  readonly journal: Pick<Journal, "flushed" | "observe">;
  readonly keeper: Pick<ReplicaKeeper, "take" | "underWay">;
  readonly replicator: Pick<Replicator, "copy" | "drained" | "room" | "sequence" | "stream">;
  /** Tells the member of the jobs that the rows belong to. */
  readonly greet: (stream: ReplicaStream) => Promise<boolean>;
}

/**
 * Makes the copy that another member has of some arcs equal to what is here, exchanging only what differs: the one
 * procedure for a backfill, a member that comes back with its disk, anti-entropy, and a healed partition.
 *
 * Changes have gone into the stream since the copy was wanted. Both sides compare digests of buckets of the rows that are
 * there; where a bucket differs, fingerprints of its rows. Of what differs the other side's rows are merged here first, and
 * then this side's are sent behind the changes. At the end the other member is told that its copy is complete.
 */
export class RangeSync {
  readonly #clock: Clock;
  readonly #store: Pick<Store, "range">;
  readonly #calls: SyncCalls;
  /** Since when members have answered nothing, of all that they are asked at once. */
  readonly #silentSinceMs = new WeakMap<ReplicaStream, Millis>();
  /** Keys written while rows are being read, for each reading. */
  readonly #changes = new Set<Set<string>>();
  readonly #parts: RangeSyncParts;

  constructor(
    ports: {
      readonly clock: Clock;
      readonly store: Pick<Store, "range">;
      readonly calls: SyncCalls;
    },
    parts: RangeSyncParts,
  ) {
    this.#clock = ports.clock;
    this.#store = ports.store;
    this.#calls = ports.calls;
    this.#parts = parts;
    parts.journal.observe((ops) => {
      for (const changed of this.#changes) for (const { key } of ops) changed.add(idOf(key));
    });
  }

  /**
   * Resolves when the member has a complete copy, or is not to have one any more, or does not answer; with the arcs of
   * which it was told that its copy is complete while that came to be kept up to date no more.
   */
  async run(stream: ReplicaStream, arcs: ArcSet, signal: AbortSignal): Promise<ArcSet> {
    const { journal, replicator, greet } = this.#parts;
    const { sequence } = replicator;
    this.#silentSinceMs.delete(stream);
    if (!(await this.#persist(stream, signal, () => greet(stream)))) return ArcSet.empty;
    // What was written before the stream took the arcs up is to be read.
    await journal.flushed();
    // Clocks differ from peer to peer, so there is nothing to compare; hosts are few.
    await this.#push(stream, wholeSpan("host", arcs), signal);
    const reconcile = (tag: TerritorialTag): Promise<boolean> =>
      this.#reconcileTag(stream, tag, arcs, signal);
    const inTurn = async (): Promise<boolean> => {
      for (const tag of tagsInTurn) if (!(await reconcile(tag))) return false;
      return true;
    };
    // Each takes many turns of messages and commits.
    const done = await Promise.all([inTurn(), ...tagsAtOnce.map(reconcile)]);
    if (done.includes(false)) return ArcSet.empty;
    await replicator.drained(stream, signal);
    // Of what was no business of the member for a while, it may have missed changes to what had been read.
    const live = (): ArcSet => stream.liveSince(sequence);
    const complete = arcs.intersect(live());
    if (!(await this.#persist(stream, signal, () => this.#tell(stream, complete)))) return complete;
    stream.synced = stream.synced.union(complete.intersect(live()));
    return complete.subtract(live());
  }

  /** Whether the member knows that its copy is complete, and nothing has come in between to doubt it. */
  async #tell(stream: ReplicaStream, arcs: ArcSet): Promise<boolean> {
    const { doubts } = stream;
    return (await this.#calls.synced(stream.member, arcs)) && stream.doubts === doubts;
  }

  /** False when the copy is not wanted any more. */
  async #reconcileTag(
    stream: ReplicaStream,
    tag: TerritorialTag,
    arcs: ArcSet,
    signal: AbortSignal,
  ): Promise<boolean> {
    for await (const section of rangeSections(this.#store, tag, arcs)) {
      if (!(await this.#reconcile(stream, section, signal))) return false;
    }
    return true;
  }

  async #reconcile(stream: ReplicaStream, section: Section, signal: AbortSignal): Promise<boolean> {
    const differences = await this.#persist(stream, signal, () =>
      this.#calls.digests(stream.member, section),
    );
    if (!differences) return false;
    const slots = new Slots(spansAtOnce);
    const done = await Promise.all(
      differingSpans(section, differences).map((differing) =>
        slots.run(() => this.#equalise(stream, differing, signal)),
      ),
    );
    return !done.includes(false);
  }

  async #equalise(
    stream: ReplicaStream,
    { span, count }: DifferingSpan,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (!this.#isCurrent(stream, signal)) return false;
    // Where the other side has nothing there is nothing to compare.
    if (count > 0) return this.#exchange(stream, span, signal);
    await this.#push(stream, span, signal);
    return this.#isCurrent(stream, signal);
  }

  /** Makes a span equal on both sides, so many of this side's rows at a time as a question has room for. */
  async #exchange(stream: ReplicaStream, span: Span, signal: AbortSignal): Promise<boolean> {
    let { after: from } = span;
    for (;;) {
      const chunk = await readChunk(this.#store, { ...span, after: from }, rowsPerQuestion);
      const last = chunk.more ? chunk.rows.at(-1)?.key : undefined;
      const part = { ...span, after: from, last: last ?? span.last };
      if (!(await this.#exchangePart(stream, part, chunk.rows, signal))) return false;
      if (!last) return true;
      from = last;
    }
  }

  /** Merges what only the other side has, or has otherwise than in `rows`, and sends what it has not got of them. */
  async #exchangePart(
    stream: ReplicaStream,
    part: Span,
    rows: Chunk["rows"],
    signal: AbortSignal,
  ): Promise<boolean> {
    let { after: from } = part;
    let left = rows;
    for (;;) {
      const rest = { ...part, after: from };
      const known = fingerprintsOf(part.tag, left);
      // What is merged here goes to all that have copies, and may come faster than they take it.
      await this.#parts.replicator.room(signal);
      const answer = await this.#persist(stream, signal, () =>
        this.#calls.pull(stream.member, { ...rest, limit: rowsPerAnswer, known }),
      );
      if (!answer) return false;
      await this.#parts.keeper.take(answer.rows, answer.behindMs, "superseded");
      const last = answer.more ? answer.rows.at(-1)?.key : undefined;
      const reached = last ? left.filter(({ key }) => compareKeys(key, last) <= 0) : left;
      const missing = reached.filter((_, index) => !isFound(answer.found, index));
      await this.#pushThese(stream, { ...rest, last: last ?? part.last }, missing, signal);
      if (!last) return true;
      from = last;
      left = left.slice(reached.length);
    }
  }

  /** Sends rows of a span as they are by now. */
  async #pushThese(
    stream: ReplicaStream,
    span: Span,
    rows: Chunk["rows"],
    signal: AbortSignal,
  ): Promise<void> {
    if (rows.length === 0) return;
    const ids = new Set(rows.map(({ key }) => idOf(key)));
    await this.#push(stream, span, signal, ({ key }) => ids.has(idOf(key)));
  }

  /**
   * Sends the rows that are here and wanted, but for what cannot be read yet and what changes while it is read: that is in
   * the stream already.
   */
  async #push(
    stream: ReplicaStream,
    span: Span,
    signal: AbortSignal,
    isWanted?: (row: Required<Row>) => boolean,
  ): Promise<void> {
    let { after: from } = span;
    for (;;) {
      const changed = this.#parts.keeper.underWay();
      this.#changes.add(changed);
      const part = { ...span, after: from };
      const { rows, more } = await readChunk(this.#store, part, rowsPerAnswer, isWanted);
      this.#changes.delete(changed);
      const last = rows.at(-1);
      if (!last) return;
      const unchanged = rows.filter(({ key }) => !changed.has(idOf(key)));
      await this.#parts.replicator.copy(stream, unchanged, signal);
      if (!more || !this.#isCurrent(stream, signal)) return;
      from = last.key;
    }
  }

  /** Tries until it works; nothing when the copy is not wanted any more, or the member has been silent for long. */
  async #persist<T>(
    stream: ReplicaStream,
    signal: AbortSignal,
    attempt: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    while (this.#isCurrent(stream, signal) && !this.#isSilent(stream)) {
      const result = await attempt();
      if (result !== undefined && result !== false) {
        this.#silentSinceMs.delete(stream);
        return result;
      }
      if (!this.#silentSinceMs.has(stream)) this.#silentSinceMs.set(stream, this.#clock.nowMs());
      await this.#clock.sleep(retryMs, signal);
    }
    return undefined;
  }

  #isSilent(stream: ReplicaStream): boolean {
    const sinceMs = this.#silentSinceMs.get(stream);
    return sinceMs !== undefined && this.#clock.nowMs() >= sinceMs + patienceMs;
  }

  #isCurrent(stream: ReplicaStream, signal: AbortSignal): boolean {
    if (signal.aborted || stream.isPutOff) return false;
    return this.#parts.replicator.stream(stream.member) === stream;
  }
}
