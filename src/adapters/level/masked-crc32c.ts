/** Bytes that are taken up at once. */
const slices = 8;
const bytesOfWord = 4;
const byteValues = 256;

/** For each byte what it makes of the checksum with no byte behind it, with one that is zero, and so on. */
const table = new Int32Array(slices * byteValues);
for (let byte = 0; byte < byteValues; byte += 1) {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  table[byte] = crc;
}
for (let at = byteValues; at < table.length; at += 1) {
  const before = table[at - byteValues] ?? 0;
  table[at] = (before >>> 8) ^ ofByte(before, 0);
}

/**
 * CRC-32C (RFC 3720, appendix B.4), turned and shifted as LevelDB stores it (`util/crc32c.h`). Eight bytes at a time, which
 * is twice as fast as one by one (Kounavis and Berry, "A Systematic Approach to Building High Performance Software-Based
 * CRC Generators", 2005).
 */
export function maskedCrc32c(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let crc = -1;
  let at = 0;
  for (; at + slices <= bytes.length; at += slices) {
    const second = view.getInt32(at + bytesOfWord, true);
    crc = ofWord(crc ^ view.getInt32(at, true), bytesOfWord) ^ ofWord(second, 0);
  }
  // By index, which is several times as fast as an iterator here.
  for (; at < bytes.length; at += 1) crc = ofByte(crc ^ (bytes[at] ?? 0), 0) ^ (crc >>> 8);
  crc = ~crc;
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

/** What four bytes make of the checksum with so many behind them. */
function ofWord(word: number, behind: number): number {
  return (
    ofByte(word, behind + 3) ^
    ofByte(word >>> 8, behind + 2) ^
    ofByte(word >>> 16, behind + 1) ^
    ofByte(word >>> 24, behind)
  );
}

function ofByte(byte: number, behind: number): number {
  return table[behind * byteValues + (byte & 0xff)] ?? 0;
}
