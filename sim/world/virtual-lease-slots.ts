import { CrawlError } from "../../src/core/errors.ts";
import type { LeaseSlots } from "../../src/ports/lease-slots.ts";
import { Sluice } from "./sluice.ts";
import type { VirtualProcess } from "./virtual-process.ts";

/** Notes that are set, by slot: what outlives a process. A power failure may take them. */
export class VirtualSlots extends Map<number, Uint8Array> {
  /** While true, nothing can be noted: that fails with STORE_IO. */
  broken = false;
  /** While it is shut, nobody is told that anything is noted. */
  readonly sluice = new Sluice();
}

/** The lease slots of one process. */
export class VirtualLeaseSlots implements LeaseSlots {
  readonly #slots: VirtualSlots;
  readonly #process: VirtualProcess;
  readonly #found: number[] = [];
  #next = 0;
  #isOpen = false;
  #failure: CrawlError | undefined;

  constructor(slots: VirtualSlots, process: VirtualProcess) {
    this.#slots = slots;
    this.#process = process;
  }

  /** The disk takes nothing from now on. */
  failWith(failure: CrawlError): void {
    this.#failure = failure;
  }

  start(): Promise<readonly Uint8Array[]> {
    return this.#process.answer(() => {
      if (!this.#isOpen) {
        this.#isOpen = true;
        this.#found.splice(0, Infinity, ...this.#slots.keys());
        this.#next = Math.max(-1, ...this.#found) + 1;
      }
      return this.#found.flatMap((slot) => this.#slots.get(slot) ?? []);
    });
  }

  stop(): Promise<void> {
    return this.#process.answer(() => {
      this.#isOpen = false;
    });
  }

  clearFound(): void {
    for (const slot of this.#found.splice(0)) this.clear(slot);
  }

  set(note: Uint8Array): number {
    const slot = this.#next++;
    if (this.#isUsable()) this.#slots.set(slot, note.slice());
    return slot;
  }

  clear(slot: number): void {
    if (this.#isUsable()) this.#slots.delete(slot);
  }

  /** What is set and cleared in a turn of the event loop is written before the next: no process ends within one. */
  written(): Promise<void> {
    return this.#slots.sluice.isShut ? this.#passed() : Promise.resolve();
  }

  async #passed(): Promise<void> {
    await this.#slots.sluice.passed();
    await this.#process.answer(() => undefined);
  }

  /** What a process does after its end changes nothing, and fails nowhere. */
  #isUsable(): boolean {
    if (!this.#process.isAlive) return false;
    if (this.#slots.broken) this.#failure ??= new CrawlError("STORE_IO", "the disk has failed");
    if (this.#failure) {
      this.#process.refuse();
      throw this.#failure;
    }
    if (!this.#isOpen) throw new CrawlError("STORE_IO", "the leases are not open");
    return true;
  }
}
