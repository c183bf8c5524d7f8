import { crc32, gzipSync } from "node:zlib";

/** Longest stored block of a deflate stream (RFC 1951, section 3.2.4). */
const blockBytesMax = 0xffff;

const headerBytes = 10;
const blockHeaderBytes = 5;
const trailerBytes = 8;

/**
 * A gzip member (RFC 1952) that holds `bytes` as they are. For records of a few hundred bytes: setting up a compressor
 * costs ten times as much time as all else that is done with them, and saves some 200 bytes of a page.
 */
export function storedGzip(bytes: Uint8Array): Uint8Array {
  if (bytes.length > blockBytesMax) return gzipSync(bytes);
  const member = new Uint8Array(headerBytes + blockHeaderBytes + bytes.length + trailerBytes);
  const view = new DataView(member.buffer);
  // Magic, deflate, no flags, no time, no hint, unknown system.
  member.set([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
  // One block, the last one, stored; its length and the complement.
  view.setUint8(headerBytes, 1);
  view.setUint16(headerBytes + 1, bytes.length, true);
  view.setUint16(headerBytes + 3, bytes.length ^ 0xffff, true);
  member.set(bytes, headerBytes + blockHeaderBytes);
  view.setUint32(member.length - trailerBytes, crc32(bytes), true);
  view.setUint32(member.length - 4, bytes.length, true);
  return member;
}
