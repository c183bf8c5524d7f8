import { hash64Bytes } from "../../src/core/hash/hash64.ts";

/**
 * Digest of everything that happened, in its order: two runs of one seed that end with the same value took the same
 * course.
 */
export class TraceHash {
  readonly #event = new Float64Array(5);
  readonly #bytes = new Uint8Array(this.#event.buffer);
  #value = 0n;
  #events = 0;

  /** Of all events so far. */
  get value(): bigint {
    return this.#value;
  }

  get events(): number {
    return this.#events;
  }

  /** Folds one event in; what the numbers mean is up to the part of the world that calls, as long as it stays so. */
  add(atMs: number, from: number, to: number, kind: number, size: number): void {
    this.#event[0] = atMs;
    this.#event[1] = from;
    this.#event[2] = to;
    this.#event[3] = kind;
    this.#event[4] = size;
    this.#value = hash64Bytes(this.#bytes, this.#value);
    this.#events += 1;
  }
}
