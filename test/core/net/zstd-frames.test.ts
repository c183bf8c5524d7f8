import { zstdCompressSync } from "node:zlib";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ZstdFrames } from "../../../src/core/net/zstd-frames.ts";

const skippable = Buffer.from([0x5f, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
const frames = [
  zstdCompressSync(Buffer.alloc(0)),
  skippable,
  zstdCompressSync("a".repeat(300_000)),
  zstdCompressSync("It was a dark and stormy night."),
];

/** What each frame's decoder is given, by way of `chunks`. */
function framesOf(chunks: readonly Uint8Array[]): Buffer[] {
  const reader = new ZstdFrames();
  const pieces = chunks.flatMap((chunk) => reader.split(chunk) ?? []);
  const found: Buffer[] = [];
  for (const piece of pieces) {
    const last = found.at(-1);
    const isNew = last === undefined || frames.some((frame) => frame.equals(last));
    if (isNew) found.push(Buffer.from(piece));
    else found[found.length - 1] = Buffer.concat([last, piece]);
  }
  return found;
}

describe("ZstdFrames", () => {
  it("finds every frame, however the bytes are cut, and leaves out what follows", () => {
    const bytes = Buffer.concat([...frames, Buffer.from("(tail)")]);
    const cuts = fc.array(fc.nat(bytes.length), { maxLength: 12 });
    fc.assert(
      fc.property(cuts, (places) => {
        const ends = [...places.toSorted((a, b) => a - b), bytes.length];
        const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
        expect(framesOf(chunks)).toEqual(frames);
      }),
    );
    expect(framesOf([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(frames);
  });

  it("gives a frame that is cut as far as it goes", () => {
    const cut = frames[3]?.subarray(0, -5) ?? skippable;
    expect(new ZstdFrames().split(cut)).toEqual([cut]);
  });

  it("finds no end of very many frames", () => {
    const many = Buffer.concat(Array.from({ length: 4_097 }, () => skippable));
    expect(new ZstdFrames().split(many)).toBeUndefined();
  });
});
