import type { MemberId } from "../../../core/units.ts";
import { ArcMap } from "../../../core/ring/arc-map.ts";
import { ArcSet } from "../../../core/ring/arc-set.ts";
import type { RingPosition } from "../../../core/ring/ring-position.ts";
import type { SwarmView } from "../members/swarm-view.ts";

/** Who held an arc when this peer last heard of it. */
export interface Holder {
  readonly member: MemberId;
  /** The holder's run: one that has been started again holds nothing of what it held before. */
  readonly generation: number;
  /** This peer has everything of the arc that the holder had then, and all changes since. */
  readonly synced: boolean;
  /**
   * The copy is what this peer held itself, or had when it stood still: nobody has said that it was kept up to date
   * since.
   */
  readonly former?: boolean;
  /**
   * Another one of which this peer has everything: for a while after a partition two hold an arc, and what they say of it
   * crosses. Whichever gives way, the copy of the other one's goes on.
   */
  readonly also?: Omit<Holder, "also">;
}

/**
 * Pieces of what is noted from which on no more is taken in that others say: 16 MiB, and sixteen times the tokens
 * of the heaviest member. A member notes little more than the arcs of which it keeps copies.
 */
export const defaultPiecesMax = 2 ** 20;

/** No run has this number. */
const noGeneration = -1;

/**
 * Which part of the circle this peer holds, and what it knows of who holds the rest.
 *
 * To hold an arc is a right that one member has at a time: to admit URLs there and to send out requests. It passes by a
 * transfer from holder to holder, never by a change of the ring alone; the ring only says to whom it should pass. A right
 * that was lost with its holder is claimed anew ({@link Ownership}).
 *
 * Invariant: what is closing is held.
 */
export class Territory {
  readonly #piecesMax: number;
  #held = ArcSet.empty;
  #closing = ArcSet.empty;
  readonly #holders = new ArcMap(isSame);
  /** What {@link bereft} has found, until a note or the members change. */
  #bereft: { readonly others: SwarmView["others"]; readonly arcs: ArcSet } | undefined;

  constructor(piecesMax = defaultPiecesMax) {
    this.#piecesMax = piecesMax;
  }

  get held(): ArcSet {
    return this.#held;
  }

  /** Held, and not on its way to another member. */
  get open(): ArcSet {
    return this.#closing.isEmpty ? this.#held : this.#held.subtract(this.#closing);
  }

  holds(position: RingPosition): boolean {
    return this.#held.contains(position);
  }

  /** Whether URLs may be taken in here: held, and not on its way to another member. */
  admits(position: RingPosition): boolean {
    return this.#held.contains(position) && !this.#closing.contains(position);
  }

  take(arcs: ArcSet): void {
    if (arcs.isEmpty) return;
    this.#held = this.#held.union(arcs);
    this.#holders.delete(arcs);
    this.#bereft = undefined;
  }

  /** Admits nothing here any more, until `reopen` or `give`. */
  close(arcs: ArcSet): void {
    this.#closing = this.#closing.union(arcs.intersect(this.#held));
  }

  reopen(arcs: ArcSet): void {
    this.#closing = this.#closing.subtract(arcs);
  }

  /** The right has passed to another member. */
  give(arcs: ArcSet, to: Holder): void {
    this.#held = this.#held.subtract(arcs);
    this.reopen(arcs);
    this.#holders.set(arcs, to);
    this.#bereft = undefined;
  }

  /** Holds nothing any more, without a successor. */
  abandon(): void {
    this.#held = ArcSet.empty;
    this.#closing = ArcSet.empty;
  }

