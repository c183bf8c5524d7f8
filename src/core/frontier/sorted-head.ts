import type { QueuedUrl } from "./queued-row.ts";

/**
 * Up to where a head is complete: every row up to and including the one of this id; an empty id is nothing,
 * `undefined` is everything.
 */
export type Horizon = string | undefined;

export const nothing = "";
export const everything: Horizon = undefined;

/** Whether a row stands at or before `horizon`. */
export function isWithin(id: string, horizon: Horizon): boolean {
  return horizon === undefined || id <= horizon;
}

/** Whether the first of a row's entries may, without making an id of its key. */
export function isKeyWithin(key: Uint8Array, horizon: Horizon): boolean {
  if (horizon === undefined) return true;
  for (let at = 0; at < key.length && at < horizon.length; at += 1) {
    const difference = (key[at] ?? 0) - horizon.charCodeAt(at);
    if (difference !== 0) return difference < 0;
  }
  return key.length <= horizon.length;
}

/** The nearer one of two horizons. */
export function nearer(left: Horizon, right: Horizon): Horizon {
  if (left === undefined) return right;
  return isWithin(left, right) ? left : right;
}

/**
 * The first entries of a queue, in key order, and how far it is sure that there are no others.
 *
 * Invariant: of all entries ever added with a key up to the horizon, those not taken out are here; they weigh `entriesMax`
 * at most, or are one, because the last one falls out, and the horizon with it, when there are more.
 */
export class SortedHead {
  #entriesMax: number;
  readonly #entries: QueuedUrl[] = [];
  #weight = 0;
  #horizon: Horizon = everything;

  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax;
  }

  get size(): number {
    return this.#entries.length;
  }

  /** Of all entries; see {@link QueuedUrl}. */
  get weight(): number {
    return this.#weight;
  }

  get horizon(): Horizon {
    return this.#horizon;
  }

  get entries(): readonly QueuedUrl[] {
    return this.#entries;
  }

  /** Keeps the entry if it belongs here; one that is beyond the horizon, or here already, changes nothing. */
  add(url: QueuedUrl): void {
    if (!isWithin(url.id, this.#horizon)) return;
    const at = this.#placeOf(url.id);
    if (this.#entries[at]?.id === url.id) return;
    this.#entries.splice(at, 0, url);
    this.#weight += url.weight;
    this.#fit();
  }

  /** Keeps so many entries from now on. */
  setEntriesMax(entriesMax: number): void {
    this.#entriesMax = entriesMax;
    this.#fit();
  }

  /** Takes the first entry out. */
  shift(): QueuedUrl | undefined {
    const first = this.#entries.shift();
    this.#weight -= first?.weight ?? 0;
    return first;
  }

  /** States that the entries added from now on are all there are up to `horizon`. */
  extend(horizon: Horizon): void {
    this.#horizon = horizon;
  }

  /** Drops everything: nothing is known of the queue any more. */
  clear(): void {
    this.#entries.length = 0;
    this.#weight = 0;
    this.#horizon = nothing;
  }

  #fit(): void {
    if (this.#weight <= this.#entriesMax || this.#entries.length <= 1) return;
    while (this.#weight > this.#entriesMax && this.#entries.length > 1) {
      this.#weight -= this.#entries.pop()?.weight ?? 0;
    }
    this.#horizon = this.#entries.at(-1)?.id ?? nothing;
  }

  #placeOf(id: string): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const entry = this.#entries[middle];
      if (entry !== undefined && entry.id < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
