import type { Store } from "../../../ports/store.ts";
import type { Journal } from "../../durability/journal.ts";
import { RowWatch, type NamedKey } from "./row-watch.ts";

/**
 * What is known of rows at one moment: what the database shows, or what the journal took in since.
 *
 * Invariant: a row that is asked for is the latest that the journal took in, not what could be read of it before.
 */
export class LatestRows {
  readonly #store: Store;
  readonly #watch = new RowWatch();

  constructor(store: Store, journal: Pick<Journal, "observe">) {
    this.#store = store;
    journal.observe((ops, durable) => this.#watch.observe(ops, durable));
  }

  /** Ids of the rows of which the latest cannot be read yet. */
  underWay(): Set<string> {
    return this.#watch.underWay();
  }

  /**
   * Calls `use` with what is known of rows at that very moment, by the ids of their keys, whether the database shows it yet
   * or not. It does not show those that are `absent`.
   */
  async use<T>(
    keys: readonly NamedKey[],
    absent: ReadonlySet<string>,
    use: (latest: Map<string, Uint8Array | undefined>) => T,
  ): Promise<T> {
    const watched = this.#watch.watch(keys);
    const latest = new Map<string, Uint8Array | undefined>();
    try {
      const asked = watched.filter(({ id }) => !absent.has(id));
      const read = await this.#read(asked);
      for (const [at, { id }] of asked.entries()) latest.set(id, read[at]);
    } finally {
      this.#watch.unwatch(watched);
    }
    for (const { id, written } of watched) {
      if (written) latest.set(id, written.type === "put" ? written.value : undefined);
    }
    return use(latest);
  }

  /** A single row, as each visit may ask for, goes with those that others ask for. */
  async #read(rows: readonly NamedKey[]): Promise<readonly (Uint8Array | undefined)[]> {
    const [first, ...others] = rows;
    if (first !== undefined && others.length === 0) return [await this.#store.get(first.key)];
    return this.#store.getMany(rows.map(({ key }) => key));
  }
}
