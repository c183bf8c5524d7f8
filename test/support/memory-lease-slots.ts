import { CrawlError } from "../../src/core/errors.ts";
import type { LeaseSlots } from "../../src/ports/lease-slots.ts";

/** What outlives a process. */
export type MemorySlots = Map<number, Uint8Array>;

/** Lease slots in memory: `kill` ends the process that holds them. */
export class MemoryLeaseSlots implements LeaseSlots {
  readonly #slots: MemorySlots;
  readonly #found: number[] = [];
  #next = 0;
  #isOpen = false;

  constructor(slots: MemorySlots = new Map()) {
    this.#slots = slots;
  }

  start(): Promise<readonly Uint8Array[]> {
    this.#isOpen = true;
    this.#found.push(...this.#slots.keys());
    this.#next = Math.max(-1, ...this.#found) + 1;
    return Promise.resolve([...this.#slots.values()]);
  }

  stop(): Promise<void> {
    this.#isOpen = false;
    return Promise.resolve();
  }

  kill(): void {
    this.#isOpen = false;
  }

  clearFound(): void {
    for (const slot of this.#found.splice(0)) this.clear(slot);
  }

  set(note: Uint8Array): number {
    this.#assertOpen();
    const slot = this.#next++;
    this.#slots.set(slot, note.slice());
    return slot;
  }

  clear(slot: number): void {
    this.#assertOpen();
    this.#slots.delete(slot);
  }

  #assertOpen(): void {
    if (!this.#isOpen) throw new CrawlError("STORE_IO", "the leases are not open");
  }
}
