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

const crc32cTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  return crc;
});

/** CRC-32C (RFC 3720, appendix B.4), turned and shifted as LevelDB stores it (`util/crc32c.h`). */
function maskedCrc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  // By index, which is several times as fast as an iterator here.
  for (let at = 0; at < bytes.length; at += 1) {
    crc = (crc32cTable[(crc ^ (bytes[at] ?? 0)) & 0xff] ?? 0) ^ (crc >>> 8);
  }
  crc = ~crc;
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}
