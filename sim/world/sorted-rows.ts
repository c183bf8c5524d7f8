/** Keys of a leaf, at most: what a look at a range puts in order, and what a merge walks over. */
const usualLeafMax = 1_024;

/** Changes up to which each finds its place on its own, since moving the keys behind it costs less than a walk over all. */
const fewChanges = 16;

/** The keys of a stretch: from `from`, up to where the next leaf begins. */
class Leaf {
  readonly from: string;
  ordered: string[];
  /** Keys that came and went since they were last put in order. */
  readonly added: string[] = [];
  readonly removed: string[] = [];

  constructor(from: string, ordered: string[] = []) {
    this.from = from;
    this.ordered = ordered;
  }

  get changes(): number {
    return this.added.length + this.removed.length;
  }
}

/**
 * Ordered map from text to text, made for many changes and few looks at ranges: rows are found by hash, and the keys of a
 * stretch are put in order when somebody wants to see that. What comes and goes between two looks is never ordered at all.
 *
 * Keys and values are strings of characters below 256, one for each byte: they take a third of the memory of byte
 * arrays, and comparing them compares bytes.
 *
 * Invariants: a key that has a value was ordered in its leaf and not removed since, or else it is new there. What was
 * removed may never have been ordered, and what is new may be gone. The first leaf begins at the empty text.
 */
export class SortedRows {
  readonly #values = new Map<string, string>();
  readonly #leaves = [new Leaf("")];
  readonly #leafMax: number;

  constructor(leafMax = usualLeafMax) {
    this.#leafMax = leafMax;
  }

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
      if (before === undefined) this.#change(key, "added");
    } else if (before !== undefined) {
      this.#values.delete(key);
      this.#change(key, "removed");
    }
    return before;
  }

  /** Rows from `gte` up to but without `lt`, at most `limit`, as keys and values in turn. */
  range(gte: string, lt: string, limit: number): string[] {
    const rows: string[] = [];
    for (let at = this.#leafOf(gte); rows.length < 2 * limit; at += 1) {
      this.#order(at);
      const leaf = this.#leaves[at];
      if (leaf === undefined || leaf.from >= lt) break;
      const keys = leaf.ordered;
      for (let i = lowerBound(keys, gte); i < keys.length && rows.length < 2 * limit; i += 1) {
        const key = keys[i] ?? lt;
        if (key >= lt) break;
        rows.push(key, this.#values.get(key) ?? "");
      }
    }
    return rows;
  }

  #change(key: string, kind: "added" | "removed"): void {
    const at = this.#leafOf(key);
    const leaf = this.#leaves[at];
    leaf?.[kind].push(key);
    // Also where nobody looks: changes must not cost memory for ever.
    if (leaf !== undefined && leaf.changes > this.#leafMax / 2) this.#order(at);
  }

  /** The last leaf that begins at the key or before. */
  #leafOf(key: string): number {
    let low = 1;
    let high = this.#leaves.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#leaves[middle]?.from ?? "") <= key) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** Puts the leaf there in order; it may be several afterwards, or none, and then the next one takes its place. */
  #order(at: number): void {
    for (let leaf = this.#leaves[at]; leaf && leaf.changes > 0; leaf = this.#leaves[at]) {
      const keys = this.#inOrder(leaf);
      if (keys.length > this.#leafMax) this.#leaves.splice(at, 1, ...this.#split(leaf.from, keys));
      else if (keys.length === 0 && at > 0) this.#leaves.splice(at, 1);
    }
  }

  /** As leaves that are half full. */
  #split(from: string, keys: readonly string[]): Leaf[] {
    const leaves: Leaf[] = [];
    const size = this.#leafMax / 2;
    for (let at = 0; at < keys.length; at += size) {
      const part = keys.slice(at, at + size);
      leaves.push(new Leaf(at === 0 ? from : (part[0] ?? from), part));
    }
    return leaves;
  }

  /** The leaf's keys, none of them new or removed any more. */
  #inOrder(leaf: Leaf): readonly string[] {
    const added = new Set(leaf.added.filter((key) => this.#values.has(key)));
    if (leaf.changes <= fewChanges) sortFew(leaf.ordered, added, leaf.removed);
    else leaf.ordered = merge(leaf.ordered, [...added].sort(), leaf.removed.sort());
    leaf.added.length = 0;
    leaf.removed.length = 0;
    return leaf.ordered;
  }
}

function sortFew(keys: string[], added: ReadonlySet<string>, removed: readonly string[]): void {
  for (const key of removed) {
    const at = lowerBound(keys, key);
    if (keys[at] === key) keys.splice(at, 1);
  }
  for (const key of added) keys.splice(lowerBound(keys, key), 0, key);
}

/** All lists rise; what was removed may not have been in order, or come twice. */
function merge(
  ordered: readonly string[],
  added: readonly string[],
  removed: readonly string[],
): string[] {
  const merged: string[] = [];
  let [atAdded, atRemoved] = [0, 0];
  for (const key of ordered) {
    for (let next = added[atAdded]; next !== undefined && next < key; next = added[atAdded]) {
      merged.push(next);
      atAdded += 1;
    }
    while (isBefore(removed[atRemoved], key)) atRemoved += 1;
    if (removed[atRemoved] !== key) merged.push(key);
  }
  for (; atAdded < added.length; atAdded += 1) merged.push(added[atAdded] ?? "");
  return merged;
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
