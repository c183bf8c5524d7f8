import { idOf } from "../../../core/record/id-of.ts";
import { isTerritorial } from "../../../core/record/keys.ts";
import type { StoreOp } from "../../../ports/store.ts";

/** What is written to a row; without a value it is deleted. */
interface Write {
  readonly value: Uint8Array | undefined;
}

/** A key with its {@link idOf}, which is made once for all that is looked up by it. */
export interface NamedKey {
  readonly key: Uint8Array;
  readonly id: string;
}

export function nameKey(key: Uint8Array): NamedKey {
  return { key, id: idOf(key) };
}

/** A row that is being watched, with the latest that is on its way into the database. */
export interface WatchedRow extends NamedKey {
  written: Write | undefined;
}

/**
 * Tells what a read of the database cannot see: what the journal took in and has not yet made visible, when a row begins to be
 * watched, and what it takes in from then on.
 *
 * Invariant: what is read of a row after it began to be watched, or else what is noted as written, is its latest value.
 */
export class RowWatch {
  readonly #watched = new Map<string, WatchedRow[]>();
  readonly #pending = new Map<string, Write>();

  /** Ids of the rows of which the latest is on its way into the database. */
  underWay(): Set<string> {
    return new Set(this.#pending.keys());
  }

  watch(keys: readonly NamedKey[]): WatchedRow[] {
    return keys.map(({ key, id }) => {
      const row: WatchedRow = { key, id, written: this.#pending.get(id) };
      const others = this.#watched.get(id);
      if (others) others.push(row);
      else this.#watched.set(id, [row]);
      return row;
    });
  }

  unwatch(rows: readonly WatchedRow[]): void {
    for (const row of rows) {
      const left = (this.#watched.get(row.id) ?? []).filter((one) => one !== row);
      if (left.length > 0) this.#watched.set(row.id, left);
      else this.#watched.delete(row.id);
    }
  }

  /** Called by the journal with each atomic change, and what tells when it is visible. */
  observe(ops: readonly StoreOp[], durable: Promise<void>): void {
    const writes = new Map<string, Write>();
    for (const op of ops) {
      if (!isTerritorial(op.key)) continue;
      writes.set(idOf(op.key), { value: op.type === "put" ? op.value : undefined });
    }
    if (writes.size === 0) return;
    for (const [id, write] of writes) {
      this.#pending.set(id, write);
      for (const row of this.#watched.get(id) ?? []) row.written = write;
    }
    durable.then(
      () => {
        for (const [id, write] of writes) {
          if (this.#pending.get(id) === write) this.#pending.delete(id);
        }
      },
      // The journal has reported the failure, and the peer is on its way down.
      () => undefined,
    );
  }
}
