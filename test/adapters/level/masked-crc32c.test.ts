import { expect, it } from "vitest";
import { maskedCrc32c } from "../../../src/adapters/level/masked-crc32c.ts";

/** Bit by bit, as the polynomial has it. */
function crc32cOf(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  return ~crc >>> 0;
}

/** The inverse of LevelDB's `crc32c::Mask`. */
function unmasked(masked: number): number {
  const turned = (masked - 0xa282ead8) >>> 0;
  return ((turned >>> 17) | (turned << 15)) >>> 0;
}

it("has the check value of CRC-32C", () => {
  expect(unmasked(maskedCrc32c(new TextEncoder().encode("123456789")))).toBe(0xe3069283);
});

it("is that of the bytes one by one for every length and place in memory", () => {
  const memory = Uint8Array.from({ length: 64 }, (_, at) => (at * 167) ^ (at >> 2));
  for (let from = 0; from < 9; from += 1) {
    for (let to = from; to <= memory.length; to += 1) {
      const bytes = memory.subarray(from, to);
      expect(unmasked(maskedCrc32c(bytes)), `${from} to ${to}`).toBe(crc32cOf(bytes));
    }
  }
});
