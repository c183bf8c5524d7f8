import { CrawlError } from "../../../core/errors.ts";
import {
  decodeStatsQuestion,
  encodeStatsQuestion,
  pastMembersMax,
  totalBytesMax,
  totalsMax,
} from "../../../core/messages/stats-message.ts";
import type { PastTotals } from "../../../core/messages/stats-message.ts";
import { nameOfKey, namedKey } from "../../../core/record/named-keys.ts";
import { tagRange } from "../../../core/record/key-ranges.ts";
import type { MemberId } from "../../../core/units.ts";
import type { Store, StoreOp } from "../../../ports/store.ts";

/** Totals that are remembered, over all members and jobs: some 100 MB of those with the most names. */
const totalsHeldMax = 100_000;

/** Totals with their length in a message, in bytes. */
interface Held {
  readonly totals: PastTotals;
  readonly bytes: number;
}

/**
 * What was last heard of other members' totals, for the time when they are gone: each told by itself, or passed on by
 * others.
 *
 * A member that leaves tells two others, and these may crash in their turn: so the totals of those that are gone are in the
 * database too. Those of members that are there are in memory alone, since they are other ones a second later.
 *
 * Invariant: of two tellings of one member the later one holds, so they may come in any order and as often as they like.
 * Invariant: bounded, whatever others tell. Those that are there go first, since they can be asked again, and of these and
 * the others the ones told of first.
 */
export class PastTotalsBook {
  readonly #totals = new Map<MemberId, Held>();
  /** Totals of jobs, of all members together. */
  #held = 0;
  /** Members of whom the database has other totals than these, or has them still. */
  readonly #unsaved = new Set<MemberId>();
  #changes = 0;

  async load(store: Store): Promise<void> {
    for await (const { key, value } of store.scan(tagRange("pastTotals"))) {
      const told = decodeStatsQuestion(value)?.past;
      if (!told) {
        const row = nameOfKey(key);
        throw new CrawlError("STORE_CORRUPT", "a member's totals cannot be read", { row });
      }
      for (const totals of told) this.#remember(totals);
    }
  }

  /** Rows for the next commit: of members that are gone, as many as fit a message, and of those that are forgotten. */
  takeUnsaved(isGone: (member: MemberId) => boolean): readonly StoreOp[] {
    const ops: StoreOp[] = [];
    let count = 0;
    for (const member of this.#unsaved) {
      if (count >= totalsMax) break;
      const key = namedKey("pastTotals", member);
      const totals = this.#totals.get(member)?.totals;
      if (totals && !isGone(member)) continue;
      this.#unsaved.delete(member);
      count += totals?.jobs.length ?? 0;
      const value = totals && encodeStatsQuestion({ past: [totals] });
      ops.push(value ? { type: "put", key, value } : { type: "del", key });
    }
    return ops;
  }

  /** `present`: members that are there. */
  take(told: readonly PastTotals[], present: ReadonlySet<MemberId>): void {
    for (const totals of told) {
      if (!this.#remember(totals)) continue;
      this.#unsaved.add(totals.member);
      if (!present.has(totals.member)) this.#changes += 1;
    }
    this.#forgetOldest((member) => present.has(member));
    this.#forgetOldest(() => true);
  }

  /** How often something new was told of members that were not there. */
  get changes(): number {
    return this.#changes;
  }

  all(): readonly PastTotals[] {
    return Array.from(this.#totals.values(), ({ totals }) => totals);
  }

  /** The latest, as many as fit a message that has this many totals already. */
  latest(before: number): readonly PastTotals[] {
    let [count, size] = [before, before * totalBytesMax];
    const latest = [...this.#totals.values()].toReversed().filter(({ totals, bytes }) => {
      count += totals.jobs.length;
      size += bytes;
      return count <= totalsMax && size <= totalsMax * totalBytesMax;
    });
    return latest.slice(0, pastMembersMax).map(({ totals }) => totals);
  }

  /** Of those that may go, until the others have room. */
  #forgetOldest(mayGo: (member: MemberId) => boolean): void {
    for (const oldest of this.#totals.keys()) {
      if (this.#totals.size <= pastMembersMax && this.#held <= totalsHeldMax) return;
      if (mayGo(oldest)) this.#forget(oldest);
    }
  }

  /** Whether it is later than what was known of the member, and no longer than what members tell. */
  #remember(totals: PastTotals): boolean {
    const { jobs, member } = totals;
    const known = this.#totals.get(member)?.totals;
    if (known && !isLater(totals, known)) return false;
    const bytes = encodeStatsQuestion({ past: [totals] }).length;
    if (bytes > totalBytesMax * (jobs.length + 1)) return false;
    this.#held += jobs.length - (known?.jobs.length ?? 0);
    // Behind the others.
    this.#totals.delete(member);
    this.#totals.set(member, { totals, bytes });
    return true;
  }

  #forget(member: MemberId): void {
    this.#held -= this.#totals.get(member)?.totals.jobs.length ?? 0;
    if (this.#totals.delete(member)) this.#unsaved.add(member);
  }
}

function isLater(one: PastTotals, other: PastTotals): boolean {
  if (one.generation !== other.generation) return one.generation > other.generation;
  return one.upMs > other.upMs;
}
