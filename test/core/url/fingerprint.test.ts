import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hash64 } from "../../../src/core/hash/hash64.ts";
import { fingerprintOf, writeFingerprint } from "../../../src/core/url/fingerprint.ts";

describe("writeFingerprint", () => {
  it("writes four words at the place asked for and no other", () => {
    const target = new Uint32Array(8).fill(7);
    writeFingerprint("https://example.com/", target, 2);
    expect([...target.subarray(2, 6)]).toEqual([...fingerprintOf("https://example.com/")]);
    expect([target[0], target[1], target[6], target[7]]).toEqual([7, 7, 7, 7]);
  });

  it("is fixed for ever, since fingerprints are stored", () => {
    expect([...fingerprintOf("https://example.com/")]).toEqual([
      3109025321, 325300734, 221307216, 1770965392,
    ]);
  });

  it("is two hashes of the key, of different seeds, low word first", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (key) => {
        const [a = 0, b = 0, c = 0, d = 0] = fingerprintOf(key);
        const first = (BigInt(b) << 32n) | BigInt(a);
        const second = (BigInt(d) << 32n) | BigInt(c);
        expect(first).toBe(hash64(key, 0x243f6a8885a308d3n));
        expect(second).toBe(hash64(key, 0x13198a2e03707344n));
      }),
    );
  });
});
