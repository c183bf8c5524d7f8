import type { MemberId, Millis } from "../units.ts";
import { suspicionBoundsMs } from "./membership-options.ts";
import type { MembershipOptions, SuspicionBounds } from "./membership-options.ts";

/**
 * How long a suspicion lasts after `confirmations` by others, of the `needed` that bring it to its minimum (Lifeguard,
 * section IV-B): falls with the logarithm, so that the first ones count most.
 */
export function suspicionTimeoutMs(
  bounds: SuspicionBounds,
  confirmations: number,
  needed: number,
): Millis {
  if (needed < 1) return bounds.minMs;
  const share = Math.min(1, Math.log(confirmations + 1) / Math.log(needed + 1));
  return bounds.maxMs - share * (bounds.maxMs - bounds.minMs);
}

/** What a suspicion is about. */
export interface SuspicionSubject {
  readonly generation: Millis;
  readonly incarnation: number;
}

/**
 * One member's doubt about another, from the first accusation to its end.
 *
 * A member that has only heard of it waits a little longer than one that found the suspect silent itself: so mostly the
 * accusers alone tell of the death, and the others are silent.
 *
 * Before its end comes a last look, one more probe: a refutation that was lost on the way is then heard from the suspect
 * itself.
 *
 * Invariant: the end is never less than one look after the beginning of that look. At most `needed + 1` accusers are kept.
 */
export class Suspicion {
  readonly subject: SuspicionSubject;
  readonly #bounds: SuspicionBounds;
  readonly #needed: number;
  readonly #accusers = new Set<MemberId>();
  #sinceMs: Millis;
  #hearsayMs: Millis;
  #lookMs: Millis;
  #lookedAtMs: Millis | undefined;
  #delayMs: Millis = 0;
  /** Worked out when it is asked for: a member that doubts many others asks after each message. */
  #deadAtMs: Millis | undefined;

  /** `hearsayMs`: how much longer it lasts as long as this member has no proof of its own. */
  constructor(
    subject: SuspicionSubject,
    options: MembershipOptions,
    present: number,
    start: { readonly nowMs: Millis; readonly hearsayMs: Millis },
  ) {
    this.subject = subject;
    this.#bounds = suspicionBoundsMs(options, present);
    // Neither the suspect nor the first accuser can confirm.
    this.#needed = Math.min(options.suspicionConfirmations, present - 2);
    this.#sinceMs = start.nowMs;
    this.#hearsayMs = start.hearsayMs;
    this.#lookMs = options.probeIntervalMs;
  }

  /** When the suspect is dead, unless it is heard of before. */
  get deadAtMs(): Millis {
    return (this.#deadAtMs ??= this.#endAtMs());
  }

  #endAtMs(): Millis {
    const confirmations = Math.max(0, this.#accusers.size - 1);
    const timeoutMs = suspicionTimeoutMs(this.#bounds, confirmations, this.#needed);
    const endAtMs = this.#sinceMs + timeoutMs + this.#hearsayMs + this.#delayMs;
    return Math.max(endAtMs, (this.#lookedAtMs ?? this.#sinceMs) + this.#lookMs);
  }

  /** When something is to be done about it. */
  get nextAtMs(): Millis {
    return this.#lookedAtMs === undefined ? this.deadAtMs - this.#lookMs : this.deadAtMs;
  }

  /** What is to be done now. */
  due(nowMs: Millis): "wait" | "look" | "bury" {
    if (nowMs < this.nextAtMs) return "wait";
    return this.#lookedAtMs === undefined ? "look" : "bury";
  }

  /** The last look has begun; it takes `lookMs`. */
  looked(nowMs: Millis, lookMs: Millis): void {
    this.#lookedAtMs = nowMs;
    this.#lookMs = lookMs;
    this.#deadAtMs = undefined;
  }

  /** Counts an accusation; says whether it was news that the others may need as well. */
  accuse(accuser: MemberId): boolean {
    if (this.#accusers.has(accuser) || this.#accusers.size > this.#needed) return false;
    this.#accusers.add(accuser);
    this.#deadAtMs = undefined;
    return true;
  }

  /** This member has now found the suspect silent itself. */
  proved(): void {
    this.#hearsayMs = 0;
    this.#deadAtMs = undefined;
  }

  /** Puts everything off: this process did not run for so long. */
  shift(byMs: Millis): void {
    this.#sinceMs += byMs;
    if (this.#lookedAtMs !== undefined) this.#lookedAtMs += byMs;
    this.#deadAtMs = undefined;
  }

  /** Puts the last look off, and the end with it: there is no room for one more probe. */
  postponeLook(untilMs: Millis): void {
    this.#delayMs += untilMs - this.nextAtMs;
    this.#deadAtMs = undefined;
  }
}
