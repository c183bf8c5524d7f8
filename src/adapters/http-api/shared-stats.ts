import { setImmediate } from "node:timers/promises";
import type { PeerControl, SwarmStats } from "../../ports/peer-control.ts";

/**
 * The swarm's figures for all who ask at the same moment, as those do whose job has ended, or whose time is over: there may
 * be 256 of them, and ten thousand jobs, which take a tenth of a second to sum.
 *
 * Invariant: nobody is told figures that were taken before the question.
 */
export class SharedStats {
  readonly #control: Pick<PeerControl, "swarmStats">;
  #next: Promise<SwarmStats> | undefined;

  constructor(control: Pick<PeerControl, "swarmStats">) {
    this.#control = control;
  }

  /** Figures as of a moment after the call. */
  take(): Promise<SwarmStats> {
    this.#next ??= this.#takeNext();
    return this.#next;
  }

  async #takeNext(): Promise<SwarmStats> {
    // All whose time is over by now have asked then.
    await setImmediate();
    this.#next = undefined;
    return this.#control.swarmStats();
  }
}
