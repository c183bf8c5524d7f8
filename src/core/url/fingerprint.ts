import { hash64 } from "../hash/hash64.ts";

/** Words of a fingerprint. */
export const fingerprintWords = 4;

/** Fixed for ever, since fingerprints are stored: the first 128 bits of the fraction of pi. */
const firstSeed = 0x243f_6a88_85a3_08d3n;
const secondSeed = 0x1319_8a2e_0370_7344n;

const scratch = new DataView(new ArrayBuffer(16));

/**
 * Writes the 128-bit fingerprint of a dedupe key into the four words of `target` from `at`.
 *
 * Two XXH64 of different seeds: over 10^10 keys the chance of one collision is about 10^-19, so that a fingerprint
 * stands for its key. It is no defence against somebody who searches for collisions; such a site hides its own pages.
 */
export function writeFingerprint(key: string, target: Uint32Array, at: number): void {
  scratch.setBigUint64(0, hash64(key, firstSeed), true);
  scratch.setBigUint64(8, hash64(key, secondSeed), true);
  target[at] = scratch.getUint32(0, true);
  target[at + 1] = scratch.getUint32(4, true);
  target[at + 2] = scratch.getUint32(8, true);
  target[at + 3] = scratch.getUint32(12, true);
}

/** The 128-bit fingerprint of a dedupe key. */
export function fingerprintOf(key: string): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(fingerprintWords);
  writeFingerprint(key, words, 0);
  return words;
}
