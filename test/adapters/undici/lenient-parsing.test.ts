import { describe, expect, it } from "vitest";
import { parseLeniently } from "../../../src/adapters/undici/lenient-parsing.ts";

const parser = Symbol("parser");

interface FakeParser {
  readonly statusText: string;
  readonly onHeadersComplete: (status: number) => number;
  readonly onStatus: (piece: Buffer) => number;
}

/** A parser that notes which switches are set, with these alone, and the bytes of its head. */
function parserWith(names: readonly string[], set: string[], tracked: number[] = []): FakeParser {
  const llhttp = Object.fromEntries(names.map((name) => [name, () => set.push(name)]));
  const own = { ptr: 1, llhttp, headers: [], contentLength: -1 };
  const methods = {
    onHeadersComplete: (status: number) => status,
    onStatus: () => 0,
    trackHeader: (bytes: number) => tracked.push(bytes),
  };
  return Object.assign(own, methods, { statusText: "" });
}

const known = [
  "llhttp_set_lenient_headers",
  "llhttp_set_lenient_optional_cr_before_lf",
  "llhttp_set_lenient_spaces_after_chunk_size",
];

describe("lenient parsing", () => {
  it("sets what it asks for, and takes 100 for one of the informational responses", () => {
    const set: string[] = [];
    const socket = { [parser]: parserWith(known, set) };
    expect(parseLeniently(socket)).toBe(true);
    expect(set).toEqual(known);
    const complete = socket[parser].onHeadersComplete;
    expect([100, 102, 200].map((status) => complete(status))).toEqual([103, 102, 200]);
  });

  it("joins the pieces of a reason phrase as bytes, and counts them towards the head", () => {
    const tracked: number[] = [];
    const patched = parserWith(known, [], tracked);
    expect(parseLeniently({ [parser]: patched })).toBe(true);
    for (const piece of ["Tr\xe8", "s bien"]) patched.onStatus(Buffer.from(piece, "latin1"));
    expect(patched.statusText).toBe("Tr\xe8s bien");
    expect(tracked).toEqual([3, 6]);
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
