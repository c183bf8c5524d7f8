/**
 * Places for short notes that outlive the process, though not a power failure: what a peer has in flight.
 *
 * Setting and clearing are synchronous, and what is set and cleared in one turn of the event loop is written at its end,
 * all at once: a request need not wait for the disk. A slot is rewritten in place. What a killed process had written is
 * found by the next one, each note whole or not at all.
 */
export interface LeaseSlots {
  /**
   * Opens the slots and returns the notes that are set, in any order; idempotent.
   * Errors: `DATA_DIR_UNUSABLE`, `DISK_FULL`, `STORE_IO`.
   */
  start(): Promise<readonly Uint8Array[]>;
  /** Closes them; what is set stays set, and is written. Idempotent. Errors: `DISK_FULL`, `STORE_IO`. */
  stop(): Promise<void>;
  /** Clears every slot that was set before `start`. */
  clearFound(): void;
  /** Sets a free slot to a note of at most 62 bytes, and returns its number. Errors: `DISK_FULL`, `STORE_IO`. */
  set(note: Uint8Array): number;
  clear(slot: number): void;
  /** Resolves when all that was set and cleared up to now outlives the process. Errors: `DISK_FULL`, `STORE_IO`. */
  written(): Promise<void>;
}
