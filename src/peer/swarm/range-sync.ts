import { after, lastKeyOf, tagRange, territorialTags } from "../../core/record/keys.ts";
import type { Row } from "../../core/messages/rows.ts";
import type { TerritorialTag } from "../../core/record/keys.ts";
import { RangeDigest } from "../../core/replication/range-digest.ts";
import type { RangeBucket } from "../../core/replication/range-digest.ts";
import { ArcSet } from "../../core/ring/arc-set.ts";
import { circle, positionOfKey, type RingPosition } from "../../core/ring/ring-position.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Store } from "../../ports/store.ts";
import type { Journal } from "../journal.ts";
import type { PeerCalls } from "./peer-calls.ts";
import type { ReplicaKeeper } from "./replica-keeper.ts";
import type { ReplicaStream } from "./replica-stream.ts";
import { idOf } from "../../core/record/id-of.ts";
import type { Replicator } from "./replicator.ts";
import { scanArcs } from "./scan-arcs.ts";
import type { SwarmView } from "./swarm-view.ts";

/** Rows of one bucket: what a single difference costs. */
const rowsPerBucket = 256;

/** Buckets of one message, some 50 bytes each, unless one site alone has more. */
const bucketsPerMessage = 1_000;

/** Rows of one answer to a pull. */
const rowsPerPull = 500;

const timeoutMs = 5_000;
const retryMs = 300;

const noKey = new Uint8Array(0);

/** One message's worth of digests. */
interface Section {
  readonly tag: TerritorialTag;
  readonly arcs: ArcSet;
  readonly buckets: readonly RangeBucket[];
}

/** Keys behind `after` up to `last`, within some arcs; an empty `after` is the tag's beginning. */
export interface Span {
  readonly tag: TerritorialTag;
  readonly arcs: ArcSet;
  readonly after: Uint8Array;
  readonly last: Uint8Array;
}

/**
 * Makes the copy that another member has of some arcs equal to what is here, exchanging only what differs: the one
 * procedure for a backfill, a member that comes back with its disk, anti-entropy, and a healed partition.
 *
 * Changes have gone into the stream since the copy was wanted. Both sides compare digests of the rows that are there; of what
 * differs the other side's rows are merged here first, and then all rows of this side are sent behind the changes. At the end
 * the other member is told that its copy is complete.
 */
