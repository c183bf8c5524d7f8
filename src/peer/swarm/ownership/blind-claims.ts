import { ArcSet } from "../../../core/ring/arc-set.ts";
import type { MemberId, Millis } from "../../../core/units.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { SwarmView } from "../members/swarm-view.ts";

/** How long those that join are waited for: one whose copy never becomes complete must not keep its arcs from being crawled. */
const patienceMs: Millis = 60_000;

/**
 * Arcs that were claimed without a copy, by a peer with something on its disk. That is of an earlier run, and others may have
 * crawled the arcs after that. Where a swarm that was stopped as a whole starts again, they join a moment later, and the
 * first thing that happens to what will be theirs is that it becomes equal on both sides.
 *
 * Until then such arcs are held, and not crawled: what is queued here may have been fetched there. Nor do they pass to a member
 * that has joined before: it would crawl them without knowing better.
 */
export class BlindClaims {
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #view: Pick<SwarmView, "futureRing" | "ring" | "role">;
  #arcs = ArcSet.empty;
  #untilMs: Millis = -Infinity;

  constructor(clock: Pick<Clock, "nowMs">, view: Pick<SwarmView, "futureRing" | "ring" | "role">) {
    this.#clock = clock;
    this.#view = view;
  }

  add(arcs: ArcSet): void {
    if (arcs.isEmpty) return;
    this.#arcs = this.#arcs.union(arcs);
    this.#untilMs = this.#clock.nowMs() + patienceMs;
  }

  /** Those of `arcs` that the member may crawl. */
  known(arcs: ArcSet, member: MemberId): ArcSet {
    if (this.#arcs.isEmpty) return arcs;
    if (this.#clock.nowMs() >= this.#untilMs) this.#arcs = ArcSet.empty;
    const { futureRing, ring, role } = this.#view;
    // Who leaves has no time to wait: what it cannot pass on is lost to the swarm until it comes back.
    if (ring === futureRing || role === "leaving") return arcs;
    return arcs.subtract(this.#arcs.subtract(futureRing.arcsOf(member)));
  }
}
