/** Up to this length V8 keeps the bytes of a typed array in its own heap (`typed_array_max_size_in_heap`). */
const heapBytesMax = 64;

/**
 * Lends bytes outside of the heap for a small array whose bytes may be inside.
 *
 * Native code can only read the bytes of a typed array at an address that stays, so asking for those of a small one
 * moves them out of the heap for good: an allocation, and one more for the garbage collector to follow, for every key
 * of 29 bytes. Where the native code copies them at once, a copy in a buffer that is used again does: measured at 0.25 us
 * instead of 0.56 us for each operation of a batch.
 */
export class SmallViews {
  readonly #views: readonly Uint8Array[];

  constructor() {
    const buffer = new ArrayBuffer(heapBytesMax);
    const lengths = Array.from({ length: heapBytesMax + 1 }, (_, length) => length);
    this.#views = lengths.map((length) => new Uint8Array(buffer, 0, length));
  }

  /** The same bytes; valid until the next call. */
  lend(bytes: Uint8Array): Uint8Array {
    const view = this.#views[bytes.length];
    if (view === undefined) return bytes;
    view.set(bytes);
    return view;
  }
}
