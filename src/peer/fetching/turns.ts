/** Lets work on one thing go one after the other, and work on different things at once. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Things that are being worked on. */
  get size(): number {
    return this.#last.size;
  }

  /** Begins `work` when all earlier work on the same thing has ended, however it has. */
  async run<T>(id: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(id);
    const turn = before ? before.then(work, work) : work();
    this.#last.set(id, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(id) === turn) this.#last.delete(id);
    }
  }
}
