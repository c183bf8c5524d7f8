import type { StreamMuxer } from "@libp2p/interface";
import { Uint8ArrayList } from "uint8arraylist";
import { describe, expect, it } from "vitest";
import { limitFrameLengths } from "../../../src/adapters/libp2p/frame-lengths.ts";

const frameBytes = 65_536;

/** What Yamux keeps of one frame when `pieces` of it have come, each in a message of its own. */
function keptOf(pieces: Iterable<Uint8Array>): Uint8ArrayList {
  const buffer = new Uint8ArrayList();
  const muxer = {
    decoder: { buffer },
    streams: [],
    onData: (data: Uint8Array) => {
      buffer.append(data);
    },
  };
  limitFrameLengths(muxer as unknown as StreamMuxer, () => expect.unreachable());
  const head = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0]);
  head.writeUInt32BE(frameBytes, 8);
  muxer.onData(head);
  for (const piece of pieces) muxer.onData(piece);
  return buffer;
}

describe("a frame of Yamux that comes in pieces", () => {
  it.each([
    ["of a byte each", () => 1],
    ["each a little shorter than the one before", (at: number) => Math.max(1, 300 - at)],
    ["each a little longer than the one before", (at: number) => 1 + at],
  ])("%s is kept in few, as it came", (_, lengthOf) => {
    const pieces = Array.from({ length: 300 }, (_one, at) => Buffer.alloc(lengthOf(at), at % 251));
    const kept = keptOf(pieces);
    expect([...kept].length).toBeLessThan(16);
    expect(Buffer.from(kept.subarray(12)).equals(Buffer.concat(pieces))).toBe(true);
  });

  it("is not copied where they are long", () => {
    const pieces = [1, 2, 3].map((byte) => Buffer.alloc(20_000, byte));
    expect([...keptOf(pieces)].slice(1)).toEqual(pieces);
    expect([...keptOf(pieces)][1]).toBe(pieces[0]);
  });
});
