import type { Millis } from "../../../core/units.ts";
import type { Clock } from "../../../ports/clock.ts";

/** Rows that wait to be deleted, at most; some 50 bytes each. */
const rowsMax = 1_000;

/**
 * How long a row waits for others to be deleted with it. Longer makes fewer changes, each of which costs a commit here and a
 * message and a commit at every replica; and more URLs are sent once more after a crash.
 */
const lingerMs: Millis = 1_000;

/**
 * The rows of the outbox whose URLs have arrived, until they are deleted, many with one change. Nobody waits for that: a
 * row that outlives its URL's arrival makes the URL be sent once more, and its owner says that it knows it.
 */
export class OutboxSweep {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #delete: (keys: readonly Uint8Array[]) => void;
  readonly #onFailure: (error: unknown) => void;
  #keys: Uint8Array[] = [];
  #isDue = false;

  /** `signal` ends it: what is left then stays. */
  constructor(
    clock: Clock,
    signal: AbortSignal,
    deleteRows: (keys: readonly Uint8Array[]) => void,
    onFailure: (error: unknown) => void,
  ) {
    this.#clock = clock;
    this.#signal = signal;
    this.#delete = deleteRows;
    this.#onFailure = onFailure;
  }

  add(keys: readonly Uint8Array[]): void {
    if (keys.length === 0) return;
    this.#keys.push(...keys);
    if (this.#keys.length >= rowsMax) this.now();
    else if (!this.#isDue) this.#linger().catch(this.#onFailure);
  }

  /** Deletes what is left. */
  now(): void {
    if (this.#keys.length === 0) return;
    const keys = this.#keys;
    this.#keys = [];
    this.#delete(keys);
  }

  async #linger(): Promise<void> {
    this.#isDue = true;
    await this.#clock.sleep(lingerMs, this.#signal);
    this.#isDue = false;
    if (!this.#signal.aborted) this.now();
  }
}
