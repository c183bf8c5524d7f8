import { Uint8ArrayList } from "uint8arraylist";
import { describe, expect, it } from "vitest";
import { newPlainNode } from "./plain-node.ts";

describe("a list of bytes, once there is a node of libp2p", () => {
  it.each([
    ["of a byte each", 100_000, () => 1],
    ["each a little shorter than the one before", 1_000, (at: number) => 1_000 - at],
    ["each a little longer than the one before", 1_000, (at: number) => 1 + at],
  ])("keeps pieces %s in few, as they came", async (_, count, lengthOf) => {
    await newPlainNode([]);
    const pieces = Array.from({ length: count }, (_one, at) => Buffer.alloc(lengthOf(at), at));
    const list = new Uint8ArrayList();
    for (const piece of pieces) list.append(piece);
    expect([...list].length).toBeLessThan(100);
    expect(Buffer.concat(pieces).equals(list.subarray())).toBe(true);
    list.consume(list.byteLength - 2);
    expect(list.byteLength).toBe(2);
  });

  it("keeps long pieces as they are", async () => {
    await newPlainNode([]);
    const pieces = Array.from({ length: 100 }, (_one, at) => Buffer.alloc(20_000, at));
    const list = new Uint8ArrayList();
    for (const piece of pieces) list.append(piece);
    expect([...list].every((piece, at) => piece === pieces[at])).toBe(true);
  });
});
