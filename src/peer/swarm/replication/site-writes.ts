import { idOf } from "../../../core/record/id-of.ts";
import type { StoreOp } from "../../../ports/store.ts";

/** What is on its way into the database of one site's rows, oldest first. Rows are told apart when one is asked for. */
export class SiteWrites {
  #ops: StoreOp[] = [];
  /** Of each of them: with which commit it becomes visible. */
  #commits: number[] = [];
  /** The last change of each row, as far as they have been told apart. */
  #latest: Map<string, StoreOp> | undefined;
  #indexed = 0;

  /** @param commit rises from call to call, or stays */
  add(op: StoreOp, commit: number): void {
    this.#ops.push(op);
    this.#commits.push(commit);
  }

  /** The last change of each row, by the ids of their keys. */
  get latest(): ReadonlyMap<string, StoreOp> {
    const latest = (this.#latest ??= new Map<string, StoreOp>());
    for (; this.#indexed < this.#ops.length; this.#indexed += 1) {
      const op = this.#ops[this.#indexed];
      if (op) latest.set(idOf(op.key), op);
    }
    return latest;
  }

  /** A commit is visible, and so are those before it. Returns how many changes are not. */
  dropUpTo(commit: number): number {
    const left = this.#commits.findIndex((one) => one > commit);
    this.#ops = left === -1 ? [] : this.#ops.slice(left);
    this.#commits = left === -1 ? [] : this.#commits.slice(left);
    this.#latest = undefined;
    this.#indexed = 0;
    return this.#ops.length;
  }
}
