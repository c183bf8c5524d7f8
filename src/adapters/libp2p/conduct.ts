import { forgetOldest } from "../../core/forget-oldest.ts";
import type { MemberId, Millis } from "../../core/units.ts";

/** Peers that are remembered as denied, and peers whose offences are counted; the oldest are forgotten. */
const peersMax = 1_024;

/** Offences within the window after which a peer is dropped: a bug may hit twice, three times is a habit. */
const offencesMax = 3;
const offenceWindowMs = 60_000;

interface Denial {
  readonly detail: string;
  readonly untilMs: Millis;
}

interface Offences {
  count: number;
  readonly sinceMs: Millis;
}

/**
 * Who is kept out, and who is about to be.
 *
 * Invariant: remembers a bounded number of peers, however many there are.
 */
export class Conduct {
  readonly #denials = new Map<MemberId, Denial>();
  readonly #offences = new Map<MemberId, Offences>();

  /** Keeps a peer out for so long, or longer where it already is. Whether it was not kept out before. */
  deny(peer: MemberId, detail: string, forMs: Millis, nowMs: Millis): boolean {
    const isNew = this.denialOf(peer, nowMs) === undefined;
    const untilMs = nowMs + forMs;
    if ((this.#denials.get(peer)?.untilMs ?? 0) > untilMs) return isNew;
    this.#denials.delete(peer);
    this.#denials.set(peer, { detail, untilMs });
    forgetOldest(this.#denials, peersMax);
    return isNew;
  }

  /** Why a peer is kept out; undefined where it is not. */
  denialOf(peer: MemberId, nowMs: Millis): string | undefined {
    const denial = this.#denials.get(peer);
    if (denial === undefined) return undefined;
    if (nowMs < denial.untilMs) return denial.detail;
    this.#denials.delete(peer);
    return undefined;
  }

  /** Counts an offence. Whether it was one too many. */
  offend(peer: MemberId, nowMs: Millis): boolean {
    const known = this.#offences.get(peer);
    const isRecent = known !== undefined && nowMs - known.sinceMs < offenceWindowMs;
    const offences = isRecent ? known : { count: 0, sinceMs: nowMs };
    offences.count += 1;
    this.#offences.delete(peer);
    this.#offences.set(peer, offences);
    forgetOldest(this.#offences, peersMax);
    if (offences.count < offencesMax) return false;
    this.#offences.delete(peer);
    return true;
  }
}
