import { ArcSet } from "../../../core/ring/arc-set.ts";
import type { Millis } from "../../../core/units.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { SwarmView } from "../members/swarm-view.ts";
import type { Replicator } from "../replication/replicator.ts";

/** How long copies are waited for: a member whose copy never becomes complete must not keep arcs from being crawled. */
const patienceMs: Millis = 60_000;

/**
 * Arcs that were claimed without a copy, by a peer with something on its disk. That is of an earlier run, and others may have
 * crawled the arcs after that: what is queued here may have been fetched there. Where a swarm that was stopped as a whole
 * starts again, they join a moment later, and each copy that is made becomes equal on both sides.
 *
 * Until all that are to have copies have them, such arcs are held, and neither crawled nor passed on: also what will be this
 * peer's own others have crawled, where it was stopped first, and whoever will own the rest may have lost its disk.
 */
export class BlindClaims {
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #replicator: Pick<Replicator, "uncopied">;
  readonly #view: Pick<SwarmView, "role">;
  #arcs = ArcSet.empty;
  #untilMs: Millis = -Infinity;

  constructor(
    clock: Pick<Clock, "nowMs">,
    parts: {
      readonly replicator: Pick<Replicator, "uncopied">;
      readonly view: Pick<SwarmView, "role">;
    },
  ) {
    this.#clock = clock;
    this.#replicator = parts.replicator;
    this.#view = parts.view;
  }

  add(arcs: ArcSet): void {
    if (arcs.isEmpty) return;
    this.#arcs = this.#arcs.union(arcs);
    this.#untilMs = this.#clock.nowMs() + patienceMs;
  }

  /** Those of `arcs` that may be crawled, or passed on. */
  known(arcs: ArcSet): ArcSet {
    if (this.#arcs.isEmpty) return arcs;
    if (this.#clock.nowMs() >= this.#untilMs) this.#arcs = ArcSet.empty;
    // Who leaves has no time to wait: what it cannot pass on is lost to the swarm until it comes back.
    if (this.#view.role === "leaving") return arcs;
    return arcs.subtract(this.#arcs.intersect(this.#replicator.uncopied));
  }
}
