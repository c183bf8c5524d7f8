import type { Millis } from "../units.ts";

/** What is told of oneself is told so many times: a lost broadcast then costs an interval, not a death. */
const tellings = 2;

/**
 * When to tell all members of a change of oneself.
 *
 * Invariant: two tellings are at least `gapMs` apart, whatever others claim that has to be refuted.
 */
export class Announcer {
  readonly #gapMs: Millis;
  readonly #repeatMs: Millis;
  #lastAtMs: Millis = -Infinity;
  #nextAtMs: Millis = Infinity;
  #left = 0;

  constructor(gapMs: Millis, repeatMs: Millis) {
    this.#gapMs = gapMs;
    this.#repeatMs = repeatMs;
  }

  get nextAtMs(): Millis {
    return this.#nextAtMs;
  }

  changed(nowMs: Millis): void {
    this.#left = tellings;
    this.#nextAtMs = Math.max(nowMs, this.#lastAtMs + this.#gapMs);
  }

  /** Whether to tell now; if so, it counts as told. */
  take(nowMs: Millis): boolean {
    if (nowMs < this.#nextAtMs) return false;
    this.#left--;
    this.#lastAtMs = nowMs;
    this.#nextAtMs = this.#left > 0 ? nowMs + this.#repeatMs : Infinity;
    return true;
  }
}