export class RangeSync {
  readonly #clock: Clock;
  readonly #store: Store;
  readonly #calls: PeerCalls;
  /** Keys written while rows are being read, for each reading. */
  readonly #changes = new Set<Set<string>>();
  readonly #parts: {
    readonly journal: Journal;
    readonly keeper: ReplicaKeeper;
    readonly replicator: Replicator;
    readonly view: SwarmView;
    /** Tells the member of the jobs that the rows belong to. */
    readonly greet: (stream: ReplicaStream) => Promise<boolean>;
  };

  constructor(
    ports: { readonly clock: Clock; readonly store: Store; readonly calls: PeerCalls },
    parts: {
      readonly journal: Journal;
      readonly keeper: ReplicaKeeper;
      readonly replicator: Replicator;
      readonly view: SwarmView;
      readonly greet: (stream: ReplicaStream) => Promise<boolean>;
    },
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
   * Resolves when the member has a complete copy, or is not to have one any more; with the arcs of which it was told that
   * its copy is complete while that came to be kept up to date no more.
   */
  async run(stream: ReplicaStream, arcs: ArcSet, signal: AbortSignal): Promise<ArcSet> {
    const { journal, replicator, greet } = this.#parts;
    if (!(await this.#persist(stream, signal, () => greet(stream)))) return ArcSet.empty;
    await journal.flushed();
    // Clocks differ from peer to peer, so there is nothing to compare; hosts are few.
    const whole = { after: noKey, last: lastKeyOf("host") };
    await this.#push(stream, { tag: "host", arcs, ...whole }, signal);
    for (const tag of territorialTags) {
      for await (const section of this.#sections(tag, arcs)) {
        if (!(await this.#reconcile(stream, section, signal))) return ArcSet.empty;
      }
    }
    await replicator.drained(stream, signal);
    const complete = arcs.intersect(stream.live);
    const tell = (): Promise<boolean> => this.#calls.synced(stream.member, complete, timeoutMs);
    if (!(await this.#persist(stream, signal, tell))) return complete;
    stream.synced = stream.synced.union(complete.intersect(stream.live));
    return complete.subtract(stream.live);
  }

  /** Digests of the rows that are here, a message's worth at a time; the rows of one site stay together. */
  async *#sections(tag: TerritorialTag, arcs: ArcSet): AsyncGenerator<Section, void, undefined> {
    let digest = new RangeDigest(tag, rowsPerBucket);
    let from = 0 as RingPosition;
    let last = from;
    for await (const { key, value } of scanArcs(this.#store, tag, arcs)) {
      const position = positionOfKey(key);
      if (digest.size >= bucketsPerMessage && position > last) {
        const part = arcs.intersect(ArcSet.of([{ from, to: position }]));
        yield { tag, arcs: part, buckets: digest.finish() };
        digest = new RangeDigest(tag, rowsPerBucket);
        from = position;
      }
      last = position;
      digest.add(key, value);
    }
    const rest = arcs.intersect(ArcSet.of([{ from, to: circle }]));
    if (!rest.isEmpty) yield { tag, arcs: rest, buckets: digest.finish() };
  }

  async #reconcile(stream: ReplicaStream, section: Section, signal: AbortSignal): Promise<boolean> {
    const { tag, arcs, buckets } = section;
    const differences = await this.#persist(stream, signal, () =>
      this.#calls.digests(stream.member, section, timeoutMs),
    );
    if (!differences) return false;
    for (const { index, count } of differences) {
      const last = buckets[index]?.lastKey;
      if (last === undefined) continue;
      const span: Span = { tag, arcs, after: buckets[index - 1]?.lastKey ?? noKey, last };
      if (count > 0 && !(await this.#pull(stream, span, signal))) return false;
      await this.#push(stream, span, signal);
      if (!this.#isCurrent(stream, signal)) return false;
    }
    return true;
  }

  /** Merges what the other side has. */
  async #pull(stream: ReplicaStream, span: Span, signal: AbortSignal): Promise<boolean> {
    let { after: from } = span;
    for (;;) {
      const behind = from;
      const answer = await this.#persist(stream, signal, () =>
        this.#calls.pull(stream.member, { ...span, after: behind, limit: rowsPerPull }, timeoutMs),
      );
      if (!answer) return false;
      await this.#parts.keeper.take(answer.rows, answer.behindMs);
      const last = answer.rows.at(-1);
      if (!answer.more || !last) return true;
      from = last.key;
    }
  }

  /** Sends what is here. What changes while it is read goes its own way, and is left out. */
  async #push(stream: ReplicaStream, span: Span, signal: AbortSignal): Promise<void> {
    let { after: from } = span;
    for (;;) {
      await this.#parts.journal.flushed();
      const changed = new Set<string>();
      this.#changes.add(changed);
      const rows = await firstOf(readSpan(this.#store, { ...span, after: from }, rowsPerPull));
      this.#changes.delete(changed);
      const last = rows?.at(-1);
      if (!rows || !last) return;
      const unchanged = rows.filter(({ key }) => !changed.has(idOf(key)));
      await this.#parts.replicator.copy(stream, unchanged, signal);
      if (rows.length < rowsPerPull || !this.#isCurrent(stream, signal)) return;
      from = last.key;
    }
  }

  /** Tries until it works; nothing when the copy is not wanted any more. */
  async #persist<T>(
    stream: ReplicaStream,
    signal: AbortSignal,
    attempt: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    while (this.#isCurrent(stream, signal)) {
      const result = await attempt();
      if (result !== undefined && result !== false) return result;
      await this.#clock.sleep(retryMs, signal);
    }
    return undefined;
  }

  #isCurrent(stream: ReplicaStream, signal: AbortSignal): boolean {
    return !signal.aborted && this.#parts.replicator.stream(stream.member) === stream;
  }
}

/** The rows of a span in the order of their keys, at most `limit` at a time. */
export async function* readSpan(
  store: Store,
  { tag, arcs, after: behind, last }: Span,
  limit: number,
): AsyncGenerator<Required<Row>[], void, undefined> {
  let rows: Required<Row>[] = [];
  const gte = behind.length === 0 ? tagRange(tag).gte : after(behind);
  for await (const { key, value } of scanArcs(store, tag, arcs, { gte, lt: after(last) })) {
    rows.push({ key: new Uint8Array(key), value: new Uint8Array(value) });
    if (rows.length < limit) continue;
    yield rows;
    rows = [];
  }
  if (rows.length > 0) yield rows;
}

async function firstOf<T>(items: AsyncIterable<T>): Promise<T | undefined> {
  for await (const item of items) return item;
  return undefined;
}
