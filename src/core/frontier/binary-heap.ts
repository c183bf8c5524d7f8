import { invariant } from "../errors.ts";

interface Node<T> {
  readonly item: T;
  key: number;
  /** Order of arrival: decides among equal keys. */
  sequence: number;
  at: number;
}

/**
 * Priority queue in which every item can be found, moved and removed: the smallest key first, first come
 * first served among equal keys.
 *
 * Williams's heap (1964) with an index from items to places, so that each change is logarithmic.
 *
 * Invariant: no node is before its parent; `#nodes` and `#index` hold the same items.
 */
export class BinaryHeap<T> {
  readonly #nodes: Node<T>[] = [];
  readonly #index = new Map<T, Node<T>>();
  #sequence = 0;

  get size(): number {
    return this.#nodes.length;
  }

  has(item: T): boolean {
    return this.#index.has(item);
  }

  keyOf(item: T): number | undefined {
    return this.#index.get(item)?.key;
  }

  peek(): T | undefined {
    return this.#nodes[0]?.item;
  }

  peekKey(): number | undefined {
    return this.#nodes[0]?.key;
  }

  /**
   * Puts an item in, or moves it to another key, behind those that have that key already. The same key leaves
   * it where it is.
   */
  set(item: T, key: number): void {
    invariant(!Number.isNaN(key), "a heap's key is a number");
    const known = this.#index.get(item);
    if (known?.key === key) return;
    this.#sequence += 1;
    if (known === undefined) {
      const node = { item, key, sequence: this.#sequence, at: this.#nodes.length };
      this.#index.set(item, node);
      this.#nodes.push(node);
      this.#siftUp(node);
      return;
    }
    known.key = key;
    known.sequence = this.#sequence;
    this.#siftUp(known);
    this.#siftDown(known);
  }

  /** Takes the first item out. */
  pop(): T | undefined {
    const first = this.peek();
    if (first !== undefined) this.remove(first);
    return first;
  }

  /** Whether the item was there. */
  remove(item: T): boolean {
    const node = this.#index.get(item);
    if (node === undefined) return false;
    this.#index.delete(item);
    const last = this.#nodes.pop();
    if (last !== undefined && last !== node) {
      this.#put(last, node.at);
      this.#siftUp(last);
      this.#siftDown(last);
    }
    return true;
  }

  #siftUp(node: Node<T>): void {
    while (node.at > 0) {
      const parent = this.#nodes[(node.at - 1) >> 1];
      if (parent === undefined || !isBefore(node, parent)) return;
      this.#swap(node, parent);
    }
  }

  #siftDown(node: Node<T>): void {
    for (;;) {
      const left = this.#nodes[2 * node.at + 1];
      const right = this.#nodes[2 * node.at + 2];
      const child =
        left !== undefined && right !== undefined && isBefore(right, left) ? right : left;
      if (child === undefined || !isBefore(child, node)) return;
      this.#swap(node, child);
    }
  }

  #swap(one: Node<T>, other: Node<T>): void {
    const { at } = one;
    this.#put(one, other.at);
    this.#put(other, at);
  }

  #put(node: Node<T>, at: number): void {
    this.#nodes[at] = node;
    node.at = at;
  }
}

function isBefore<T>(left: Node<T>, right: Node<T>): boolean {
  return left.key < right.key || (left.key === right.key && left.sequence < right.sequence);
}
