/**
 * Bytes that all peers together may make this process hold.
 *
 * Invariant: the sum of what is taken is the sum of what was granted and not given back.
 */
export class MemoryBudget {
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Whether so many more may be held; counted if so. */
  take(bytes: number): boolean {
    if (this.#bytes + bytes > this.#bytesMax) return false;
    this.#bytes += bytes;
    return true;
  }

  /** Gives back what was taken. */
  give(bytes: number): void {
    this.#bytes -= bytes;
  }
}

/** Somebody who holds bytes for a frame that has not come, or gone, in full. */
export interface Collector {
  /** Lets go of everything. */
  evict(): void;
}

/**
 * Bytes of frames that have begun to arrive and are not complete, or that nobody takes away. When there is no room for
 * more, the frame that has been under way for the longest time goes: a peer that begins frames and does not end them, or
 * asks and does not read, loses them, and nobody else waits.
 *
 * Invariant: at most `bytesMax` are held at any time.
 */
export class CollectingBudget {
  readonly #bytesMax: number;
  /** What each holds, the longest under way first. */
  readonly #held = new Map<Collector, number>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Sets what a collector holds; others are evicted for it. */
  hold(collector: Collector, bytes: number): void {
    this.#bytes += bytes - (this.#held.get(collector) ?? 0);
    this.#held.set(collector, bytes);
    for (const [oldest] of this.#held) {
      if (this.#bytes <= this.#bytesMax) return;
      if (oldest === collector) continue;
      this.release(oldest);
      oldest.evict();
    }
  }

  release(collector: Collector): void {
    this.#bytes -= this.#held.get(collector) ?? 0;
    this.#held.delete(collector);
  }
}
