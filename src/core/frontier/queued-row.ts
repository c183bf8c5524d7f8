import { invariant } from "../errors.ts";
import { idOf, keyOf } from "../record/id-of.ts";
import { bundleUrlsMax, isQueued, QueueBundle, queuedIn } from "../record/queue-bundle.ts";
import type { QueueEntry } from "../record/queue-bundle.ts";
import type { JobId } from "../units.ts";

/** One URL of a host's queue. */
export interface QueuedUrl {
  /**
   * Of its row, and one character for its place there: orders the entries of one job on one host by priority, then by
   * sequence; never reused.
   */
  readonly id: string;
  readonly job: JobId;
  readonly entry: QueueEntry;
  readonly row: QueuedRow;
  /** Entries that it counts for where their number is bounded for the sake of memory: most are one. */
  readonly weight: number;
}

/** Characters of one entry; a longer one counts for several. */
const entryCharacters = 4_096;

/** A row of a host's queue as the database has it, or will have it. */
export interface StoredRow {
  readonly key: Uint8Array;
  /** A {@link QueueBundle}, as its encoding leaves it. */
  readonly value: Uint8Array;
  readonly job: JobId;
}

/**
 * A row of a host's queue, as long as one of its URLs is in memory: which of them have left the queue.
 *
 * Invariant: there is one such object of a row, or none, so that what has left the queue never comes back by what another
 * one still had.
 */
export class QueuedRow {
  /**
   * Of the row's key ({@link idOf}). As bytes it would take four times the memory, and many are held.
   */
  readonly id: string;
  readonly #value: Uint8Array;
  #queued: number;
  #taken: number;

  private constructor(id: string, value: Uint8Array, bundle: QueueBundle) {
    this.id = id;
    // What was written may be a part of much more, and the row may wait for long.
    this.#value = value.slice();
    this.#queued = queuedIn(bundle);
    this.#taken = bundle.taken;
  }

  /** The URLs of a row that are still queued, by their places. */
  static urlsOf({ key, value, job }: StoredRow): QueuedUrl[] {
    const bundle = QueueBundle.decode(value);
    const { urls, taken, ...discovery } = bundle;
    const row = new QueuedRow(idOf(key), value, bundle);
    return urls.flatMap((url, place) => {
      if (!isQueued({ taken }, place)) return [];
      const id = row.id + String.fromCharCode(place);
      const weight = weightOf(Math.max(url.length, value.length / urls.length));
      return [{ id, job, entry: { url, ...discovery }, row, weight }];
    });
  }

  /** Whether the URL is still queued. */
  has(url: QueuedUrl): boolean {
    return isQueued({ taken: this.#taken }, placeOf(url));
  }

  /** The row's value without this URL, which leaves the queue; nothing when it was the last one. */
  take(url: QueuedUrl): Uint8Array | undefined {
    invariant(this.has(url), "a URL leaves the queue once");
    this.#taken = (this.#taken | (1 << placeOf(url))) >>> 0;
    this.#queued -= 1;
    return this.#queued === 0 ? undefined : QueueBundle.mark(this.#value, this.#taken);
  }

  /** Not the id of a URL, but behind those of the row's, and before all others that follow. */
  get endId(): string {
    return this.id + String.fromCharCode(bundleUrlsMax);
  }

  get key(): Uint8Array<ArrayBuffer> {
    return keyOf(this.id);
  }
}

function weightOf(characters: number): number {
  return Math.ceil(characters / entryCharacters);
}

function placeOf({ id }: QueuedUrl): number {
  return id.charCodeAt(id.length - 1);
}

/** Key of the row that has the URL of this id. */
export function rowKeyOf(urlId: string): Uint8Array<ArrayBuffer> {
  return keyOf(urlId.slice(0, -1));
}
