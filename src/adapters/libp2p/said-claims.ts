import type { Millis } from "../../core/units.ts";

/** After a new neighbour has subscribed, gossip needs some of its rounds until claims go through it in all directions. */
export const settlingMs: Millis = 1_500;

/** Of a claim that nobody was there to hear: as long as the ends of a connection may take until they agree on gossip. */
export const unheardMs: Millis = 10_000;

/** Claims that are kept: more than a member says while it joins. */
export const saidMax = 64;

/** A claim of this member's own that a new neighbour may have missed. */
export interface SaidClaim {
  readonly claim: Uint8Array;
  readonly atMs: Millis;
  /** Whether there was a neighbour to say it to. */
  isHeard: boolean;
  /** When it is said again. */
  againMs: Millis | undefined;
  /** When the last neighbour that may have missed it has settled. */
  settledMs: Millis;
}

/**
 * When this member's claims are said again. Gossip forgets what nobody was there to hear, so what is said shortly before or
 * after a new neighbour has come is said again when that one has settled; where more come meanwhile, also when the last of
 * them has.
 */
export class SaidClaims {
  #said: SaidClaim[] = [];
  #newcomerMs: Millis = -Infinity;

  /** Takes in a claim that is being said. */
  add(claim: Uint8Array, nowMs: Millis): SaidClaim {
    const settledMs = this.#newcomerMs + settlingMs;
    const againMs = settledMs > nowMs ? settledMs : undefined;
    const said: SaidClaim = { claim, atMs: nowMs, isHeard: false, againMs, settledMs };
    this.#said = [...this.#said.slice(1 - saidMax), said];
    return said;
  }

  /** A neighbour has subscribed. */
  newcomer(nowMs: Millis): void {
    this.#newcomerMs = nowMs;
    for (const said of this.#said) {
      if (nowMs >= missedUntilMs(said)) continue;
      said.settledMs = nowMs + settlingMs;
      said.againMs ??= said.settledMs;
    }
  }

  /** When the next claim is to be said again; undefined where none is. */
  get nextMs(): Millis | undefined {
    const nextMs = Math.min(...this.#said.map(({ againMs }) => againMs ?? Infinity));
    return nextMs === Infinity ? undefined : nextMs;
  }

  /** The claims that are to be said again now, in the order in which they were said. */
  takeDue(nowMs: Millis): SaidClaim[] {
    const due = this.#said.filter(({ againMs }) => againMs !== undefined && againMs <= nowMs);
    for (const said of due) said.againMs = said.settledMs > nowMs ? said.settledMs : undefined;
    return due;
  }
}

/** Until when a neighbour that subscribes may have missed the claim. */
function missedUntilMs({ atMs, isHeard }: SaidClaim): Millis {
  return atMs + (isHeard ? settlingMs : unheardMs);
}
