import { ArcSet } from "../../../core/ring/arc-set.ts";
import type { Millis } from "../../../core/units.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { SwarmView } from "../members/swarm-view.ts";
import type { Replicator } from "../replication/replicator.ts";
import type { Termination } from "../jobs/termination.ts";

/**
 * How long copies are waited for, whatever is claimed later: a member whose copy never becomes complete must not keep arcs from
 * being crawled.
 */
const patienceMs: Millis = 60_000;

/** How often others are asked whether they are home. */
const askMs: Millis = 500;

interface BlindClaim {
  readonly arcs: ArcSet;
  readonly untilMs: Millis;
}

/**
 * Arcs that were claimed without a copy, by a peer with something on its disk. That is of an earlier run, and others may have
 * crawled the arcs after that: what is queued here may have been fetched there. Where a swarm that was stopped as a whole
 * starts again, they join a moment later, and each copy that is made becomes equal on both sides.
 *
 * A new peer has nothing to crawl, until it hears of a job that others have made. Then it may be one that has lost its disk,
 * and what one of them has queued another may have fetched.
 *
 * Until all that are to have copies have them, such arcs are held, and neither crawled nor passed on: also what will be this
 * peer's own others have crawled, where it was stopped first, and whoever will own the rest may have lost its disk. And
 * until all others have brought home what they have ({@link Homecoming}): those that were stopped last have crawled it all.
 */
export class BlindClaims {
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #replicator: Pick<Replicator, "uncopied">;
  readonly #termination: Pick<Termination, "areOthersHome">;
  readonly #view: Pick<SwarmView, "others" | "role">;
  readonly #look: () => void;
  /** Who were all home when they were last asked. */
  #home: SwarmView["others"] | undefined;
  #askAtMs: Millis = -Infinity;
  #claims: readonly BlindClaim[] = [];
  #isNew = true;

  constructor(
    clock: Pick<Clock, "nowMs">,
    parts: {
      readonly replicator: Pick<Replicator, "uncopied">;
      readonly termination: Pick<Termination, "areOthersHome">;
      readonly view: Pick<SwarmView, "others" | "role">;
      /** Called when more may be known. */
      readonly look: () => void;
    },
  ) {
    this.#clock = clock;
    this.#replicator = parts.replicator;
    this.#termination = parts.termination;
    this.#view = parts.view;
    this.#look = parts.look;
  }

  add(arcs: ArcSet): void {
    this.#forgetOld();
    if (!arcs.isEmpty) this.#claims = [...this.#claims, this.#claimOf(arcs)];
  }

  /** This peer has something of an earlier run, or is about to know of a job that others have made. */
  hasPast(): void {
    if (!this.#isNew) return;
    this.#isNew = false;
    this.#forgetOld();
    this.#claims = this.#claims.map(({ arcs }) => this.#claimOf(arcs));
  }

  /** Those of `arcs` that may be crawled, or passed on. */
  known(arcs: ArcSet): ArcSet {
    if (this.#isNew) return arcs;
    this.#forgetOld();
    // Who leaves has no time to wait: what it cannot pass on is lost to the swarm until it comes back.
    if (this.#claims.length === 0 || this.#view.role === "leaving") return arcs;
    const blind = ArcSet.unionOf(this.#claims.map((claim) => claim.arcs));
    return arcs.subtract(
      this.#areOthersHome() ? blind.intersect(this.#replicator.uncopied) : blind,
    );
  }

  #claimOf(arcs: ArcSet): BlindClaim {
    return { arcs, untilMs: this.#clock.nowMs() + patienceMs };
  }

  #forgetOld(): void {
    if (this.#claims.length === 0) return;
    const nowMs = this.#clock.nowMs();
    this.#claims = this.#claims.filter(({ untilMs }) => nowMs < untilMs);
  }

  /** As far as is known; asks them where it is not. */
  #areOthersHome(): boolean {
    const { others } = this.#view;
    if (others.length === 0 || others === this.#home) return true;
    const nowMs = this.#clock.nowMs();
    if (nowMs >= this.#askAtMs) {
      this.#askAtMs = nowMs + askMs;
      void this.#ask(others);
    }
    return false;
  }

  async #ask(others: SwarmView["others"]): Promise<void> {
    if (!(await this.#termination.areOthersHome())) return;
    this.#home = others;
    this.#look();
  }
}
