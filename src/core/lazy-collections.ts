/**
 * A `Map` that is made when it gets its first entry. An empty one takes 184 bytes of V8, and of those that belong to a host
 * most are empty most of the time.
 */
export class LazyMap<K, V> implements Iterable<[K, V]> {
  #map: Map<K, V> | undefined;

  get size(): number {
    return this.#map?.size ?? 0;
  }

  get(key: K): V | undefined {
    return this.#map?.get(key);
  }

  has(key: K): boolean {
    return this.#map?.has(key) ?? false;
  }

  set(key: K, value: V): void {
    this.#map ??= new Map();
    this.#map.set(key, value);
  }

  /** Whether there was one. */
  delete(key: K): boolean {
    return this.#map?.delete(key) ?? false;
  }

  values(): Iterable<V> {
    return this.#map?.values() ?? [];
  }

  [Symbol.iterator](): Iterator<[K, V]> {
    return this.#map?.[Symbol.iterator]() ?? [][Symbol.iterator]();
  }
}

/** A `Set` that is made when it gets its first entry; see {@link LazyMap}. */
export class LazySet<T> implements Iterable<T> {
  #set: Set<T> | undefined;

  get size(): number {
    return this.#set?.size ?? 0;
  }

  has(value: T): boolean {
    return this.#set?.has(value) ?? false;
  }

  add(value: T): void {
    this.#set ??= new Set();
    this.#set.add(value);
  }

  delete(value: T): void {
    this.#set?.delete(value);
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#set?.[Symbol.iterator]() ?? [][Symbol.iterator]();
  }
}
