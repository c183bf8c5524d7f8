import { invariant } from "../errors.ts";
import type { MemberId } from "../units.ts";
import { ArcList, ArcSet } from "./arc-set.ts";
import { tokensOf, type RingMember } from "./member-tokens.ts";
import type { RingOptions } from "./ring-options.ts";
import { circle, type Arc, type RingPosition } from "./ring-position.ts";
import { TokenTable } from "./token-table.ts";

/** Members that a ring can hold: a token's member is stored in 16 bits. */
export const ringMembersMax = 2 ** 16;

/** An arc that has another owner in one ring than in another; no owner where a ring has no members. */
export interface OwnerChange extends Arc {
  readonly before: MemberId | undefined;
  readonly after: MemberId | undefined;
}

type OwnerVisitor = (from: RingPosition, to: RingPosition, owner: MemberId) => void;

/** `members` is the preference list of the whole arc, owner first; it may be kept, but not changed. */
type PreferenceVisitor = (
  from: RingPosition,
  to: RingPosition,
  members: readonly MemberId[],
) => void;

/** A member and the number of its tokens, at the index that is its slot in the token table. */
interface Seat extends RingMember {
  readonly tokens: number;
}

/**
 * Who owns each position: the member of the first token behind it, clockwise. Its replicas are the next distinct members.
 *
 * So when a member goes, its arcs fall to the members that hold its replicas, and nothing else moves; when one comes, it
 * takes arcs from others, and nothing moves between those (Karger et al. 1997). A position that equals a token belongs to
 * the next one: arcs are [token, next token).
 *
 * Invariant: what a ring answers is a function of its options and the set of its members, whatever their order.
 */
export class Ring {
  readonly #options: RingOptions;
  /** Holes are free slots: a slot stays its member's, so that the token table need not be rewritten. */
  readonly #seats: readonly (Seat | undefined)[];
  readonly #slots: ReadonlyMap<MemberId, number>;
  readonly #table: TokenTable;
  /** Ids of all members, sorted by code unit. */
  readonly members: readonly MemberId[];

  private constructor(
    options: RingOptions,
    seats: readonly (Seat | undefined)[],
    table: TokenTable,
  ) {
    invariant(seats.length <= ringMembersMax, "a ring has at most 65,536 members");
    this.#options = options;
    this.#seats = seats;
    this.#table = table;
    const slots = new Map<MemberId, number>();
    for (const [slot, seat] of seats.entries()) if (seat) slots.set(seat.id, slot);
    this.#slots = slots;
    this.members = [...slots.keys()].sort();
  }

  /** A ring of members with distinct ids. */
  static of(members: Iterable<RingMember>, options: RingOptions): Ring {
    return new Ring(options, [], TokenTable.empty).to([...members]);
  }

