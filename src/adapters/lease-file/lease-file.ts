import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { CrawlError, invariant } from "../../core/errors.ts";
import type { LeaseSlots } from "../../ports/lease-slots.ts";

/** A slot: the note's length, its bytes, zeros, and the length again, so that a torn slot is known. */
const slotBytes = 64;
const noteBytesMax = slotBytes - 2;

/** The file grows by so many slots at a time, 64 KiB, and so seldom that growing may take its time. */
const slotsPerStep = 1_024;

/** More are in flight only when nothing is committed any more. */
const slotsMax = 65_536;

/**
 * Lease slots in a file of fixed places.
 *
 * A write of 64 bytes in place goes to the page cache, where it survives `kill -9`, and neither waits for an fsync of
 * other files nor makes the file longer: measured at 3 us, against 5 ms on average for an unsynced write to LevelDB
 * beside a busy database.
 */
export class LeaseFile implements LeaseSlots {
  readonly #path: string;
  #file: number | undefined;
  #slots = 0;
  readonly #free: number[] = [];
  #found: number[] = [];
  readonly #buffer = new Uint8Array(slotBytes);

  constructor(path: string) {
    this.#path = path;
  }

  start(): Promise<readonly Uint8Array[]> {
    return new Promise((resolve) => {
      resolve(this.#file === undefined ? this.#guarded(() => this.#open()) : []);
    });
  }

  stop(): Promise<void> {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    return Promise.resolve();
  }

  clearFound(): void {
    for (const slot of this.#found) this.clear(slot);
    this.#found = [];
  }

  set(note: Uint8Array): number {
    invariant(note.length > 0 && note.length <= noteBytesMax, "a lease's note fits into its slot");
    if (this.#free.length === 0) this.#guarded(() => this.#grow());
    const slot = this.#free.pop();
    invariant(slot !== undefined, "a file that has grown has free slots");
    this.#buffer.fill(0);
    this.#buffer[0] = note.length;
    this.#buffer.set(note, 1);
    this.#buffer[slotBytes - 1] = note.length;
    this.#write(slot);
    return slot;
  }

  clear(slot: number): void {
    this.#buffer.fill(0);
    this.#write(slot);
    this.#free.push(slot);
  }

  #open(): Uint8Array[] {
    mkdirSync(dirname(this.#path), { recursive: true });
    this.#file = openSync(this.#path, "a+");
    closeSync(this.#file);
    this.#file = openSync(this.#path, "r+");
    const bytes = new Uint8Array(Math.min(fstatSync(this.#file).size, slotsMax * slotBytes));
    readSync(this.#file, bytes, 0, bytes.length, 0);
    this.#slots = Math.floor(bytes.length / slotBytes);
    const notes: Uint8Array[] = [];
    for (let slot = 0; slot < this.#slots; slot += 1) {
      const note = noteIn(bytes.subarray(slot * slotBytes, (slot + 1) * slotBytes));
      if (note) {
        notes.push(note);
        this.#found.push(slot);
      } else {
        this.#free.push(slot);
      }
    }
    return notes;
  }

  #grow(): void {
    invariant(this.#slots < slotsMax, `${this.#slots} requests are in flight`);
    const slots = this.#slots + slotsPerStep;
    const zeros = new Uint8Array(slotsPerStep * slotBytes);
    const file = this.#opened();
    ftruncateSync(file, this.#slots * slotBytes);
    // Written, not only reserved: a full disk must show now, not when a request is to be noted.
    writeSync(file, zeros, 0, zeros.length, this.#slots * slotBytes);
    for (let slot = slots - 1; slot >= this.#slots; slot -= 1) this.#free.push(slot);
    this.#slots = slots;
  }

  #write(slot: number): void {
    const file = this.#opened();
    this.#guarded(() => writeSync(file, this.#buffer, 0, slotBytes, slot * slotBytes));
  }

  #opened(): number {
    if (this.#file !== undefined) return this.#file;
    throw new CrawlError("STORE_IO", "the leases are not open", { path: this.#path });
  }

  #guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (cause) {
      if (cause instanceof CrawlError || !(cause instanceof Error) || !("code" in cause))
        throw cause;
      const { code } = cause;
      const isFull = code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG";
      throw new CrawlError(
        isFull ? "DISK_FULL" : "STORE_IO",
        `the leases in ${this.#path} cannot be written: ${cause.message}`,
        { path: this.#path },
        { cause },
      );
    }
  }
}

function noteIn(slot: Uint8Array): Uint8Array | undefined {
  const length = slot[0] ?? 0;
  if (length === 0 || length > noteBytesMax || slot[slotBytes - 1] !== length) return undefined;
  return slot.slice(1, 1 + length);
}
