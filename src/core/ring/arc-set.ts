import { invariant } from "../errors.ts";
import { circle, type Arc, type RingPosition } from "./ring-position.ts";

/** Which positions are kept: bit 1 those in the one set alone, bit 2 those in the other alone, bit 3 those in both. */
type Combination = number;

const union: Combination = 0b1110;
const intersection: Combination = 0b1000;
const difference: Combination = 0b0010;

/**
 * An immutable set of positions, as arcs.
 *
 * Combining two sets takes time linear in the number of their arcs.
 *
 * Invariant: the bounds are integers that rise strictly, from, to, from, to and so on, within [0, 2^52]. So arcs neither
 * overlap nor touch, and two sets of the same positions have the same bounds.
 */
export class ArcSet {
  readonly #bounds: Float64Array;

  private constructor(bounds: Float64Array) {
    this.#bounds = bounds;
  }

  static get empty(): ArcSet {
    return emptySet;
  }

  static get whole(): ArcSet {
    return wholeSet;
  }

  /** The positions of all `arcs`, which may overlap and come in any order. */
  static of(arcs: Iterable<Arc>): ArcSet {
    const list = new ArcList();
    for (const { from, to } of [...arcs].sort((a, b) => a.from - b.from)) list.append(from, to);
    return list.toSet();
  }

  /**
   * The positions of all `sets`, two and two: one after the other, the first arcs would be copied once for each set that
   * follows.
   */
  static unionOf(sets: readonly ArcSet[]): ArcSet {
    let rest = sets;
    while (rest.length > 1) {
      rest = Array.from({ length: Math.ceil(rest.length / 2) }, (_, pair) => {
        const [one = emptySet, other = emptySet] = rest.slice(2 * pair, 2 * pair + 2);
        return one.union(other);
      });
    }
    return rest[0] ?? emptySet;
  }

  /** The set that has these {@link toBounds}; nothing when there is none. */
  static fromBounds(numbers: ArrayLike<number>): ArcSet | undefined {
    if (numbers.length % 2 !== 0) return undefined;
    const bounds = Float64Array.from(numbers);
    let last = -1;
    for (const bound of bounds) {
      if (!Number.isInteger(bound) || bound <= last || bound > circle) return undefined;
      last = bound;
    }
    // Adding 0 turns the -0 that passed above into 0.
    if (bounds.length > 0) bounds[0] = (bounds[0] ?? 0) + 0;
    return new ArcSet(bounds);
  }

  /** From, to, from, to: how a message carries the set. */
  toBounds(): number[] {
    return [...this.#bounds];
  }

  /** The same positions in sets of so many arcs at most, in order; a set of none is one part. */
  inParts(arcsMax: number): ArcSet[] {
    if (this.size <= arcsMax) return [this];
    const parts = Array.from({ length: Math.ceil(this.size / arcsMax) }, (_, at) =>
      this.#bounds.subarray(2 * arcsMax * at, 2 * arcsMax * (at + 1)),
    );
    return parts.map((bounds) => new ArcSet(bounds));
  }

  get isEmpty(): boolean {
    return this.#bounds.length === 0;
  }

  /** Number of arcs. */
  get size(): number {
    return this.#bounds.length / 2;
  }

  /** Part of the circle, from 0 to 1. */
  get share(): number {
    let length = 0;
    for (let i = 0; i < this.#bounds.length; i += 2) length += this.#bound(i + 1) - this.#bound(i);
    return length / circle;
  }

  contains(position: RingPosition): boolean {
    let low = 0;
    let high = this.#bounds.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#bound(middle) <= position) low = middle + 1;
      else high = middle;
    }
    return low % 2 === 1;
  }

  union(other: ArcSet): ArcSet {
    if (other.isEmpty) return this;
    if (this.isEmpty) return other;
    return this.#combine(other, union);
  }

  intersect(other: ArcSet): ArcSet {
    if (this.isEmpty || other.isEmpty) return ArcSet.empty;
    if (this.equals(other)) return this;
    return this.#combine(other, intersection);
  }

  subtract(other: ArcSet): ArcSet {
    if (this.isEmpty || other.isEmpty) return this;
    // A complete copy lacks nothing: that is asked all the time.
    if (this.equals(other)) return ArcSet.empty;
    return this.#combine(other, difference);
  }

  /** Whether every position of `other` is in this set. */
  covers(other: ArcSet): boolean {
    return this.equals(other) || other.subtract(this).isEmpty;
  }

  equals(other: ArcSet): boolean {
    const [one, two] = [this.#bounds, other.#bounds];
    if (one === two) return true;
    if (one.length !== two.length) return false;
    for (let i = 0; i < one.length; i += 1) if (one[i] !== two[i]) return false;
    return true;
  }

  /** The arcs, rising. */
  *arcs(): IterableIterator<Arc> {
    for (let i = 0; i < this.#bounds.length; i += 2) {
      yield { from: this.#bound(i), to: this.#bound(i + 1) };
    }
  }

  /** Calls `visit` for each arc, rising, without an object for each. */
  forEachArc(visit: (from: RingPosition, to: RingPosition) => void): void {
    for (let i = 0; i < this.#bounds.length; i += 2) visit(this.#bound(i), this.#bound(i + 1));
  }

  /** One sweep over both lists of bounds; each bound turns its set on or off. */
  #combine(other: ArcSet, keep: Combination): ArcSet {
    const [one, two] = [this.#bounds, other.#bounds];
    const bounds = new Float64Array(one.length + two.length);
    let length = 0;
    let i = 0;
    let j = 0;
    let inside = 0;
    while (i < one.length || j < two.length) {
      const oneAt = one[i] ?? Infinity;
      const otherAt = two[j] ?? Infinity;
      const at = Math.min(oneAt, otherAt);
      if (oneAt === at) i += 1;
      if (otherAt === at) j += 1;
      const isIn = (keep >> ((i & 1) | ((j & 1) << 1))) & 1;
      if (isIn !== inside) bounds[length++] = at;
      inside = isIn;
    }
    return length === 0 ? ArcSet.empty : new ArcSet(bounds.slice(0, length));
  }

  #bound(i: number): RingPosition {
    return (this.#bounds[i] ?? circle) as RingPosition;
  }
}

/** Collects an {@link ArcSet}, arc by arc, in rising order of their beginnings. */
export class ArcList {
  readonly #bounds: number[] = [];

  /** Adds an arc that begins no lower than the ones before; an empty one adds nothing. */
  append(from: RingPosition, to: RingPosition): void {
    const bounds = this.#bounds;
    invariant(from >= 0 && from <= to && to <= circle, "an arc lies within the circle");
    invariant(from >= (bounds.at(-2) ?? 0), "arcs are appended in rising order");
    if (from === to) return;
    const end = bounds.at(-1) ?? -1;
    if (from > end) bounds.push(from, to);
    else if (to > end) bounds[bounds.length - 1] = to;
  }

  toSet(): ArcSet {
    const set = ArcSet.fromBounds(this.#bounds);
    invariant(set !== undefined, "an arc's ends are integers");
    return set;
  }
}

const emptySet = new ArcList().toSet();
const wholeSet = ArcSet.of([{ from: 0 as RingPosition, to: circle }]);
