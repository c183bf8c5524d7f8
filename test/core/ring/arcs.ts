import fc from "fast-check";
import { ArcSet } from "../../../src/core/ring/arc-set.ts";
import { circle, type Arc, type RingPosition } from "../../../src/core/ring/ring-position.ts";

/** A naive model cuts the circle into so many cells of equal length; arcs begin and end between cells. */
export const cells = 24;

export function boundOf(cell: number): RingPosition {
  return Math.round((cell / cells) * circle) as RingPosition;
}

/** A position inside each cell: its first and its last. */
export function probesOf(cell: number): RingPosition[] {
  return [boundOf(cell), (boundOf(cell + 1) - 1) as RingPosition];
}

export function arcOf(from: number, to: number): Arc {
  return { from: boundOf(from), to: boundOf(to) };
}

/** Arcs that may touch, overlap and come in any order. */
export const anyArcs = fc.array(
  fc
    .tuple(fc.nat(cells), fc.nat(cells))
    .filter(([a, b]) => a !== b)
    .map(([a, b]) => arcOf(Math.min(a, b), Math.max(a, b))),
  { maxLength: 5 },
);

export const anyArcSet = anyArcs.map((arcs) => ArcSet.of(arcs));

/** Whether each cell's positions are in the set. */
export function cellsOf(set: ArcSet): boolean[] {
  return Array.from({ length: cells }, (_, cell) => {
    const [first, last] = probesOf(cell).map((position) => set.contains(position));
    if (first !== last) throw new Error(`cell ${cell} is cut`);
    return first === true;
  });
}
