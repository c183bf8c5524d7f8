/**
 * Changes since the rows were last put in order: above it, and above a fourth of what is in order, they are, so that they cost
 * no memory for ever. To walk over all rows for the sake of few changes would cost more time than all else.
 */
const unsortedMax = 8_192;

/** Changes up to which each finds its place on its own, since moving the rows behind it costs less than a walk over all. */
const fewChanges = 16;

/**
 * Ordered map from text to text, made for many changes and few looks at ranges: rows are found by hash, and their keys are
 * put in order when somebody wants to see that. What comes and goes between two looks is never ordered at all.
 *
 * Keys and values are strings of characters below 256, one for each byte: they take a third of the memory of byte
 * arrays, and comparing them compares bytes.
 *
 * Invariant: a key that has a value was ordered and not removed since, or else it is new. What was removed may never have
 * been ordered, and what is new may be gone.
 */
export class SortedRows {
  readonly #values = new Map<string, string>();
  #ordered: string[] = [];
  readonly #new: string[] = [];
  readonly #removed: string[] = [];

  get size(): number {
    return this.#values.size;
  }

  get(key: string): string | undefined {
    return this.#values.get(key);
  }

  /** Sets or, where `value` is undefined, deletes a row; returns what was there. */
  set(key: string, value: string | undefined): string | undefined {
    const before = this.#values.get(key);
    if (value !== undefined) {
      this.#values.set(key, value);
      if (before === undefined) this.#new.push(key);
    } else if (before !== undefined) {
      this.#values.delete(key);
      this.#removed.push(key);
    }
    const changes = this.#new.length + this.#removed.length;
    if (changes > unsortedMax && changes > this.#ordered.length / 4) this.#sort();
    return before;
  }

  /** Rows from `gte` up to but without `lt`, at most `limit`, as keys and values in turn. */
  range(gte: string, lt: string, limit: number): string[] {
    this.#sort();
    const keys = this.#ordered;
    const rows: string[] = [];
    for (let at = lowerBound(keys, gte); at < keys.length && rows.length < 2 * limit; at += 1) {
      const key = keys[at] ?? lt;
      if (key >= lt) break;
      rows.push(key, this.#values.get(key) ?? "");
    }
    return rows;
  }

  #sort(): void {
    const changes = this.#new.length + this.#removed.length;
    if (changes === 0) return;
    const added = new Set(this.#new.filter((key) => this.#values.has(key)));
    if (changes <= fewChanges) this.#sortFew(added);
    else this.#merge([...added].sort(), this.#removed.sort());
    this.#new.length = 0;
    this.#removed.length = 0;
  }

  #sortFew(added: ReadonlySet<string>): void {
    const keys = this.#ordered;
    for (const key of this.#removed) {
      const at = lowerBound(keys, key);
      if (keys[at] === key) keys.splice(at, 1);
    }
    for (const key of added) keys.splice(lowerBound(keys, key), 0, key);
  }

  /** Both lists rise; what was removed may not have been in order, or come twice. */
  #merge(added: readonly string[], removed: readonly string[]): void {
    const merged: string[] = [];
    let [atAdded, atRemoved] = [0, 0];
    for (const key of this.#ordered) {
      for (let next = added[atAdded]; next !== undefined && next < key; next = added[atAdded]) {
        merged.push(next);
        atAdded += 1;
      }
      while (isBefore(removed[atRemoved], key)) atRemoved += 1;
      if (removed[atRemoved] !== key) merged.push(key);
    }
    for (; atAdded < added.length; atAdded += 1) merged.push(added[atAdded] ?? "");
    this.#ordered = merged;
  }
}

function isBefore(one: string | undefined, key: string): boolean {
  return one !== undefined && one < key;
}

/** Where `key` is, or belongs. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? "") < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
