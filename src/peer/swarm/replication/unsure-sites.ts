import { ArcSet } from "../../../core/ring/arc-set.ts";
import type { RingPosition } from "../../../core/ring/ring-position.ts";

/** Sites that are kept one by one: some hundred kilobytes, and more than are on their way when a member goes. */
const sitesMax = 10_000;

/**
 * Sites of which something was written that a member which was to have it may never have got.
 *
 * Invariant: at most `sitesMax` sites are kept one by one. Where there are more every site counts as unsure, which costs
 * a wait for copies that are being made, and nothing where they are complete.
 */
export class UnsureSites {
  readonly #sites = new Set<RingPosition>();
  #arcs = ArcSet.empty;

  get isEmpty(): boolean {
    return this.#sites.size === 0 && this.#arcs.isEmpty;
  }

  has(position: RingPosition): boolean {
    return this.#sites.has(position) || this.#arcs.contains(position);
  }

  add(position: RingPosition): void {
    if (this.#arcs.contains(position)) return;
    this.#sites.add(position);
    if (this.#sites.size <= sitesMax) return;
    this.#sites.clear();
    this.#arcs = ArcSet.whole;
  }

  /** What is outside `arcs` is sure again. */
  keepOnly(arcs: ArcSet): void {
    this.#arcs = this.#arcs.intersect(arcs);
    for (const position of this.#sites) {
      if (!arcs.contains(position)) this.#sites.delete(position);
    }
  }
}
