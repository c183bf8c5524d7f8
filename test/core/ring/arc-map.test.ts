import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ArcMap } from "../../../src/core/ring/arc-map.ts";
import { ArcSet } from "../../../src/core/ring/arc-set.ts";
import { anyArcSet, arcOf, cells, cellsOf, probesOf } from "./arcs.ts";

type Model = (string | undefined)[];

const anyWrites = fc.array(
  fc.record({
    arcs: anyArcSet,
    value: fc.option(fc.constantFrom("a", "b", "c"), { nil: undefined }),
  }),
  { maxLength: 8 },
);

function build(writes: readonly { arcs: ArcSet; value: string | undefined }[]): {
  map: ArcMap<string>;
  model: Model;
} {
  const map = new ArcMap<string>();
  const model: Model = new Array<string | undefined>(cells).fill(undefined);
  for (const { arcs, value } of writes) {
    if (value === undefined) map.delete(arcs);
    else map.set(arcs, value);
    for (const [cell, isIn] of cellsOf(arcs).entries()) if (isIn) model[cell] = value;
  }
  return { map, model };
}

/** What the model holds in the cells that are in `within`, as entries that touch only where values differ. */
function entriesOf(model: Model, within: readonly boolean[]): unknown[] {
  const entries: { from: number; to: number; value: string }[] = [];
  for (const [cell, value] of model.entries()) {
    if (value === undefined || within[cell] !== true) continue;
    const last = entries.at(-1);
    if (last?.to === cell && last.value === value) last.to = cell + 1;
    else entries.push({ from: cell, to: cell + 1, value });
  }
  return entries.map(({ from, to, value }) => ({ ...arcOf(from, to), value }));
}

describe("ArcMap", () => {
  it("holds at each position what was last written there", () => {
    fc.assert(
      fc.property(anyWrites, (writes) => {
        const { map, model } = build(writes);
        for (const [cell, value] of model.entries()) {
          for (const position of probesOf(cell)) expect(map.get(position)).toBe(value);
        }
      }),
    );
  });

  it("lists its entries within a set, neighbours of one value as one", () => {
    fc.assert(
      fc.property(anyWrites, anyArcSet, (writes, within) => {
        const { map, model } = build(writes);
        expect([...map.entries(within)]).toEqual(entriesOf(model, cellsOf(within)));
        expect([...map.entries()]).toEqual(entriesOf(model, cellsOf(ArcSet.whole)));
      }),
    );
  });

  it("changes each value wherever it stands", () => {
    fc.assert(
      fc.property(anyWrites, (writes) => {
        const { map, model } = build(writes);
        map.change((value) => `${value} changed`);
        const changed = model.map((value) => (value === undefined ? value : `${value} changed`));
        expect([...map.entries()]).toEqual(entriesOf(changed, cellsOf(ArcSet.whole)));
      }),
    );
  });

  it("finds where a value satisfies a predicate", () => {
    fc.assert(
      fc.property(anyWrites, anyArcSet, (writes, within) => {
        const { map, model } = build(writes);
        const inside = cellsOf(within);
        const found = map.arcsWhere((value) => value !== "b", within);
        expect(cellsOf(found)).toEqual(
          model.map((value, i) => value !== undefined && value !== "b" && inside[i] === true),
        );
      }),
    );
  });

  it("may be written while its entries are read, which stay those of the beginning", () => {
    const map = new ArcMap<string>();
    map.set(ArcSet.of([arcOf(0, 2), arcOf(4, 6)]), "a");
    const read = [];
    for (const entry of map.entries()) {
      read.push(entry);
      map.set(ArcSet.whole, "b");
    }
    expect(read).toEqual([
      { ...arcOf(0, 2), value: "a" },
      { ...arcOf(4, 6), value: "a" },
    ]);
  });
});
