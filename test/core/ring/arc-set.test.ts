import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { InvariantError } from "../../../src/core/errors.ts";
import { ArcList, ArcSet } from "../../../src/core/ring/arc-set.ts";
import { circle, type RingPosition } from "../../../src/core/ring/ring-position.ts";
import { anyArcs, anyArcSet, arcOf, cells, cellsOf, probesOf } from "./arcs.ts";

describe("ArcSet", () => {
  it("holds the positions of its arcs and no others", () => {
    fc.assert(
      fc.property(anyArcs, (arcs) => {
        const set = ArcSet.of(arcs);
        for (let cell = 0; cell < cells; cell += 1) {
          for (const at of probesOf(cell)) {
            expect(set.contains(at)).toBe(arcs.some(({ from, to }) => from <= at && at < to));
          }
        }
      }),
    );
  });

  it("combines as sets do, and equal sets have equal bounds", () => {
    fc.assert(
      fc.property(anyArcSet, anyArcSet, (one, two) => {
        const [inOne, inTwo] = [cellsOf(one), cellsOf(two)];
        const expected = (keep: (a: boolean, b: boolean) => boolean): ArcSet =>
          ArcSet.of(inOne.flatMap((a, i) => (keep(a, inTwo[i] === true) ? [arcOf(i, i + 1)] : [])));
        expect(one.union(two).toBounds()).toEqual(expected((a, b) => a || b).toBounds());
        expect(one.intersect(two).toBounds()).toEqual(expected((a, b) => a && b).toBounds());
        expect(one.subtract(two).toBounds()).toEqual(expected((a, b) => a && !b).toBounds());
        expect(one.covers(two)).toBe(inTwo.every((b, i) => !b || inOne[i] === true));
        expect(one.equals(two)).toBe(inOne.every((a, i) => a === inTwo[i]));
        expect(one.share).toBeCloseTo(inOne.filter(Boolean).length / cells, 12);
        expect(one.isEmpty).toBe(!inOne.includes(true));
      }),
    );
  });

  it("unites any number of sets as one after the other", () => {
    fc.assert(
      fc.property(fc.array(anyArcSet, { maxLength: 9 }), (sets) => {
        const expected = sets.reduce((all, set) => all.union(set), ArcSet.empty);
        expect(ArcSet.unionOf(sets).toBounds()).toEqual(expected.toBounds());
      }),
    );
  });

  it("unites many sets in little more than the time of their arcs", () => {
    const combine = vi.spyOn(ArcSet.prototype, "union");
    const sets = Array.from({ length: 1_024 }, (_, at) =>
      ArcSet.of([{ from: (2 * at) as RingPosition, to: (2 * at + 1) as RingPosition }]),
    );
    const all = ArcSet.unionOf(sets);
    const read = combine.mock.contexts.reduce<number>((sum, set) => sum + (set as ArcSet).size, 0);
    combine.mockRestore();
    expect(all.size).toBe(1_024);
    expect(read).toBeLessThan(10 * 1_024);
  });

  it("lists its arcs rising and apart", () => {
    const set = ArcSet.of([arcOf(4, 6), arcOf(0, 2), arcOf(2, 3), arcOf(5, 7)]);
    expect([...set.arcs()]).toEqual([arcOf(0, 3), arcOf(4, 7)]);
    expect(set.size).toBe(2);
    const visited: number[] = [];
    set.forEachArc((from, to) => visited.push(from, to));
    expect(visited).toEqual(set.toBounds());
  });

  it("comes in parts of so many arcs at most, in order", () => {
    fc.assert(
      fc.property(anyArcSet, fc.integer({ min: 1, max: 9 }), (set, arcsMax) => {
        const parts = set.inParts(arcsMax);
        expect(parts.flatMap((part) => [...part.arcs()])).toEqual([...set.arcs()]);
        expect(parts.slice(0, -1).every(({ size }) => size === arcsMax)).toBe(true);
        expect(parts.at(-1)?.size).toBe(set.size - (parts.length - 1) * arcsMax);
        expect(parts.every(({ isEmpty }) => !isEmpty) || set.isEmpty).toBe(true);
      }),
    );
    expect(ArcSet.empty.inParts(3)).toEqual([ArcSet.empty]);
  });

  it("comes back from its bounds", () => {
    fc.assert(
      fc.property(anyArcSet, (set) => {
        expect(ArcSet.fromBounds(set.toBounds())?.equals(set)).toBe(true);
      }),
    );
  });

  it.each([
    ["odd in number", [1]],
    ["falling", [2, 1]],
    ["touching", [0, 1, 1, 2]],
    ["empty", [5, 5]],
    ["negative", [-1, 2]],
    ["not whole", [0, 1.5]],
    ["not numbers", [0, Number.NaN]],
    ["endless", [0, Infinity]],
    ["beyond the circle", [0, circle + 1]],
  ])("takes no bounds that are %s", (_, bounds) => {
    expect(ArcSet.fromBounds(bounds)).toBeUndefined();
  });

  it("takes the lowest bound for 0 whatever its sign", () => {
    expect(Object.is(ArcSet.fromBounds([-0, 1])?.toBounds()[0], 0)).toBe(true);
  });
});

describe("ArcList", () => {
  it("refuses an arc that begins lower than the last, or is not in the circle", () => {
    const list = new ArcList();
    list.append(5 as RingPosition, 9 as RingPosition);
    expect(() => {
      list.append(4 as RingPosition, 12 as RingPosition);
    }).toThrow(InvariantError);
    expect(() => {
      list.append(6 as RingPosition, (circle + 1) as RingPosition);
    }).toThrow(InvariantError);
  });
});
