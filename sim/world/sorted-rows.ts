/** Rows of a block before it is split: few enough that moving them costs less than finding them. */
const blockRowsMax = 256;

interface Block {
  readonly keys: string[];
  readonly values: string[];
}

/**
 * Ordered map from text to text, in blocks of sorted arrays.
 *
 * Keys and values are strings of characters below 256, one for each byte: they take a third of the memory of byte
 * arrays, and comparing them compares bytes.
 *
 * Invariant: blocks are in order and none is empty.
 */
export class SortedRows {
  readonly #blocks: Block[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: string): string | undefined {
    const block = this.#blocks[this.#blockOf(key)];
    if (block === undefined) return undefined;
    const at = lowerBound(block.keys, key);
    return block.keys[at] === key ? block.values[at] : undefined;
  }

  /** Sets or, where `value` is undefined, deletes a row; returns what was there. */
  set(key: string, value: string | undefined): string | undefined {
    const number = this.#blockOf(key);
    const block = this.#blocks[number];
    if (block === undefined) {
      if (value !== undefined) this.#insert({ keys: [], values: [] }, 0, 0, key, value);
      return undefined;
    }
    const at = lowerBound(block.keys, key);
    const before = block.keys[at] === key ? block.values[at] : undefined;
    if (before === undefined) {
      if (value !== undefined) this.#insert(block, number, at, key, value);
    } else if (value === undefined) this.#delete(block, number, at);
    else block.values[at] = value;
    return before;
  }

  /** Rows from `gte` up to but without `lt`, at most `limit`, as keys and values in turn. */
  range(gte: string, lt: string, limit: number): string[] {
    const rows: string[] = [];
    const first = this.#blockOf(gte);
    for (let number = first; number < this.#blocks.length; number += 1) {
      const block = this.#blocks[number];
      if (block === undefined) break;
      const start = number === first ? lowerBound(block.keys, gte) : 0;
      for (let at = start; at < block.keys.length; at += 1) {
        const key = block.keys[at] ?? lt;
        if (key >= lt || rows.length >= 2 * limit) return rows;
        rows.push(key, block.values[at] ?? "");
      }
    }
    return rows;
  }

  #insert(block: Block, number: number, at: number, key: string, value: string): void {
    if (block.keys.length === 0) this.#blocks.splice(number, 0, block);
    block.keys.splice(at, 0, key);
    block.values.splice(at, 0, value);
    this.#size += 1;
    if (block.keys.length <= blockRowsMax) return;
    // Rows that come in order, as sequences do, fill their blocks; others leave room on both sides.
    const isAppend = number === this.#blocks.length - 1 && at === block.keys.length - 1;
    const middle = isAppend ? blockRowsMax : blockRowsMax >> 1;
    const right = {
      keys: block.keys.splice(middle),
      values: block.values.splice(middle),
    };
    this.#blocks.splice(number + 1, 0, right);
  }

  #delete(block: Block, number: number, at: number): void {
    block.keys.splice(at, 1);
    block.values.splice(at, 1);
    this.#size -= 1;
    if (block.keys.length === 0) {
      this.#blocks.splice(number, 1);
      return;
    }
    const next = this.#blocks[number + 1];
    if (next === undefined || block.keys.length + next.keys.length > blockRowsMax >> 1) return;
    block.keys.push(...next.keys);
    block.values.push(...next.values);
    this.#blocks.splice(number + 1, 1);
  }

  /** The last block that does not begin after `key`. */
  #blockOf(key: string): number {
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#blocks[middle]?.keys[0] ?? "") <= key) low = middle;
      else high = middle - 1;
    }
    return low;
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
