/** What a map and a set have in common. */
interface Kept<K> {
  readonly size: number;
  keys(): Iterable<K>;
  delete(key: K): unknown;
}

/**
 * Bounds what is remembered: takes out of a map or a set what has been in it for longest, until `sizeMax` are left. To be
 * deleted before it is set again keeps an entry from counting as old.
 */
export function forgetOldest<K>(kept: Kept<K>, sizeMax: number): void {
  for (const oldest of kept.keys()) {
    if (kept.size <= sizeMax) return;
    kept.delete(oldest);
  }
}
