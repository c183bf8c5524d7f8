import type { ChainedBatch, Level } from "level";
import type { Bytes, StoreBatch, StoreOp } from "../../ports/store.ts";
import { SmallViews } from "./small-views.ts";

export type Database = Level<Bytes, Bytes>;

/** Lent to one operation at a time, of whatever batch. */
const keyViews = new SmallViews();
const valueViews = new SmallViews();

/**
 * Operations in the memory of LevelDB, where they go as they come: measured at 0.25 us each on the calling thread, against
 * 1.4-2.1 us for an array of operations.
 */
export class LevelBatch implements StoreBatch {
  readonly #batch: ChainedBatch<Database, Bytes, Bytes> | undefined;
  #length = 0;
  #failure: { readonly error: unknown } | undefined;

  /** @param database throws where none is open: then the write fails with that */
  constructor(database: () => Database) {
    try {
      this.#batch = database().batch();
    } catch (error) {
      this.#failure = { error };
    }
  }

  get length(): number {
    return this.#length;
  }

  add(ops: readonly StoreOp[]): void {
    this.#length += ops.length;
    const batch = this.#batch;
    if (!batch || this.#failure) return;
    try {
      for (const op of ops) {
        // The batch has its own copy when the call returns.
        const key = keyViews.lend(op.key);
        if (op.type === "put") batch.put(key, valueViews.lend(op.value));
        else batch.del(key);
      }
    } catch (error) {
      this.#failure = { error };
    }
  }

  /** Rejects with what the database says, now or when something was added: it was closed meanwhile, or cannot write. */
  async write(sync: boolean): Promise<void> {
    if (this.#failure) throw this.#failure.error;
    await this.#batch?.write({ sync });
  }
}
