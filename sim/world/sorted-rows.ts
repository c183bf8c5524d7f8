/** Changes since the rows were last put in order: above it they are, so that they do not cost memory for ever. */
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
 * Invariant: the keys are those that were ordered, without those removed since, and those added since.
 */
export class SortedRows {
  readonly #values = new Map<string, string>();
  #ordered: string[] = [];
  readonly #added = new Set<string>();
  readonly #removed = new Set<string>();

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
      if (before === undefined && !this.#removed.delete(key)) this.#added.add(key);
    } else if (before !== undefined) {
      this.#values.delete(key);
      if (!this.#added.delete(key)) this.#removed.add(key);
    }
    if (this.#added.size + this.#removed.size > unsortedMax) this.#sort();
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
    const changes = this.#added.size + this.#removed.size;
    if (changes === 0) return;
    if (changes <= fewChanges) this.#sortFew();
    else this.#merge([...this.#added].sort());
    this.#added.clear();
    this.#removed.clear();
  }

  #sortFew(): void {
    const keys = this.#ordered;
    for (const key of this.#removed) keys.splice(lowerBound(keys, key), 1);
    for (const key of this.#added) keys.splice(lowerBound(keys, key), 0, key);
  }

  #merge(added: readonly string[]): void {
    const merged: string[] = [];
    let at = 0;
    for (const key of this.#ordered) {
      for (let next = added[at]; next !== undefined && next < key; next = added[at]) {
        merged.push(next);
        at += 1;
      }
      if (!this.#removed.has(key)) merged.push(key);
    }
    for (; at < added.length; at += 1) merged.push(added[at] ?? "");
    this.#ordered = merged;
  }
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
