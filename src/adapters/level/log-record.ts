import { maskedCrc32c } from "./masked-crc32c.ts";

/** A log is made of blocks of this size; no record's head stands across two. */
export const logBlockBytes = 32 * 1024;

/** Checksum (four bytes), length (two) and kind (one) of a record. */
export const recordHeadBytes = 7;

/** Whether the record at `at` of a block lies in it to its end, and has the checksum that its head names. */
export function isWhole(block: Buffer, at: number): boolean {
  const end = recordEnd(block, at);
  return (
    end <= block.length && block.readUInt32LE(at) === maskedCrc32c(block.subarray(at + 6, end))
  );
}

/** Where the record at `at` of a block ends, by its head. */
export function recordEnd(block: Buffer, at: number): number {
  return at + recordHeadBytes + block.readUInt16LE(at + 4);
}
