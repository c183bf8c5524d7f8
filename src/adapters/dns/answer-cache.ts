import type { HostName, Millis } from "../../core/units.ts";
import type { ResolveOutcome } from "../../ports/resolver.ts";

interface CachedAnswer {
  readonly outcome: ResolveOutcome;
  readonly expiresAtMs: Millis;
}

/** Answers by name until they expire; above `namesMax` the one that was used longest ago goes. */
export class AnswerCache {
  readonly #namesMax: number;
  /** Least recently used first. */
  readonly #answers = new Map<HostName, CachedAnswer>();

  constructor(namesMax: number) {
    this.#namesMax = namesMax;
  }

  get(host: HostName, nowMs: Millis): ResolveOutcome | undefined {
    const answer = this.#answers.get(host);
    if (answer === undefined) return undefined;
    this.#answers.delete(host);
    if (answer.expiresAtMs <= nowMs) return undefined;
    this.#answers.set(host, answer);
    return answer.outcome;
  }

  set(host: HostName, outcome: ResolveOutcome, expiresAtMs: Millis): void {
    this.#answers.delete(host);
    this.#answers.set(host, { outcome, expiresAtMs });
    if (this.#answers.size <= this.#namesMax) return;
    for (const oldest of this.#answers.keys()) {
      this.#answers.delete(oldest);
      return;
    }
  }
}
