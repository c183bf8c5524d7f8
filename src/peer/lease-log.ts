import type { Store, StoreOp } from "../ports/store.ts";

/**
 * Remembers which requests are in flight, so that after a crash those that are made again can be counted.
 *
 * A lease is written before its request is sent, unsynced: it outlives the process, which is what `kill -9` takes. The
 * leases of one turn of the event loop are one write. They are deleted by the commit that finishes the URL.
 */
export class LeaseLog {
  readonly #store: Store;
  #open: { readonly ops: StoreOp[]; readonly written: Promise<void> } | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Resolves when the lease would survive the end of this process. */
  add(key: Uint8Array): Promise<void> {
    this.#open ??= this.#begin();
    this.#open.ops.push({ type: "put", key, value: new Uint8Array(0) });
    return this.#open.written;
  }

  #begin(): { readonly ops: StoreOp[]; readonly written: Promise<void> } {
    const ops: StoreOp[] = [];
    const written = Promise.resolve().then(() => {
      this.#open = undefined;
      return this.#store.write(ops, { sync: false });
    });
    return { ops, written };
  }
}
