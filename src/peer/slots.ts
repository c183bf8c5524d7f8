import { FairSlots } from "../core/fair-slots.ts";

/** A number of places, and one line for those who find none free. Who waits is bounded by the caller. */
export class Slots {
  readonly #slots: FairSlots;

  constructor(count: number) {
    this.#slots = new FairSlots(count);
  }

  /**
   * Runs `work` as soon as a place is free, in the order of the calls. Errors: the reason of `signal` where that has aborted
   * by then.
   */
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#slots.run("", () => {
      signal?.throwIfAborted();
      return work();
    });
  }
}
