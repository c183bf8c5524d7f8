import { keyHashes } from "../../core/sieve/fingerprint-filter.ts";
import type { KeyHashes } from "../../core/sieve/fingerprint-filter.ts";

/** A key of the sieve: a fingerprint in its space. */
export interface SieveKey {
  readonly space: number;
  readonly words: Uint32Array;
  readonly at: number;
}

/** Of a key, the log has what the filter's bits depend on. */
const keyBytes = 8;

/** A row of the log: the keys that one commit admitted. */
export function encodeLogRow(keys: readonly SieveKey[]): Uint8Array {
  const row = new Uint8Array(keys.length * keyBytes);
  const view = new DataView(row.buffer);
  for (const [index, { space, words, at }] of keys.entries()) {
    const { a, b } = keyHashes(space, words, at);
    view.setUint32(index * keyBytes, a);
    view.setUint32(index * keyBytes + 4, b);
  }
  return row;
}

/** The keys of such a row. */
export function decodeLogRow(row: Uint8Array): KeyHashes[] {
  const view = new DataView(row.buffer, row.byteOffset, row.byteLength);
  return Array.from({ length: Math.floor(row.length / keyBytes) }, (_, index) => ({
    a: view.getUint32(index * keyBytes),
    b: view.getUint32(index * keyBytes + 4),
  }));
}

/** Of a key, what a row had up to layout 3: its space and the whole fingerprint. */
const oldKeyBytes = 20;

/** A row as it was up to layout 3, as it is now. */
export function upgradeLogRow(row: Uint8Array): Uint8Array {
  const view = new DataView(row.buffer, row.byteOffset, row.byteLength);
  const keys = Array.from({ length: Math.floor(row.length / oldKeyBytes) }, (_, index) => {
    const at = index * oldKeyBytes;
    const words = Uint32Array.of(view.getUint32(at + 4), view.getUint32(at + 8));
    return { space: view.getUint32(at), words, at: 0 };
  });
  return encodeLogRow(keys);
}
