import { invariant } from "../../core/errors.ts";
import { namedKey } from "../../core/record/named-keys.ts";
import type { Store, StoreOp } from "../../ports/store.ts";

const key = namedKey("meta", "sequence");

/** Far beyond what is ever counted: nobody's count follows an entry from elsewhere beyond this. */
const followedMax = 2 ** 50;

/**
 * Far beyond that, and below where numbers cease to be exact: more is not believed. What a member counts on from `followedMax`
 * has to be, since a single entry with that number brings all there that see it.
 */
const believedMax = 2 ** 51;

/**
 * Numbers that order queue entries: a logical clock (Lamport 1978, "Time, Clocks, and the Ordering of Events in a
 * Distributed System"), so that of two entries of a host the one that was written in knowledge of the other comes later,
 * whichever members have written them.
 *
 * Invariant: no number is given out twice, not even after a crash or when the system's clock is set back: every commit
 * carries the last number that its rows may hold.
 * Invariant: a number is higher than those of all entries that this peer has seen, as far as counts follow them.
 */
export class Sequence {
  #last = 0;
  #saved = 0;

  async load(store: Store): Promise<void> {
    const value = await store.get(key);
    if (!value) return;
    const saved = Number(new TextDecoder().decode(value));
    invariant(Number.isSafeInteger(saved), "the saved sequence is a number");
    this.#last = saved;
    this.#saved = saved;
  }

  /** No entry that this peer has seen has a higher number. */
  get last(): number {
    return this.#last < followedMax ? this.#last : believedMax;
  }

  next(): number {
    this.#last += 1;
    return this.#last;
  }

  /** An entry with this number was written by another peer. False for a number that is not believed. */
  observe(sequence: number): boolean {
    if (sequence > believedMax) return false;
    this.#last = Math.max(this.#last, Math.min(sequence, followedMax));
    return true;
  }

  /** Rows for the next commit; see {@link Journal.contribute}. */
  takeUnsaved(): readonly StoreOp[] {
    if (this.#saved === this.#last) return [];
    this.#saved = this.#last;
    return [{ type: "put", key, value: new TextEncoder().encode(String(this.#last)) }];
  }
}
