import { invariant } from "../errors.ts";

/** Words of a slot: four of the fingerprint, the space number, and 1 where the slot is taken. */
const slotWords = 6;
/** Slots for each entry: linear probing stays short at half load (Knuth, TAOCP 3, section 6.4). */
const slotsPerEntry = 2;

/** Spreads small space numbers over all bits: 2^32 divided by the golden ratio (Knuth, same section). */
const golden = 0x9e3779b1;

/** One open-addressing table. */
interface Generation {
  readonly slots: Uint32Array;
  entries: number;
}

/**
 * Exact, bounded set of the keys seen most recently.
 *
 * Two generations: keys enter the young one; when it is full the old one is emptied and they change places. A lookup
 * asks both. There is no allocation after construction: the garbage collector never sees a key.
 *
 * Invariant: a key stays for at least `capacity` insertions after its own; at most `2 * capacity` keys are held.
 */
export class FingerprintCache {
  readonly capacity: number;
  readonly #mask: number;
  #young: Generation;
  #old: Generation;

  /** `capacity` is the number of keys of one generation, a power of two; 96 bytes are taken for each. */
  constructor(capacity: number) {
    const slots = capacity * slotsPerEntry;
    invariant(
      capacity >= 1 && capacity <= 2 ** 26 && Number.isInteger(Math.log2(capacity)),
      `the capacity of a fingerprint cache must be a power of two up to 2^26, not ${capacity}`,
    );
    this.capacity = capacity;
    this.#mask = slots - 1;
    this.#young = { slots: new Uint32Array(slots * slotWords), entries: 0 };
    this.#old = { slots: new Uint32Array(slots * slotWords), entries: 0 };
  }

  /** Whether the key is held. */
  has(space: number, words: Uint32Array, at: number): boolean {
    return (
      this.#find(this.#young.slots, space, words, at) < 0 ||
      this.#find(this.#old.slots, space, words, at) < 0
    );
  }

  /** Whether the key is held; it is afterwards. */
  testAndAdd(space: number, words: Uint32Array, at: number): boolean {
    if (this.#find(this.#old.slots, space, words, at) < 0) return true;
    let base = this.#find(this.#young.slots, space, words, at);
    if (base < 0) return true;
    if (this.#young.entries === this.capacity) {
      this.#turn();
      base = this.#find(this.#young.slots, space, words, at);
    }
    const { slots } = this.#young;
    slots[base] = words[at] ?? 0;
    slots[base + 1] = words[at + 1] ?? 0;
    slots[base + 2] = words[at + 2] ?? 0;
    slots[base + 3] = words[at + 3] ?? 0;
    slots[base + 4] = space;
    slots[base + 5] = 1;
    this.#young.entries++;
    return false;
  }

  /** Begins a new generation. */
  #turn(): void {
    const emptied = this.#old;
    emptied.slots.fill(0);
    emptied.entries = 0;
    this.#old = this.#young;
    this.#young = emptied;
  }

  /** -1 when the key is in `slots`; else the word index of the empty slot where it belongs. */
  #find(slots: Uint32Array, space: number, words: Uint32Array, at: number): number {
    const word2 = words[at + 2];
    let slot = ((word2 ?? 0) ^ Math.imul(space, golden)) & this.#mask;
    for (;;) {
      const base = slot * slotWords;
      if (slots[base + 5] === 0) return base;
      if (
        slots[base + 2] === word2 &&
        slots[base + 4] === space &&
        slots[base] === words[at] &&
        slots[base + 1] === words[at + 1] &&
        slots[base + 3] === words[at + 3]
      ) {
        return -1;
      }
      slot = (slot + 1) & this.#mask;
    }
  }
}
