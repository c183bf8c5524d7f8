import { ArcSet } from "../../../core/ring/arc-set.ts";
import type { Millis } from "../../../core/units.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { SwarmView } from "../members/swarm-view.ts";
import type { Replicator } from "../replication/replicator.ts";

/**
 * How long copies are waited for, whatever is claimed later: a member whose copy never becomes complete must not keep arcs from
 * being crawled.
 */
const patienceMs: Millis = 60_000;

interface BlindClaim {
  readonly arcs: ArcSet;
  readonly untilMs: Millis;
}

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
  #claims: readonly BlindClaim[] = [];

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
    this.#claims = [...this.#claims, { arcs, untilMs: this.#clock.nowMs() + patienceMs }];
  }

  /** Those of `arcs` that may be crawled, or passed on. */
  known(arcs: ArcSet): ArcSet {
    if (this.#claims.length === 0) return arcs;
    const nowMs = this.#clock.nowMs();
    this.#claims = this.#claims.filter(({ untilMs }) => nowMs < untilMs);
    // Who leaves has no time to wait: what it cannot pass on is lost to the swarm until it comes back.
    if (this.#view.role === "leaving") return arcs;
    const blind = ArcSet.unionOf(this.#claims.map((claim) => claim.arcs));
    return arcs.subtract(blind.intersect(this.#replicator.uncopied));
  }
}