  /**
   * Whether there is room for what one of so many members says of these arcs. One half is for whoever comes first, and of
   * the other one each member has its share: one that says much keeps no other one from being heard.
   *
   * Before that half is begun, all is forgotten that no copy hangs on, as members may come and go without end: who holds
   * such an arc can be asked again, and until then whoever owns it is taken for its holder.
   */
  makeRoomFor(arcs: ArcSet, member: MemberId, members: number): boolean {
    const [pieces, piecesMax] = [2 * arcs.size, this.#piecesMax];
    if (this.#holders.size + pieces <= piecesMax / 2) return true;
    this.#holders.delete(this.notedWhere(({ also, synced }) => !synced && !also));
    this.#bereft = undefined;
    const size = this.#holders.size + pieces;
    if (size <= piecesMax / 2) return true;
    return size <= piecesMax && this.#piecesOf(member) + pieces <= piecesMax / 2 / members;
  }

  /** Pieces that come of what the member said: that others have said something of a part of it makes them no more. */
  #piecesOf(member: MemberId): number {
    const isKept = ({ also, ...own }: Holder): boolean =>
      own.member === member ? own.synced : also?.member === member;
    const kept = this.notedWhere(isKept);
    const others = this.notedWhere((own) => own.member === member && !own.synced);
    return 2 * (kept.size + others.size);
  }

  /** Notes who holds `arcs`, as far as this peer does not hold them itself. */
  note(arcs: ArcSet, holder: Omit<Holder, "also">): void {
    const noted = arcs.subtract(this.#held);
    const before = this.#partsOf(noted);
    this.#holders.set(noted, holder);
    for (const [value, part] of before) {
      const also = otherThan(holder.member, value);
      if (also) this.#holders.set(part, { ...holder, also });
    }
    this.#bereft = undefined;
  }

  /**
   * What is noted within `arcs`, and where; what is noted in the same words is one, however often it was said: there are few
   * of them, as there are few members.
   */
  #partsOf(arcs: ArcSet): [Holder, ArcSet][] {
    const words = new Map<Holder, string>();
    const wordsOf = (holder: Holder): string => {
      const known = words.get(holder) ?? textOf(holder);
      words.set(holder, known);
      return known;
    };
    const parts = Map.groupBy(this.notes(arcs), ({ value }) => wordsOf(value)).values();
    return [...parts].flatMap((part) => (part[0] ? [[part[0].value, ArcSet.of(part)]] : []));
  }

  /** One of so many members says what it holds, and of which part of it this peer has a complete copy. */
  heard(
    member: MemberId,
    said: { readonly generation: number; readonly held: ArcSet; readonly kept: ArcSet },
    members: number,
  ): void {
    const { generation, held, kept } = said;
    if (!this.makeRoomFor(held, member, members)) return;
    this.note(kept, { member, generation, synced: true });
    this.note(held.subtract(kept), { member, generation, synced: false });
  }

  /**
   * A member keeps this peer's copy of these arcs up to date no more. Where another one does as well, and runs, that one is
   * the holder as far as is known.
   */
  release(
    arcs: ArcSet,
    member: MemberId,
    generation: number,
    isRunning: SwarmView["isRunning"],
  ): void {
    for (const [holder, part] of this.#partsOf(arcs.subtract(this.#held))) {
      const { also, ...own } = holder;
      if (also?.member === member && also.generation === generation) {
        this.#holders.set(part, own);
      } else if (own.member === member && own.generation === generation && own.synced) {
        const isKept = also && isRunning(also.member, also.generation);
        this.#holders.set(part, isKept ? also : { member, generation, synced: false });
      }
    }
    this.#bereft = undefined;
  }

  /** This process has stood still: whether its copies were kept up to date meanwhile is unknown. */
  distrustCopies(): void {
    this.#holders.change(({ also, ...own }) => ({
      ...(own.synced ? { ...own, former: true } : own),
      ...(also && { also: { ...also, former: true } }),
    }));
    this.#bereft = undefined;
  }

  /** The member that was noted for these arcs says that it does not hold them: whoever does is unknown. */
  doubt(arcs: ArcSet, member: MemberId): void {
    for (const [holder, part] of this.#partsOf(arcs)) {
      if (holder.member === member) this.note(part, { ...holder, generation: noGeneration });
    }
  }

  /** Arcs of which this peer has a copy, and whose holder runs no more. */
  bereft(view: Pick<SwarmView, "isRunning" | "others">, within = ArcSet.whole): ArcSet {
    const { others } = view;
    if (this.#bereft?.others !== others) {
      const arcs = this.notedWhere(
        ({ member, generation, synced }) => synced && !view.isRunning(member, generation),
      );
      this.#bereft = { others, arcs };
    }
    return this.#bereft.arcs.intersect(within);
  }

  /** Arcs of which this peer has a copy, and whose holder runs, and keeps that up to date. */
  liveCopies(view: Pick<SwarmView, "isRunning">): ArcSet {
    return this.notedWhere(
      ({ member, generation, synced }) => synced && view.isRunning(member, generation),
    );
  }

  holderAt(position: RingPosition): Holder | undefined {
    return this.#holders.get(position);
  }

  /** The holder, where it is one that runs. */
  runningHolderAt(position: RingPosition, view: Pick<SwarmView, "isRunning">): Holder | undefined {
    const holder = this.holderAt(position);
    return holder && view.isRunning(holder.member, holder.generation) ? holder : undefined;
  }

  /** The arcs whose noted holder satisfies `predicate`. */
  notedWhere(predicate: (holder: Holder) => boolean, within?: ArcSet): ArcSet {
    return this.#holders.arcsWhere(predicate, within);
  }

  /** All notes within `arcs`, one for each arc. */
  notes(within: ArcSet): Iterable<{ from: RingPosition; to: RingPosition; value: Holder }> {
    return this.#holders.entries(within);
  }
}

function textOf({ also, member, generation, synced, former }: Holder): string {
  const own = `${member} ${generation} ${synced} ${former}`;
  return also ? `${own} ${textOf(also)}` : own;
}

function isSame(one: Holder, other: Holder): boolean {
  return (
    one.member === other.member &&
    one.generation === other.generation &&
    one.synced === other.synced &&
    one.former === other.former &&
    (one.also === other.also || (!!one.also && !!other.also && isSame(one.also, other.also)))
  );
}

/** A holder besides `member` of which there is a complete copy, by what was noted so far. */
function otherThan(member: MemberId, { also, ...noted }: Holder): Holder["also"] {
  if (noted.member !== member && noted.synced) return noted;
  return also?.member === member ? undefined : also;
}
