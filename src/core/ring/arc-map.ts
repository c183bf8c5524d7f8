import { ArcList, ArcSet } from "./arc-set.ts";
import { circle, type Arc, type RingPosition } from "./ring-position.ts";

export interface ArcEntry<T> extends Arc {
  readonly value: T;
}

/**
 * A value, or none, for each position of the ring, the same over whole arcs: who holds what, how far a copy has come.
 *
 * Setting n arcs in a map of m pieces takes time linear in n + m, however the arcs cut the pieces.
 *
 * Invariant: pieces rise, the first begins at 0, each ends where the next begins, the last at 2^52, and neighbours
 * differ in value. So the number of pieces is bounded by what the map says, not by how it came to say it.
 */
export class ArcMap<T> {
  #starts: number[] = [0];
  #values: (T | undefined)[] = [undefined];
  readonly #isSame: (one: T, other: T) => boolean;

  /** @param isSame whether two values say the same; else each is one of its own */
  constructor(isSame: (one: T, other: T) => boolean = Object.is) {
    this.#isSame = isSame;
  }

  /** Number of pieces, those without a value included. */
  get size(): number {
    return this.#starts.length;
  }

  get(position: RingPosition): T | undefined {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#starts[middle] ?? circle) <= position) low = middle;
      else high = middle - 1;
    }
    return this.#values[low];
  }

  set(arcs: ArcSet, value: T): void {
    this.#overlay(arcs, value);
  }

  delete(arcs: ArcSet): void {
    this.#overlay(arcs, undefined);
  }

  /** Puts `change` of each value in its place; it is asked once for each, and returns another one for another one. */
  change(change: (value: T) => T): void {
    const changed = new Map<T, T>();
    this.#values = this.#values.map((value) => {
      if (value === undefined) return undefined;
      const known = changed.get(value) ?? change(value);
      changed.set(value, known);
      return known;
    });
  }

  /** The positions whose value satisfies `predicate`, which is asked once for each piece that has a value. */
  arcsWhere(predicate: (value: T) => boolean, within: ArcSet = ArcSet.whole): ArcSet {
    const list = new ArcList();
    for (let i = 0; i < this.#starts.length; i += 1) {
      const value = this.#values[i];
      if (value !== undefined && predicate(value)) list.append(this.#start(i), this.#start(i + 1));
    }
    return list.toSet().intersect(within);
  }

  /**
   * What has a value within `within`, rising; what touches and has one value is one entry. The map may be changed while
   * the entries are read: they are those of the moment at which reading began.
   */
  *entries(within: ArcSet = ArcSet.whole): IterableIterator<ArcEntry<T>> {
    const [starts, values] = [this.#starts, this.#values];
    let i = 0;
    for (const arc of within.arcs()) {
      while ((starts[i + 1] ?? circle) <= arc.from) i += 1;
      for (let from = arc.from; from < arc.to;) {
        const end = starts[i + 1] ?? circle;
        const to = Math.min(end, arc.to) as RingPosition;
        const value = values[i];
        if (value !== undefined) yield { from, to, value };
        if (end === to && to < circle) i += 1;
        from = to;
      }
    }
  }

  /** Writes new lists, in one sweep over pieces and arcs; lists that an iteration still reads stay as they are. */
  #overlay(arcs: ArcSet, value: T | undefined): void {
    if (arcs.isEmpty) return;
    const starts: number[] = [];
    const values: (T | undefined)[] = [];
    const push = (start: number, piece: T | undefined): void => {
      if (starts.length > 0 && this.#areSame(values.at(-1), piece)) return;
      starts.push(start);
      values.push(piece);
    };
    let i = 0;
    /** Copies the pieces of [from, to); `i` stays at the piece that holds `to`. */
    const copy = (from: number, to: number): void => {
      while (this.#start(i + 1) <= from && i + 1 < this.#starts.length) i += 1;
      for (let at = from; at < to;) {
        push(at, this.#values[i]);
        at = this.#start(i + 1);
        if (at <= to && i + 1 < this.#starts.length) i += 1;
      }
    };
    let done = 0;
    arcs.forEachArc((from, to) => {
      copy(done, from);
      push(from, value);
      done = to;
    });
    copy(done, circle);
    this.#starts = starts;
    this.#values = values;
  }

  #areSame(one: T | undefined, other: T | undefined): boolean {
    if (one === other) return true;
    return one !== undefined && other !== undefined && this.#isSame(one, other);
  }

  #start(i: number): RingPosition {
    return (this.#starts[i] ?? circle) as RingPosition;
  }
}
