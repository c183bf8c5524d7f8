import type { StoreOp } from "../../ports/store.ts";

/** What was written to a row while it was watched; nothing when it was not written to. */
export interface WatchedRow {
  readonly key: Uint8Array;
  written: { readonly value: Uint8Array | undefined } | undefined;
}

/**
 * Tells what the journal takes in for some rows between their reading and their merging, so that a merge never
 * goes by what was true a moment ago.
 */
export class RowWatch {
  readonly #watched = new Map<string, WatchedRow[]>();

  watch(keys: readonly Uint8Array[]): WatchedRow[] {
    return keys.map((key) => {
      const row: WatchedRow = { key, written: undefined };
      const id = idOf(key);
      const others = this.#watched.get(id);
      if (others) others.push(row);
      else this.#watched.set(id, [row]);
      return row;
    });
  }

  unwatch(rows: readonly WatchedRow[]): void {
    for (const row of rows) {
      const id = idOf(row.key);
      const left = (this.#watched.get(id) ?? []).filter((one) => one !== row);
      if (left.length > 0) this.#watched.set(id, left);
      else this.#watched.delete(id);
    }
  }

  /** Called by the journal with each atomic change. */
  observe(ops: readonly StoreOp[]): void {
    if (this.#watched.size === 0) return;
    for (const op of ops) {
      const value = op.type === "put" ? op.value : undefined;
      for (const row of this.#watched.get(idOf(op.key)) ?? []) row.written = { value };
    }
  }
}

/** A key as a value that maps and sets compare by content. */
export function idOf(key: Uint8Array): string {
  return String.fromCharCode(...key);
}