  /**
   * The ring of other members, with distinct ids: only the tokens of those that differ are hashed and sorted, the others
   * are copied.
   */
  to(members: readonly RingMember[]): Ring {
    const ids = new Set(members.map(({ id }) => id));
    invariant(ids.size === members.length, "a member is on a ring once");
    const come = members.filter(({ id, weight }) => this.weightOf(id) !== weight);
    for (const { id } of come) ids.delete(id);
    return this.#changed(
      this.members.filter((id) => !ids.has(id)),
      come,
    );
  }

  /** The ring in which `member` takes part, with this weight if it did already. */
  with(member: RingMember): Ring {
    const { id, weight } = member;
    return this.weightOf(id) === weight ? this : this.#changed(this.has(id) ? [id] : [], [member]);
  }

  /** The ring in which `id` takes no part. */
  without(id: MemberId): Ring {
    return this.#changed(this.has(id) ? [id] : [], []);
  }

  #changed(gone: readonly MemberId[], come: readonly RingMember[]): Ring {
    if (gone.length === 0 && come.length === 0) return this;
    const seats = [...this.#seats];
    const holes = gone.map((id) => this.#slotOf(id));
    let tokensGone = 0;
    for (const slot of holes) {
      tokensGone += seats[slot]?.tokens ?? 0;
      seats[slot] = undefined;
    }
    let slot = 0;
    const added = come.toSorted(byId).map(({ id, weight }) => {
      while (seats[slot] !== undefined) slot += 1;
      const tokens = tokensOf({ id, weight }, this.#options);
      seats[slot] = { id, weight, tokens: tokens.length };
      return { slot, tokens };
    });
    const idAt = (at: number): MemberId => seats[at]?.id ?? ("" as MemberId);
    const table = this.#table
      .without(holes, tokensGone)
      .union(TokenTable.of(added), (one, other) => idAt(one) < idAt(other));
    return new Ring(this.#options, seats, table);
  }

  has(id: MemberId): boolean {
    return this.#slots.has(id);
  }

  /** Whether these, with these weights, are all its members. */
  isOf(members: readonly RingMember[]): boolean {
    const isIn = ({ id, weight }: RingMember): boolean => this.weightOf(id) === weight;
    return members.length === this.members.length && members.every(isIn);
  }

  /** Of all members: their tokens, as multiples of those of a member of weight 1. */
  get weight(): number {
    return this.#table.length / this.#options.virtualNodes;
  }

  weightOf(id: MemberId): number | undefined {
    const slot = this.#slots.get(id);
    return slot === undefined ? undefined : this.#seats[slot]?.weight;
  }

  /** Nobody only when the ring has no members. */
  ownerOf(position: RingPosition): MemberId | undefined {
    return this.#seats[this.#table.slotAt(this.#table.firstAfter(position))]?.id;
  }

  /** The first `count` distinct members clockwise, owner first; all members where there are fewer. */
  preferenceOf(position: RingPosition, count: number): MemberId[] {
    return this.#slotsFrom(this.#table.firstAfter(position), count).map((slot) => this.#idOf(slot));
  }

  /** Where `id` is among the first `count` members: with 1, what it owns. Time grows with its tokens alone. */
  arcsOf(id: MemberId, count = 1): ArcSet {
    const slot = this.#slots.get(id);
    if (slot === undefined || count < 1) return ArcSet.empty;
    if (count >= this.members.length) return ArcSet.whole;
    const table = this.#table;
    const list = new ArcList();
    const first = table.indexOfSlot(slot, 0);
    const reach = this.#reachOf(first, slot, count);
    list.append(reach < 0 ? table.startAt(0) : table.endAt(reach), table.endAt(first));
    for (let at = table.indexOfSlot(slot, first + 1); at !== -1;) {
      list.append(table.endAt(this.#reachOf(at, slot, count)), table.endAt(at));
      at = table.indexOfSlot(slot, at + 1);
    }
    // What the first token reaches below 0 is at the circle's other end.
    if (reach < 0) list.append(table.endAt(reach + table.length), circle);
    return list.toSet();
  }

  /** Calls `visit` for each arc between two tokens, or its part within `within`, rising. Allocates nothing for each. */
  forEachArc(visit: OwnerVisitor, within: ArcSet = ArcSet.whole): void {
    this.#walk(within, (from, to, index) => {
      visit(from, to, this.#idOf(this.#table.slotAt(index)));
    });
  }

  /**
   * Calls `visit` with the first `count` members of each arc within `within`, rising. Arcs that touch and have the same
   * members in the same order are one.
   */
  forEachPreference(count: number, visit: PreferenceVisitor, within: ArcSet = ArcSet.whole): void {
    let slots: number[] = [];
    let members: MemberId[] = [];
    let start = 0 as RingPosition;
    let end = start;
    this.#walk(within, (from, to, index) => {
      const next = this.#slotsFrom(index, count);
      const isSame = from === end && next.every((slot, i) => slot === slots[i]);
      if (!isSame) {
        if (end > start) visit(start, end, members);
        start = from;
        slots = next;
        members = next.map((slot) => this.#idOf(slot));
      }
      end = to;
    });
    if (end > start) visit(start, end, members);
  }

  /** Who owns something within `within`: a list where {@link Ring.forEachArc} tells of millions of arcs. */
  ownersIn(within: ArcSet): MemberId[] {
    const isOwner = new Uint8Array(this.#seats.length);
    this.#walk(within, (_from, _to, index) => {
      isOwner[this.#table.slotAt(index)] = 1;
    });
    return this.members.filter((id) => isOwner[this.#slotOf(id)] === 1);
  }

  /** Part of the circle that each member owns, from 0 to 1. */
  sharesOf(): Map<MemberId, number> {
    const lengths = new Float64Array(this.#seats.length);
    const table = this.#table;
    this.#walk(ArcSet.whole, (from, to, index) => {
      const slot = table.slotAt(index);
      lengths[slot] = (lengths[slot] ?? 0) + (to - from);
    });
    return new Map(
      this.members.map((id) => [id, (lengths[this.#slots.get(id) ?? 0] ?? 0) / circle]),
    );
  }

  /**
   * The arcs whose owner differs, rising; those that touch and changed alike are one.
   *
   * Only arcs of members that differ are compared: where neither owner has come, gone or changed its weight, both have
   * their token in both rings, so the first of the two is the first in both.
   */
  static diff(before: Ring, after: Ring): OwnerChange[] {
    const { virtualNodes, hashSeed } = before.#options;
    invariant(
      virtualNodes === after.#options.virtualNodes && hashSeed === after.#options.hashSeed,
      "only rings of one swarm can be compared",
    );
    const changes: OwnerChange[] = [];
    const push = (change: OwnerChange): void => {
      const last = changes.at(-1);
      if (
        last?.to === change.from &&
        last.before === change.before &&
        last.after === change.after
      ) {
        changes[changes.length - 1] = { ...change, from: last.from };
      } else {
        changes.push(change);
      }
    };
    const suspects = before.#arcsUnlike(after).union(after.#arcsUnlike(before));
    suspects.forEachArc((from, to) => {
      let i = before.#table.firstAfter(from);
      let j = after.#table.firstAfter(from);
      for (let at = from; at < to;) {
        const ends = [before.#table.endAt(i), after.#table.endAt(j)] as const;
        const end = Math.min(...ends, to) as RingPosition;
        const owners = { before: before.#ownerAt(i), after: after.#ownerAt(j) };
        if (end > at && owners.before !== owners.after) push({ from: at, to: end, ...owners });
        if (ends[0] === end) i += 1;
        if (ends[1] === end) j += 1;
        at = end;
      }
    });
    return changes;
  }

  /** What is owned by members that `other` has not, or has with another weight. */
  #arcsUnlike(other: Ring): ArcSet {
    const unlike = this.members.filter((id) => this.weightOf(id) !== other.weightOf(id));
    if (unlike.length <= 1) return unlike[0] === undefined ? ArcSet.empty : this.arcsOf(unlike[0]);
    const isUnlike = new Uint8Array(this.#seats.length);
    for (const id of unlike) isUnlike[this.#slots.get(id) ?? 0] = 1;
    const list = new ArcList();
    this.#walk(ArcSet.whole, (from, to, index) => {
      if (isUnlike[this.#table.slotAt(index)] === 1) list.append(from, to);
    });
    return list.toSet();
  }

  /** Visits the arcs that have positions, by the index of the token that ends them. */
  #walk(
    within: ArcSet,
    visit: (from: RingPosition, to: RingPosition, index: number) => void,
  ): void {
    const table = this.#table;
    if (table.length === 0) return;
    within.forEachArc((from, to) => {
      let index = table.firstAfter(from);
      for (let at = from; at < to; index += 1) {
        const end = Math.min(table.endAt(index), to) as RingPosition;
        if (end > at) visit(at, end, index);
        at = end;
      }
    });
  }

  /** The first `count` distinct slots from a token on. */
  #slotsFrom(index: number, count: number): number[] {
    const wanted = Math.min(count, this.members.length);
    const slots: number[] = [];
    for (let at = index; slots.length < wanted; at += 1) {
      const slot = this.#table.slotAt(at);
      if (!slots.includes(slot)) slots.push(slot);
    }
    return slots;
  }

  /**
   * Index of the token from which on the token at `at` brings its member among the first `count`: the member's own token
   * before, which does the same for what is lower, or the `count`-th other member's. Negative past 0.
   */
  #reachOf(at: number, slot: number, count: number): number {
    const others: number[] = [];
    for (let index = at - 1; ; index -= 1) {
      const passed = this.#table.slotAt(index < 0 ? index + this.#table.length : index);
      if (passed === slot) return index;
      if (!others.includes(passed)) others.push(passed);
      if (others.length === count) return index;
    }
  }

  #slotOf(id: MemberId): number {
    const slot = this.#slots.get(id);
    invariant(slot !== undefined, "a member has a slot");
    return slot;
  }

  #ownerAt(index: number): MemberId | undefined {
    return this.#seats[this.#table.slotAt(index)]?.id;
  }

  #idOf(slot: number): MemberId {
    const seat = this.#seats[slot];
    invariant(seat !== undefined, "a token's slot has a member");
    return seat.id;
  }
}

function byId(a: RingMember, b: RingMember): number {
  return a.id < b.id ? -1 : 1;
}
