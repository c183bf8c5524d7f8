import { idOf } from "../../core/record/id-of.ts";
import { territorialTags } from "../../core/record/keys.ts";
import type { TerritorialTag } from "../../core/record/keys.ts";
import { ArcSet } from "../../core/ring/arc-set.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Store } from "../../ports/store.ts";
import type { Journal } from "../journal.ts";
import type { PeerCalls } from "./peer-calls.ts";
import type { ReplicaKeeper } from "./replica-keeper.ts";
import type { ReplicaStream } from "./replica-stream.ts";
import {
  differingSpans,
  isFullChunk,
  rangeSections,
  readSpan,
  wholeSpan,
} from "./range-sections.ts";
import type { Section, Span } from "./range-sections.ts";
import type { Replicator } from "./replicator.ts";

/** Rows of one answer to a pull. */
const rowsPerPull = 500;

const timeoutMs = 5_000;
const retryMs = 300;

type SyncCalls = Pick<PeerCalls, "digests" | "pull" | "synced">;

interface RangeSyncParts {
  readonly journal: Pick<Journal, "flushed" | "observe">;
  readonly keeper: Pick<ReplicaKeeper, "take" | "underWay">;
  readonly replicator: Pick<Replicator, "copy" | "drained" | "stream">;
  /** Tells the member of the jobs that the rows belong to. */
  readonly greet: (stream: ReplicaStream) => Promise<boolean>;
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
  readonly #store: Pick<Store, "range">;
  readonly #calls: SyncCalls;
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
   * Resolves when the member has a complete copy, or is not to have one any more; with the arcs of which it was told that
   * its copy is complete while that came to be kept up to date no more.
   */
  async run(stream: ReplicaStream, arcs: ArcSet, signal: AbortSignal): Promise<ArcSet> {
    const { journal, replicator, greet } = this.#parts;
    if (!(await this.#persist(stream, signal, () => greet(stream)))) return ArcSet.empty;
    // What was written before the stream took the arcs up is to be read.
    await journal.flushed();
    // Clocks differ from peer to peer, so there is nothing to compare; hosts are few.
    await this.#push(stream, wholeSpan("host", arcs), signal);
    // Each takes many turns of messages and commits, and none waits for another: rows may come in any order.
    const done = await Promise.all(
      territorialTags.map((tag) => this.#reconcileTag(stream, tag, arcs, signal)),
    );
    if (done.includes(false)) return ArcSet.empty;
    await replicator.drained(stream, signal);
    const complete = arcs.intersect(stream.live);
    const tell = (): Promise<boolean> => this.#calls.synced(stream.member, complete, timeoutMs);
    if (!(await this.#persist(stream, signal, tell))) return complete;
    stream.synced = stream.synced.union(complete.intersect(stream.live));
    return complete.subtract(stream.live);
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
      this.#calls.digests(stream.member, section, timeoutMs),
    );
    if (!differences) return false;
    for (const { span, count } of differingSpans(section, differences)) {
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
      await this.#parts.keeper.take(answer.rows, answer.behindMs, "superseded");
      const last = answer.rows.at(-1);
      if (!answer.more || !last) return true;
      from = last.key;
    }
  }

  /**
   * Sends what is here, but for what cannot be read yet and what changes while it is read: that is in the stream already.
   */
  async #push(stream: ReplicaStream, span: Span, signal: AbortSignal): Promise<void> {
    let { after: from } = span;
    for (;;) {
      const changed = this.#parts.keeper.underWay();
      this.#changes.add(changed);
      const rows = await firstOf(readSpan(this.#store, { ...span, after: from }, rowsPerPull));
      this.#changes.delete(changed);
      const last = rows?.at(-1);
      if (!rows || !last) return;
      const unchanged = rows.filter(({ key }) => !changed.has(idOf(key)));
      await this.#parts.replicator.copy(stream, unchanged, signal);
      if (!isFullChunk(rows, rowsPerPull) || !this.#isCurrent(stream, signal)) return;
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

async function firstOf<T>(items: AsyncIterable<T>): Promise<T | undefined> {
  for await (const item of items) return item;
  return undefined;
}
