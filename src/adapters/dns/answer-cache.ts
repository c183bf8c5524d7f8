import { RecentMap } from "../../core/recent-map.ts";
import type { HostName, Millis } from "../../core/units.ts";
import type { ResolveOutcome } from "../../ports/resolver.ts";

/** A host that is crawled knows its address itself; what it had is asked for again when it comes back. */
const idleMsMax: Millis = 600_000;

interface CachedAnswer {
  readonly outcome: ResolveOutcome;
  readonly expiresAtMs: Millis;
}

/** Answers by name until they expire, of the `namesMax` names that were used last. */
export class AnswerCache {
  readonly #answers: RecentMap<HostName, CachedAnswer>;

  constructor(namesMax: number) {
    this.#answers = new RecentMap({ costMax: namesMax, costOf: () => 1, idleMsMax });
  }

  get(host: HostName, nowMs: Millis): ResolveOutcome | undefined {
    const answer = this.#answers.get(host, nowMs);
    if (answer === undefined || answer.expiresAtMs > nowMs) return answer?.outcome;
    this.#answers.delete(host);
    return undefined;
  }

  set(host: HostName, outcome: ResolveOutcome, nowMs: Millis, ttlMs: Millis): void {
    this.#answers.set(host, { outcome, expiresAtMs: nowMs + ttlMs }, nowMs);
  }
}
