import { ArcSet } from "../../../core/ring/arc-set.ts";
import type { MemberId } from "../../../core/units.ts";
import type { PeerCalls } from "../peer-calls.ts";
import type { Replicator } from "./replicator.ts";
import type { SwarmView } from "../members/swarm-view.ts";

/**
 * Tells members that their copies of arcs are kept up to date no more, so that none answers for the arcs, or claims them,
 * by what it knew long ago.
 *
 * Invariant: a member that is to have a copy again is told that it is complete after it was told of the end of the former
 * one, as both go by one stream.
 */
export class CopyReleases {
  readonly #calls: PeerCalls;
  readonly #view: SwarmView;
  readonly #owed = new Map<MemberId, { readonly generation: number; readonly arcs: ArcSet }>();
  readonly #needsOf: (member: MemberId) => ArcSet;
  readonly #replicator: Pick<Replicator, "uncopied">;
  #sending: Promise<void> | undefined;

  /** @param needsOf the arcs of which a member is to have a copy at the moment of the call */
  constructor(
    calls: PeerCalls,
    parts: { readonly replicator: Pick<Replicator, "uncopied">; readonly view: SwarmView },
    needsOf: (member: MemberId) => ArcSet,
  ) {
    this.#calls = calls;
    this.#replicator = parts.replicator;
    this.#view = parts.view;
    this.#needsOf = needsOf;
  }

  /** A member's copy of these arcs is kept up to date no more, or never was by this peer. */
  owe(member: MemberId, arcs: ArcSet): void {
    const generation = this.#view.generationOf(member);
    if (generation === undefined || arcs.isEmpty) return;
    const owed = this.#owed.get(member);
    const earlier = owed?.generation === generation ? owed.arcs : ArcSet.empty;
    this.#owed.set(member, { generation, arcs: earlier.union(arcs) });
  }

  get isOwed(): boolean {
    return this.#owed.size > 0;
  }

  /** Tells those that are owed it: of what has not been copied to all that are to have it, not yet. */
  send(): void {
    if (!this.isOwed) return;
    this.#sending ??= this.#sendAll().finally(() => (this.#sending = undefined));
  }

  async settled(): Promise<void> {
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    const owed = [...this.#owed];
    this.#owed.clear();
    for (const [member, { generation, arcs }] of owed) {
      if (!this.#view.isRunning(member, generation)) continue;
      const former = arcs.subtract(this.#needsOf(member));
      const uncopied = this.#replicator.uncopied;
      this.owe(member, former.intersect(uncopied));
      const released = former.subtract(uncopied);
      if (released.isEmpty) continue;
      // Without an answer it is told again.
      if (!(await this.#calls.released(member, released))) this.owe(member, released);
    }
  }
}
