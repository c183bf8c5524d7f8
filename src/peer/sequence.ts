import { invariant } from "../core/errors.ts";
import { namedKey } from "../core/record/keys.ts";
import type { Store, StoreOp } from "../ports/store.ts";

const key = namedKey("meta", "sequence");

/**
 * Numbers that order the queue entries of one peer.
 *
 * Invariant: no number is given out twice, not even after a crash or when the system's clock is set back: every commit
 * carries the last number that its rows may hold.
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

  next(): number {
    this.#last += 1;
    return this.#last;
  }

  /** Rows for the next commit; see {@link Journal.contribute}. */
  takeUnsaved(): readonly StoreOp[] {
    if (this.#saved === this.#last) return [];
    this.#saved = this.#last;
    return [{ type: "put", key, value: new TextEncoder().encode(String(this.#last)) }];
  }
}
