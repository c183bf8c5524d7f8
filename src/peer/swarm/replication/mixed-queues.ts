import { ArcSet } from "../../../core/ring/arc-set.ts";
import type { RingPosition } from "../../../core/ring/ring-position.ts";

/**
 * Where a queue that is held may have an entry that is behind its URL's record, or a second one of a URL: in arcs with entries
 * from before they were taken, and at sites of which rows have come in from elsewhere since. Elsewhere a visit
 * need not look.
 *
 * Some 40 bytes for each such site.
 */
export class MixedQueues {
  #arcs = ArcSet.empty;
  readonly #positions = new Set<RingPosition>();

  has(position: RingPosition): boolean {
    return this.#positions.has(position) || this.#arcs.contains(position);
  }

  /** The arcs were taken with what others had queued. */
  taken(arcs: ArcSet): void {
    this.#arcs = this.#arcs.union(arcs);
  }

  /** A row of this site has come in from elsewhere. */
  merged(position: RingPosition): void {
    this.#positions.add(position);
  }

  /** The arcs are another member's now. */
  drop(arcs: ArcSet): void {
    this.#arcs = this.#arcs.subtract(arcs);
    for (const position of this.#positions) {
      if (arcs.contains(position)) this.#positions.delete(position);
    }
  }
}
