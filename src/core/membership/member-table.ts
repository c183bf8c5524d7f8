import { forgetOldest } from "../forget-oldest.ts";
import { hash64 } from "../hash/hash64.ts";
import type { MemberId, Millis } from "../units.ts";
import { compareClaims, isGone, textOf } from "./member.ts";
import type { Member } from "./member.ts";

/** A change of one row. */
export interface MemberChange {
  readonly member: Member;
  readonly before: Member | undefined;
}

export interface MemberTableOptions {
  readonly membersMax: number;
  readonly retentionMs: Millis;
}

interface Row {
  readonly member: Member;
  readonly hash: bigint;
}

/**
 * What one member knows of all, itself included.
 *
 * A member that is gone is kept for `retentionMs`, so that a late claim of its life cannot bring it back. A claim that an
 * unknown member is gone is dropped: members forget at different times, and would teach one another again for ever what
 * each has just forgotten. For the same reason those rows do not enter the hash. Only who is joining takes in who is lost:
 * it would not know otherwise that it is on the smaller side of a partition.
 *
 * Invariant: a row only moves up in the order of claims, until it is forgotten. At most `membersMax` rows.
 */
export class MemberTable {
  readonly #options: MemberTableOptions;
  readonly #rows = new Map<MemberId, Row>();
  /** When each member went, in the order of time. */
  readonly #goneAtMs = new Map<MemberId, Millis>();
  /** Members that had gone without a word when they were forgotten, and have not come back since. */
  readonly #forgottenLost = new Set<MemberId>();
  #hash = 0n;
  /** Ids of the members that are not gone, once somebody has asked for them. */
  #presentIds: readonly MemberId[] | undefined;

  constructor(options: MemberTableOptions) {
    this.#options = options;
  }

  /** Rows, those of members that are gone included. */
  get size(): number {
    return this.#rows.size;
  }

  /** Members that are not gone. */
  get presentCount(): number {
    return this.#rows.size - this.#goneAtMs.size;
  }

  /** Equal for equal sets of present members' rows, whatever the order in which they came. */
  get hash(): bigint {
    return this.#hash;
  }

  get(id: MemberId): Member | undefined {
    return this.#rows.get(id)?.member;
  }

  members(): Member[] {
    return Array.from(this.#rows.values(), ({ member }) => member);
  }

  /** Ids of the members that are not gone; the list is made anew only after a change. */
  presentIds(): readonly MemberId[] {
    this.#presentIds ??= Array.from(this.#rows.keys()).filter((id) => !this.#goneAtMs.has(id));
    return this.#presentIds;
  }

  /** Whether any member went without a word, or the way to it is cut: also one that is forgotten by now. */
  get hasLostAny(): boolean {
    return this.#forgottenLost.size > 0 || this.lostIds().length > 0;
  }

  /** Ids of the members that went without a word, or to whom the way is cut; the longest gone first. */
  lostIds(): MemberId[] {
    return Array.from(this.#goneAtMs.keys()).filter((id) => this.get(id)?.role !== "left");
  }

  /**
   * Takes a claim in; undefined when it says nothing new, or when there is no room for one more member.
   *
   * @param takesLost whether a member that was not known counts though it is dead, unless it has left
   */
  merge(claim: Member, nowMs: Millis, takesLost = false): MemberChange | undefined {
    const before = this.#rows.get(claim.id);
    if (before === undefined) {
      const isWanted = !isGone(claim) || (takesLost && claim.role !== "left");
      if (!isWanted || !this.#makeRoom()) return undefined;
    } else if (compareClaims(claim, before.member) <= 0) {
      return undefined;
    }
    this.#put(claim, before, nowMs);
    return { member: claim, before: before?.member };
  }

  /** Forgets the members that have been gone for long enough; says how many. */
  forget(nowMs: Millis): number {
    let forgotten = 0;
    for (const [id, goneAtMs] of this.#goneAtMs) {
      if (nowMs - goneAtMs < this.#options.retentionMs) break;
      this.#drop(id);
      forgotten++;
    }
    return forgotten;
  }

  #put(member: Member, before: Row | undefined, nowMs: Millis): void {
    const gone = isGone(member);
    const hash = gone ? 0n : hash64(textOf(member));
    this.#hash ^= (before?.hash ?? 0n) ^ hash;
    this.#presentIds = undefined;
    this.#rows.set(member.id, { member, hash });
    this.#forgottenLost.delete(member.id);
    this.#goneAtMs.delete(member.id);
    if (gone) this.#goneAtMs.set(member.id, nowMs);
  }

  /** A member that is gone makes room for one that is not. */
  #makeRoom(): boolean {
    if (this.#rows.size < this.#options.membersMax) return true;
    const [longestGone] = this.#goneAtMs.keys();
    if (longestGone === undefined) return false;
    this.#drop(longestGone);
    return true;
  }

  #drop(id: MemberId): void {
    if (this.get(id)?.role !== "left") this.#forgottenLost.add(id);
    forgetOldest(this.#forgottenLost, this.#options.membersMax);
    this.#rows.delete(id);
    this.#goneAtMs.delete(id);
  }
}
