import type { Millis } from "../units.ts";

/**
 * How far this member trusts its own ears (Lifeguard, section IV-A: the local health multiplier).
 *
 * A member that is slow itself sees everyone else as slow. Signs of that raise a score, signs of health lower it, and
 * probes are made rarer and more patient by `1 + score`.
 *
 * Invariant: `0 <= score <= max`.
 */
export class Awareness {
  readonly #max: number;
  #score = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Counts signs of ill health (positive) or of health (negative). */
  note(signs: number): void {
    this.#score = Math.max(0, Math.min(this.#max, this.#score + signs));
  }

  scale(durationMs: Millis): Millis {
    return durationMs * (1 + this.#score);
  }
}
