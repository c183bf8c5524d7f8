import type { BodyAccount } from "../../ports/fetcher.ts";

export interface BodyBudgetOptions {
  /**
   * Bytes that the bodies of all responses under way may take together, from the first byte received until their pages are
   * settled. More let more long bodies come at once; a parser has up to as much again, for its copies. @default 256 MiB
   */
  readonly bytesMax: number;
  /**
   * A body of no more than this, as received and as decoded together, is not counted: a page hardly ever is, so that what
   * is long does not hold up what is short. Bounded by the number of visits. @default 256 KiB
   */
  readonly smallBytesMax: number;
}

const MiB = 1024 * 1024;

export const defaultBodyBudgetOptions: BodyBudgetOptions = Object.freeze({
  bytesMax: 256 * MiB,
  smallBytesMax: MiB / 4,
});

/**
 * Bounds the memory of the pages' bodies under way: without it, that would be the largest body for each open request and for
 * each answer that waits for the parser. A `robots.txt` is no page; its own limit bounds it.
 *
 * Half of the budget is for whoever comes: a body that finds it used up waits, which leaves its bytes to the server. The other
 * half is kept for the bodies that have been long for longest, as many as it has room for and one at least. These never
 * wait, and each is among them in the end: so they cannot all have a part and wait for the rest. One keeps its place until
 * its page is settled, which waits for no other body.
 *
 * Invariant: no more than `bytesMax` is counted; where it has less than twice the room of the largest body, no more than half
 * of it and that body. On top come, of each body that waits, `smallBytesMax` and what came at once: a read of the socket,
 * an output of the decoder, or half a MiB where a short body was decoded.
 */
export class BodyBudget {
  readonly #smallBytesMax: number;
  readonly #sharedBytesMax: number;
  readonly #placesMax: number;
  readonly #onFull: () => void;
  /** Those that never wait. */
  readonly #placed = new Set<CountedBody>();
  /** All others that are long, the oldest first; there are none while there is a free place. */
  readonly #others = new Set<CountedBody>();
  readonly #waiting = new Map<CountedBody, () => void>();
  #bytes = 0;

  /**
   * @param bodyBytesMax of one body in either form
   * @param onFull a body has to wait
   */
  constructor(options: BodyBudgetOptions, bodyBytesMax: number, onFull: () => void) {
    this.#smallBytesMax = options.smallBytesMax;
    this.#sharedBytesMax = options.bytesMax / 2;
    this.#placesMax = Math.max(1, Math.floor(this.#sharedBytesMax / (2 * bodyBytesMax)));
    this.#onFull = onFull;
  }

  /** What the long bodies take. */
  get bytes(): number {
    return this.#bytes;
  }

  /** An account for the bodies of one response, to be closed by whoever opens it. */
  open(): BodyAccount & { readonly close: () => void } {
    return new CountedBody(this, this.#smallBytesMax);
  }

  /** Of an account: counts `bytes` more, and tells whether more of it may be read. */
  add(body: CountedBody, bytes: number): boolean {
    this.#bytes += bytes;
    if (this.#placed.has(body)) return true;
    if (this.#placed.size < this.#placesMax) {
      this.#placed.add(body);
      return true;
    }
    this.#others.add(body);
    return this.#bytes < this.#sharedBytesMax;
  }

  /** Of an account: counts `bytes` less. */
  subtract(bytes: number): void {
    this.#bytes -= bytes;
    if (this.#bytes >= this.#sharedBytesMax) return;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const goOn of waiting) goOn();
  }

  /** Of an account: calls `goOn` when there is room again. */
  wait(body: CountedBody, goOn: () => void): void {
    this.#waiting.set(body, goOn);
    this.#onFull();
  }

  /** Of an account that is closed: its place goes to the oldest of the others. */
  leave(body: CountedBody): void {
    this.#waiting.delete(body);
    this.#others.delete(body);
    if (!this.#placed.delete(body)) return;
    const [oldest] = this.#others;
    if (oldest === undefined) return;
    this.#others.delete(oldest);
    this.#placed.add(oldest);
    const goOn = this.#waiting.get(oldest);
    this.#waiting.delete(oldest);
    goOn?.();
  }
}

/** What one response takes; unknown to the budget while it is small. */
class CountedBody implements BodyAccount {
  readonly #budget: BodyBudget;
  readonly #smallBytesMax: number;
  #bytes = 0;
  #isLong = false;

  constructor(budget: BodyBudget, smallBytesMax: number) {
    this.#budget = budget;
    this.#smallBytesMax = smallBytesMax;
  }

  take(bytes: number): boolean {
    this.#bytes += bytes;
    if (this.#isLong) return this.#budget.add(this, bytes);
    if (this.#bytes <= this.#smallBytesMax) return true;
    this.#isLong = true;
    return this.#budget.add(this, this.#bytes);
  }

  giveBack(bytes: number): void {
    this.#bytes -= bytes;
    if (this.#isLong) this.#budget.subtract(bytes);
  }

  whenRoom(goOn: () => void): void {
    this.#budget.wait(this, goOn);
  }

  /** Nothing of it is held any more; idempotent. */
  close(): void {
    if (!this.#isLong) return;
    this.#isLong = false;
    this.#budget.leave(this);
    this.#budget.subtract(this.#bytes);
    this.#bytes = 0;
  }
}
