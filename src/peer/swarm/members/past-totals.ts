import { pastMembersMax, totalsMax } from "../../../core/messages/stats-message.ts";
import type { PastTotals } from "../../../core/messages/stats-message.ts";
import type { MemberId } from "../../../core/units.ts";

/** Totals that are remembered, over all members and jobs: some 100 MB of those with the most names. */
const totalsHeldMax = 100_000;

/**
 * What was last heard of other members' totals, for the time when they are gone: each told by itself, or passed on by
 * others.
 *
 * It is in memory alone: totals of a member are lost when all who remember them stop without a word, which a crash of all
 * of them at once is.
 *
 * Invariant: of two tellings of one member the later one holds, so they may come in any order and as often as they like.
 * Invariant: bounded, whatever others tell. Those that are there go first, since they can be asked again, and of these and
 * the others the ones told of first.
 */
export class PastTotalsBook {
  readonly #totals = new Map<MemberId, PastTotals>();
  /** Totals of jobs, of all members together. */
  #held = 0;

  /** `present`: members that are there. */
  take(told: readonly PastTotals[], present: ReadonlySet<MemberId>): void {
    for (const totals of told) {
      const known = this.#totals.get(totals.member);
      if (known && !isLater(totals, known)) continue;
      this.#forget(totals.member);
      this.#totals.set(totals.member, totals);
      this.#held += totals.jobs.length;
    }
    this.#forgetOldest((member) => present.has(member));
    this.#forgetOldest(() => true);
  }

  all(): readonly PastTotals[] {
    return [...this.#totals.values()];
  }

  /** The latest, as many as fit a message that has this many totals already. */
  latest(before: number): readonly PastTotals[] {
    let count = before;
    return this.all()
      .toReversed()
      .filter(({ jobs }) => {
        count += jobs.length;
        return count <= totalsMax;
      })
      .slice(0, pastMembersMax);
  }

  /** Of those that may go, until the others have room. */
  #forgetOldest(mayGo: (member: MemberId) => boolean): void {
    for (const oldest of this.#totals.keys()) {
      if (this.#totals.size <= pastMembersMax && this.#held <= totalsHeldMax) return;
      if (mayGo(oldest)) this.#forget(oldest);
    }
  }

  #forget(member: MemberId): void {
    this.#held -= this.#totals.get(member)?.jobs.length ?? 0;
    this.#totals.delete(member);
  }
}

function isLater(one: PastTotals, other: PastTotals): boolean {
  if (one.generation !== other.generation) return one.generation > other.generation;
  return one.upMs > other.upMs;
}
