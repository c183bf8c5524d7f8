import type { Millis } from "../units.ts";
import { lookOriginsMin } from "./answered-origins.ts";

/** So many attempts in vain, and so long without any sign of life, call for a look at those who have answered before. */
const silentAttemptsMin = 3;
const quietMsMin: Millis = 10_000;

/** Between two looks: while dead hosts are all that is left of a crawl, those who have answered are not knocked at all day. */
export const lookRestMs: Millis = 30_000;

/**
 * What a look was at: at nothing, as nobody has ever answered; at so few hosts that they may all be one server, which is down,
 * or has shut us out; where there was none, at the name server itself; or at enough hosts to tell. The later ones tell more.
 */
const byWeight = ["nothing", "few", "name-server", "enough"] as const;

export type LookedAt = (typeof byWeight)[number];

/** An outage of which such looks tell, and that lasts longer, is none, but the end of those hosts. */
const outageMsMax: Readonly<Record<LookedAt, Millis>> = {
  nothing: 0,
  few: 3_600_000,
  "name-server": 3_600_000,
  enough: 86_400_000,
};

/** What came of a look. */
export interface LookEnd {
  readonly at: LookedAt;
  /** Whether there was a sign of life. */
  readonly isAlive: boolean;
}

/** What a look at so many hosts is. */
export function lookedAt(origins: number): LookedAt {
  if (origins === 0) return "nothing";
  return origins < lookOriginsMin ? "few" : "enough";
}

/**
 * Tells an outage of our own network, or name server, from hosts that are gone. Attempts alone do not: dead hosts are often all
 * that is left of a crawl, and in an outage there may be none but new ones. So where nobody answers, some of those who did are
 * looked at: a sign of life of one tells of dead hosts, and of none at all of an outage. Where fewer than three could be looked
 * at nobody can tell, and for an hour it is taken for one; so is a name server that does not answer where nobody ever has.
 */
export class OutageWatch {
  /** Attempts in vain that began since the last sign of life. */
  #silentAttempts = 0;
  #signAtMs: Millis = -Infinity;
  #lookedAtMs: Millis = -Infinity;
  #sinceMs: Millis | undefined;
  /** By what it is known. */
  #knownBy: LookedAt = "nothing";

  /** Since when it has lasted, as far as anyone can tell. */
  sinceMs(nowMs: Millis): Millis | undefined {
    const sinceMs = this.#sinceMs;
    const msMax = outageMsMax[this.#knownBy];
    return sinceMs !== undefined && nowMs - sinceMs < msMax ? sinceMs : undefined;
  }

  /** Whether so few tell of it that it may be the end of one server. */
  get isOfFew(): boolean {
    return this.#knownBy === "few";
  }

  hearSign(nowMs: Millis): void {
    this.#signAtMs = nowMs;
    this.#silentAttempts = 0;
    this.#sinceMs = undefined;
    this.#knownBy = "nothing";
  }

  /** An attempt was in vain. One of those that wait for long may end amid the answers of others. */
  hearSilence(startedAtMs: Millis): void {
    if (startedAtMs >= this.#signAtMs) this.#silentAttempts += 1;
  }

  /** Whether a look is due. */
  wantsLook(nowMs: Millis): boolean {
    if (this.#silentAttempts < silentAttemptsMin) return false;
    return nowMs >= Math.max(this.#signAtMs + quietMsMin, this.#lookedAtMs + lookRestMs);
  }

  /** A look begins: {@link hearLook} is to be told what came of it. */
  beginLook(nowMs: Millis): void {
    this.#lookedAtMs = nowMs;
  }

  /** Takes in what came of the look that began last. */
  hearLook({ at, isAlive }: LookEnd, nowMs: Millis): void {
    if (isAlive) this.hearSign(nowMs);
    // Unless there was a sign of life meanwhile.
    else if (at !== "nothing" && this.#signAtMs < this.#lookedAtMs) {
      if (byWeight.indexOf(at) > byWeight.indexOf(this.#knownBy)) this.#knownBy = at;
      this.#sinceMs ??= nowMs;
    }
  }
}
