import type { Millis } from "../../src/core/units.ts";
import type { Checker, RunView, SeenHit } from "./checker.ts";

/** The job is told over at the latest so long after the last page, or after the last URL was given up without one. */
const lateMs = 10_000;
/** And within so long after the swarm has become one again, where that was later. */
const settleMs = 10_000;

/** When the job was told over, and how long that was after the last answer, or after something was last queued. */
export interface JobEnd {
  readonly toldAtMs: Millis;
  readonly afterMs: Millis;
}

/**
 * The job is told over neither while there is something left, nor long after.
 *
 * In a split each side can only see itself, and in a thin time what is queued may be out of reach: what is said then is
 * not held against anybody.
 */
export class Termination implements Checker {
  readonly #view: RunView;
  #told: { readonly machine: number; readonly atMs: Millis } | undefined;
  #lastHitMs: Millis = 0;
  /** When something was last seen in a queue. */
  #lastQueuedMs: Millis = 0;
  #isReported = false;

  constructor(view: RunView) {
    this.#view = view;
  }

  /** Time of the latest answer. */
  get lastHitMs(): Millis {
    return this.#lastHitMs;
  }

  readonly onHit = (hit: SeenHit): void => {
    this.#lastHitMs = Math.max(this.#lastHitMs, hit.endMs);
    const told = this.#told;
    if (told === undefined || hit.page < 0 || this.#isReported) return;
    if (this.#view.chronicle.isExcused(hit.atMs)) return;
    this.#isReported = true;
    this.#view.findings.add(
      "termination",
      hit.atMs,
      `${hit.url} was fetched after peer-${told.machine} had told the job over`,
      { toldAtMs: told.atMs, peer: hit.machine },
    );
  };

  readonly onLook = (): void => {
    const { chronicle, world } = this.#view;
    const isQueued = world.running.some(({ peer }) => peer.stats().queued > 0);
    if (isQueued) this.#lastQueuedMs = chronicle.nowMs;
  };

  /** A peer has told the job over, when every seed so far had been acknowledged. */
  toldOver(machine: number): void {
    const { chronicle } = this.#view;
    if (chronicle.isExcusedNow || this.#told !== undefined) return;
    this.#told = { machine, atMs: chronicle.nowMs };
  }

  /** The last of those that were asked at `askedAtMs` has told the job over; it could not be over before `sinceMs`. */
  ended(sinceMs: Millis, askedAtMs: Millis): JobEnd {
    const { chronicle, findings } = this.#view;
    const lastMs = Math.max(this.#lastHitMs, this.#lastQueuedMs, sinceMs + settleMs - lateMs);
    const afterMs = chronicle.nowMs - lastMs;
    if (afterMs > lateMs) {
      const text = `the job was told over ${(afterMs / 1_000).toFixed(1)} s after there was nothing left`;
      findings.add("termination", chronicle.nowMs, text, { lastHitMs: this.#lastHitMs, sinceMs });
    }
    return this.#end(askedAtMs);
  }

  /** Where faults outlast the crawl, a peer has told it over long before the others were asked. */
  #end(askedAtMs: Millis): JobEnd {
    const idleSinceMs = Math.max(this.#lastHitMs, this.#lastQueuedMs);
    const firstToldMs = this.#told?.atMs ?? Infinity;
    const wasTold = firstToldMs < askedAtMs && firstToldMs >= idleSinceMs;
    const toldAtMs = wasTold ? firstToldMs : this.#view.chronicle.nowMs;
    return { toldAtMs, afterMs: toldAtMs - idleSinceMs };
  }

  /** What members still have to do. */
  whyNotOver(): Record<string, string> {
    const told: Record<string, string> = {};
    for (const { id, peer } of this.#view.world.running) {
      const { swarm } = peer;
      const counts = peer.jobs()[0]?.counts;
      const pending = (swarm?.exchange.pending ?? 0) + (swarm?.replicator.queuedRows ?? 0);
      if (counts?.queued === 0 && pending === 0 && swarm?.isSettled === true) continue;
      told[id] = [
        `${counts?.queued ?? 0} queued`,
        `${swarm?.exchange.pending ?? 0} on their way`,
        `${swarm?.replicator.queuedRows ?? 0} rows`,
        swarm?.isSettled === true ? "settled" : "not settled",
      ].join(", ");
    }
    return told;
  }
}
