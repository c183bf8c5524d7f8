import type { Millis } from "./units.ts";

export interface RecentMapOptions<V> {
  /** Sum of the values' costs, above which those that were used longest ago go. */
  readonly costMax: number;
  readonly costOf: (value: V) => number;
  /** What nobody has used for so long goes when something new comes: what a crawl has left behind takes no memory. */
  readonly idleMsMax: Millis;
}

interface Entry<V> {
  readonly value: V;
  usedAtMs: Millis;
}

/** What was used lately, within bounds; the newest value always stays. */
export class RecentMap<K, V> {
  readonly #options: RecentMapOptions<V>;
  /** Least recently used first. */
  readonly #entries = new Map<K, Entry<V>>();
  #cost = 0;

  constructor(options: RecentMapOptions<V>) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K, nowMs: Millis): V | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    entry.usedAtMs = nowMs;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: K, value: V, nowMs: Millis): void {
    this.delete(key);
    this.#entries.set(key, { value, usedAtMs: nowMs });
    this.#cost += this.#options.costOf(value);
    const { costMax, idleMsMax } = this.#options;
    for (const [oldest, { usedAtMs }] of this.#entries) {
      if (oldest === key || (this.#cost <= costMax && nowMs - usedAtMs < idleMsMax)) return;
      this.delete(oldest);
    }
  }

  delete(key: K): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#cost -= this.#options.costOf(entry.value);
  }
}
