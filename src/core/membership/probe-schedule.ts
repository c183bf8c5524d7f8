import type { MemberId } from "../units.ts";

/** Puts `ids` in random order, in place (Knuth, TAOCP 2, section 3.4.2, algorithm P). */
export function shuffle(ids: MemberId[], random: () => number): void {
  for (let at = ids.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    const [left, right] = [ids[at], ids[other]];
    if (left !== undefined && right !== undefined) [ids[at], ids[other]] = [right, left];
  }
}

/**
 * Whom to probe next: round after round over a list that is shuffled for each (SWIM, section 4.3).
 *
 * So every member is probed at the latest `2n - 1` turns after it was probed last, where a free random choice has no such
 * bound, and still the first probe after a crash comes as soon as it would by free choice. A member that joins is put
 * at a random place in the rest of the round.
 */
export class ProbeSchedule {
  readonly #random: () => number;
  #order: MemberId[] = [];
  #at = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  add(id: MemberId): void {
    if (this.#order.includes(id, this.#at)) return;
    const rest = this.#order.length - this.#at;
    this.#order.splice(this.#at + Math.floor(this.#random() * (rest + 1)), 0, id);
  }

  /** The next of `candidates`; undefined when there are none. */
  next(candidates: readonly MemberId[], mayProbe: (id: MemberId) => boolean): MemberId | undefined {
    return this.#nextOfRound(mayProbe) ?? this.#nextOfNewRound(candidates, mayProbe);
  }

  #nextOfNewRound(
    candidates: readonly MemberId[],
    mayProbe: (id: MemberId) => boolean,
  ): MemberId | undefined {
    this.#order = [...candidates];
    this.#at = 0;
    shuffle(this.#order, this.#random);
    return this.#nextOfRound(mayProbe);
  }

  #nextOfRound(mayProbe: (id: MemberId) => boolean): MemberId | undefined {
    while (this.#at < this.#order.length) {
      const id = this.#order[this.#at++];
      if (id !== undefined && mayProbe(id)) return id;
    }
    return undefined;
  }
}
