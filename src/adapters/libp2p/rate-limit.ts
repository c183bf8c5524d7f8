import type { Millis } from "../../core/units.ts";

const windowMs = 1_000;

/** Peers whose rate is measured; with more at once the measuring starts anew, which errs in their favour. */
const peersMax = 4_096;

/** Lets each peer do something so many times, of so much weight altogether, in each second. */
export class RateLimit {
  readonly #weightMax: number;
  readonly #used = new Map<string, number>();
  #endMs: Millis = 0;

  constructor(weightMax: number) {
    this.#weightMax = weightMax;
  }

  /** Whether the peer may do it once more, with such a weight; counted if so. */
  allows(peer: string, nowMs: Millis, weight = 1): boolean {
    if (nowMs >= this.#endMs || this.#used.size >= peersMax) {
      this.#used.clear();
      this.#endMs = nowMs + windowMs;
    }
    const used = (this.#used.get(peer) ?? 0) + weight;
    if (used > this.#weightMax) return false;
    this.#used.set(peer, used);
    return true;
  }
}
