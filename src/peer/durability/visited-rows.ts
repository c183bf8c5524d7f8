import { idOf } from "../../core/record/id-of.ts";

/**
 * What other members tell of a URL while it is visited here, as happens where its site is, or was, held by two members. The
 * visit ends by writing the URL's row without reading it first, and must not undo what has come in meanwhile.
 */
export class VisitedRows {
  /** The latest value of the row of each URL that is visited, where another member has changed it since the visit began. */
  readonly #values = new Map<string, Uint8Array | undefined>();

  /** Remembers what comes in for the row of this id while `visit` goes on. */
  async during<T>(id: string, visit: () => Promise<T>): Promise<T> {
    this.#values.set(id, undefined);
    try {
      return await visit();
    } finally {
      this.#values.delete(id);
    }
  }

  /** The row of this id has been merged with another member's. */
  merged(id: string, value: Uint8Array): void {
    if (this.#values.has(id)) this.#values.set(id, value);
  }

  /** What the row has become by other members' doing; nothing where none has changed it. */
  latest(rowKey: Uint8Array): Uint8Array | undefined {
    return this.#values.get(idOf(rowKey));
  }
}
