import { describe, expect, it } from "vitest";
import { parseLeniently } from "../../../src/adapters/undici/lenient-parsing.ts";

const parser = Symbol("parser");

/** A parser that notes which switches are set, with these alone. */
function parserWith(names: readonly string[], set: string[]): object {
  const llhttp = Object.fromEntries(names.map((name) => [name, () => set.push(name)]));
  const head = { headers: [], contentLength: -1 };
  return { ptr: 1, llhttp, ...head, onHeadersComplete: (status: number) => status };
}

const known = [
  "llhttp_set_lenient_headers",
  "llhttp_set_lenient_optional_cr_before_lf",
  "llhttp_set_lenient_spaces_after_chunk_size",
];

describe("lenient parsing", () => {
  it("sets what it asks for, and takes 100 for one of the informational responses", () => {
    const set: string[] = [];
    const socket = { [parser]: parserWith(known, set) as { onHeadersComplete: unknown } };
    expect(parseLeniently(socket)).toBe(true);
    expect(set).toEqual(known);
    const complete = socket[parser].onHeadersComplete as (status: number) => number;
    expect([100, 102, 200].map((status) => complete(status))).toEqual([103, 102, 200]);
  });

  it("leaves everything as it is where the parser is not what it was", () => {
    const set: string[] = [];
    const incomplete = parserWith(known.slice(1), set);
    const untouched = { ...incomplete };
    expect(parseLeniently({ [parser]: incomplete })).toBe(false);
    expect(set).toEqual([]);
    expect(incomplete).toEqual(untouched);
    for (const other of [undefined, null, 1, {}, { ptr: 1 }, { ptr: 1, llhttp: {} }]) {
      expect(parseLeniently({ [parser]: other })).toBe(false);
    }
    expect(parseLeniently({})).toBe(false);
  });
});
