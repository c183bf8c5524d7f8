import { ArcSet } from "../../../core/ring/arc-set.ts";
import type { RingPosition } from "../../../core/ring/ring-position.ts";

/**
 * Which entries of a queue that is held may be behind their URL's record, or the second one of a URL: those of arcs that
 * were queued before the arcs were taken, and all at sites of which rows have come in from elsewhere since. With another
 * entry a visit need not look.
 *
 * Some 40 bytes for each such site.
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
    this.#positions.add(position);
  }

  /** A row of a queue of this site has come in from elsewhere, with URLs that were known here. */
  doubt(position: RingPosition): void {
    this.#doubtful.add(position);
  }

  /** Sites with queues that may have a URL twice, each an arc. */
  doubtful(): ArcSet {
    if (this.#doubtful.size === 0) return ArcSet.empty;
    return ArcSet.of([...this.#doubtful].map((from) => ({ from, to: (from + 1) as RingPosition })));
  }

  /** Whether they have one twice is being looked at. */
  looked(sites: ArcSet): void {
    for (const position of this.#doubtful) {
      if (sites.contains(position)) this.#doubtful.delete(position);
    }
  }

  /** The arcs are another member's now. */
  drop(arcs: ArcSet): void {
    this.looked(arcs);
    this.#arcs = this.#arcs.subtract(arcs);
    for (const position of this.#positions) {
      if (arcs.contains(position)) this.#positions.delete(position);
    }
  }
}
