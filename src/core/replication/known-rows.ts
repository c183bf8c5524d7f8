import type { TerritorialTag } from "../record/key-tags.ts";
import { hashOfRow } from "./range-digest.ts";

/** Bytes of a fingerprint, big-endian. */
export const fingerprintBytes = 8;

interface KeyedRow {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** Fingerprints of rows of one tag, one after the other: they tell another side which of its rows need not come. */
export function fingerprintsOf(tag: TerritorialTag, rows: readonly KeyedRow[]): Uint8Array {
  const fingerprints = new DataView(new ArrayBuffer(rows.length * fingerprintBytes));
  for (const [index, { key, value }] of rows.entries()) {
    fingerprints.setBigUint64(index * fingerprintBytes, hashOfRow(tag, key, value));
  }
  return new Uint8Array(fingerprints.buffer);
}

/** Rows of which another side has sent the fingerprints, and which of them this side has been found to have as well. */
export class KnownRows {
  readonly #tag: TerritorialTag;
  readonly #indexes = new Map<bigint, number>();
  /** A bit for each fingerprint, from the lowest bit of the first byte on. */
  readonly found: Uint8Array;

  constructor(tag: TerritorialTag, fingerprints: Uint8Array) {
    this.#tag = tag;
    const { buffer, byteOffset, byteLength } = fingerprints;
    const view = new DataView(buffer, byteOffset, byteLength);
    const count = Math.floor(byteLength / fingerprintBytes);
    for (let index = 0; index < count; index += 1) {
      this.#indexes.set(view.getBigUint64(index * fingerprintBytes), index);
    }
    this.found = new Uint8Array(Math.ceil(count / 8));
  }

  /** Whether the other side has just this row, which is here. */
  find({ key, value }: KeyedRow): boolean {
    if (this.#indexes.size === 0) return false;
    const index = this.#indexes.get(hashOfRow(this.#tag, key, value));
    if (index === undefined) return false;
    const at = index >> 3;
    this.found[at] = (this.found[at] ?? 0) | (1 << (index & 7));
    return true;
  }
}

/** Whether the other side has found the row of a fingerprint. */
export function isFound(found: Uint8Array, index: number): boolean {
  return ((found[index >> 3] ?? 0) & (1 << (index & 7))) !== 0;
}
