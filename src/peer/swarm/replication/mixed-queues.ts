import { ArcSet } from "../../../core/ring/arc-set.ts";
import type { Arc, RingPosition } from "../../../core/ring/ring-position.ts";

/** Sites that are looked at together: some tenths of a second, in which nothing of them may pass to another member. */
const sitesPerLook = 1_000;

/** Sites of which rows came in that are remembered one by one; with more of them, each visit looks. */
const sitesMax = 2 ** 18;

/**
 * Which entries of a queue that is held may be behind their URL's record, or the second one of a URL: those of arcs that
 * were queued before the arcs were taken, and all at sites of which rows have come in from elsewhere since. With another
 * entry a visit need not look.
 *
 * Some 40 bytes for each such site, and each of the doubtful ones.
 */
export class MixedQueues {
  #arcs = ArcSet.empty;
  /** An entry of `#arcs` that has a higher number was queued here, after the latest of them was taken. */
  #until = 0;
  readonly #positions = new Set<RingPosition>();
  /** Sites with queues that may have a URL twice. */
  readonly #doubtful = new Set<RingPosition>();

  /** @param sequence the entry's; see {@link Sequence} */
  has(position: RingPosition, sequence: number): boolean {
    if (this.#positions.has(position)) return true;
    return sequence <= this.#until && this.#arcs.contains(position);
  }

  /** The arcs were taken with what others had queued, up to this number. */
  taken(arcs: ArcSet, until: number): void {
    this.#arcs = this.#arcs.union(arcs);
    this.#until = Math.max(this.#until, until);
  }

  /** A row of this site has come in from elsewhere. */
  merged(position: RingPosition): void {
    if (this.has(position, Infinity)) return;
    this.#positions.add(position);
    if (this.#positions.size <= sitesMax) return;
    this.taken(ArcSet.whole, Infinity);
    this.#positions.clear();
  }

  /**
   * A row of a queue of this site has come in from elsewhere, with URLs that were known here. Where too many sites are to
   * be looked at already, it is not: what is there twice counts twice until a visit finds it behind its record.
   */
  doubt(position: RingPosition): void {
    if (this.#doubtful.size < sitesMax) this.#doubtful.add(position);
  }

  /** Whether there are sites with queues that may have a URL twice. */
  get hasDoubts(): boolean {
    return this.#doubtful.size > 0;
  }

  /** Some of those sites, each an arc: whether they have one twice is being looked at from now on. */
  takeDoubtful(): ArcSet {
    const arcs: Arc[] = [];
    for (const from of this.#doubtful) {
      if (arcs.length === sitesPerLook) break;
      this.#doubtful.delete(from);
      arcs.push({ from, to: (from + 1) as RingPosition });
    }
    return ArcSet.of(arcs);
  }

  /** The arcs are another member's now. */
  drop(arcs: ArcSet): void {
    this.#arcs = this.#arcs.subtract(arcs);
    for (const positions of [this.#positions, this.#doubtful]) {
      for (const position of positions) {
        if (arcs.contains(position)) positions.delete(position);
      }
    }
  }
}
