import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  encodeFrame,
  FrameDecoder,
  payloadBytesMax,
  type Frame,
} from "../../../src/adapters/libp2p/frame-codec.ts";

const id = fc.oneof(fc.nat(300), fc.maxSafeNat());
const payload = fc.uint8Array({ maxLength: 300 });
const frame: fc.Arbitrary<Frame> = fc.oneof(
  fc.record({ type: fc.constant("request" as const), id, kind: fc.nat(), payload }),
  fc.record({ type: fc.constant("reply" as const), id, payload }),
  fc.record({ type: fc.constant("busy" as const), id, retryAfterMs: fc.nat(3_600_000) }),
  fc.record({
    type: fc.constant("refused" as const),
    id,
    detail: fc.stringMatching(/^[ -~]{0,100}$/),
  }),
  fc.record({
    type: fc.constant("grant" as const),
    requests: fc.integer({ min: 1 }),
    bytes: fc.nat(),
  }),
  fc.record({ type: fc.constant("notice" as const), payload }),
);

interface Decoded {
  readonly frames: Frame[];
  readonly end: string | undefined;
}

/** Decodes bytes that arrive in pieces of those sizes, again and again. */
function decode(
  bytes: Uint8Array,
  sizes: readonly number[],
  decoder = new FrameDecoder(),
): Decoded {
  const frames: Frame[] = [];
  let offset = 0;
  for (let at = 0; offset < bytes.length; at += 1) {
    const size = sizes[at % sizes.length] ?? bytes.length;
    const end = decoder.push(bytes.subarray(offset, offset + size), (one) => {
      frames.push("payload" in one ? { ...one, payload: Uint8Array.from(one.payload) } : one);
      return true;
    });
    if (end !== undefined) return { frames, end };
    offset += size;
  }
  return { frames, end: undefined };
}

const joined = (parts: readonly Uint8Array[]): Uint8Array => Uint8Array.from(Buffer.concat(parts));

describe("the frame codec", () => {
  it("gives back what was encoded, in whatever pieces it arrives", () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 12 }), sizes, (frames, pieces) => {
        const decoder = new FrameDecoder();
        const decoded = decode(joined(frames.map(encodeFrame)), pieces, decoder);
        expect(decoded).toEqual({ frames, end: undefined });
        expect(decoder.heldBytes).toBe(0);
      }),
    );
  });

  it("carries the largest payload, in pieces", () => {
    const large: Frame = { type: "reply", id: 1, payload: new Uint8Array(payloadBytesMax).fill(3) };
    const { frames } = decode(encodeFrame(large), [65_519]);
    expect(frames.map((one) => "payload" in one && one.payload.length)).toEqual([payloadBytesMax]);
  });

  it("hands a frame in one piece on without a copy", () => {
    const bytes = encodeFrame({ type: "notice", payload: Uint8Array.of(1, 2, 3) });
    new FrameDecoder().push(bytes, (one) => {
      expect("payload" in one && one.payload.buffer).toBe(bytes.buffer);
      return true;
    });
    expect.assertions(1);
  });

  it("stops when it is told to", () => {
    const two = joined([1, 2].map((n) => encodeFrame({ type: "busy", id: n, retryAfterMs: 0 })));
    const seen: Frame[] = [];
    new FrameDecoder().push(two, (one) => {
      seen.push(one);
      return false;
    });
    expect(seen).toHaveLength(1);
  });

  it.each<[string, number[], string]>([
    ["a frame without a byte", [0], "malformed"],
    ["a length with a needless byte", [0x81, 0x00], "malformed"],
    ["a length of five bytes", [0xff, 0xff, 0xff, 0xff], "oversized"],
    ["a length of over 4 MiB and a head", [0x80, 0x80, 0x80, 0x04], "oversized"],
    ["an unknown type", [1, 9], "malformed"],
    ["type zero", [1, 0], "malformed"],
    ["a request without numbers", [1, 1], "malformed"],
    ["a request with half a number", [2, 1, 0x80], "malformed"],
    ["a request without a kind", [2, 1, 5], "malformed"],
    ["a number with a needless byte", [4, 1, 0x80, 0x00, 1], "malformed"],
    ["a number beyond 2^53", [10, 2, 255, 255, 255, 255, 255, 255, 255, 127, 1], "malformed"],
    ["a reply without an id", [1, 2], "malformed"],
    ["a wish to be left alone for more than an hour", [6, 3, 0, 0x81, 0xdd, 0xdb, 1], "malformed"],
    ["a wish with something behind it", [4, 3, 0, 1, 1], "malformed"],
    ["a refusal that is no text", [3, 4, 0, 0xff], "malformed"],
    ["a window of no requests", [3, 5, 0, 9], "malformed"],
    ["a window with something behind it", [4, 5, 1, 9, 9], "malformed"],
  ])("says of %s that it is bad", (_, bytes, end) => {
    expect(decode(Uint8Array.from(bytes), [bytes.length])).toEqual({ frames: [], end });
    expect(decode(Uint8Array.from(bytes), [1])).toEqual({ frames: [], end });
  });

  it("bounds notices and the text of refusals", () => {
    const notice = (length: number): Uint8Array =>
      encodeFrame({ type: "notice", payload: new Uint8Array(length) });
    expect(decode(notice(65_536), [1_000]).end).toBeUndefined();
    expect(decode(notice(65_537), [1_000]).end).toBe("malformed");
    const long = Uint8Array.from([0x83, 0x04, 4, 0, ...new Uint8Array(513).fill(65)]);
    expect(decode(long, [long.length]).end).toBe("malformed");
    const refusal = encodeFrame({ type: "refused", id: 1, detail: "x".repeat(9_999) });
    expect(decode(refusal, [refusal.length]).frames).toHaveLength(1);
  });

  it("shows nothing of a refusal that could disturb a log", () => {
    const bytes = encodeFrame({ type: "refused", id: 0, detail: "a\u001b[2Jb\nc" });
    expect(decode(bytes, [100]).frames).toEqual([{ type: "refused", id: 0, detail: "a?[2Jb?c" }]);
  });

  it("never throws, whatever comes, and holds no more than twice what has come", () => {
    const noise = fc.oneof(
      fc.uint8Array({ maxLength: 400 }),
      fc.tuple(frame, fc.nat(), fc.nat(255)).map(([one, at, byte]) => {
        const bytes = encodeFrame(one);
        bytes[at % bytes.length] = byte;
        return bytes;
      }),
    );
    fc.assert(
      fc.property(noise, fc.integer({ min: 1, max: 50 }), (bytes, size) => {
        const decoder = new FrameDecoder();
        const { end } = decode(bytes, [size], decoder);
        expect([undefined, "malformed", "oversized"]).toContain(end);
        expect(decoder.heldBytes).toBeLessThanOrEqual(Math.max(65_536, 2 * bytes.length));
      }),
      { numRuns: 2_000 },
    );
  });

  it("allots nothing for a frame that is announced and does not come", () => {
    const decoder = new FrameDecoder();
    decoder.push(Uint8Array.of(0xff, 0xff, 0xff, 0x01, 1), () => true);
    expect(decoder.heldBytes).toBeLessThanOrEqual(65_536);
  });
});
