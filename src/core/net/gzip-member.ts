/** More members than this in one body have no honest use, and each costs a decoder. */
export const gzipMembersMax = 4_096;

/** Checksum and length behind the compressed data of a member (RFC 1952, section 2.3.1). */
export const gzipFootBytes = 8;

const headBytesMin = 10;

/** Whether `bytes` begin as a member does. One byte of it says nothing: it is more likely what is left over. */
export function beginsGzipMember(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** Length of the head of a gzip member (RFC 1952, section 2.3); undefined where `bytes` do not hold all of one. */
export function gzipHeadBytes(bytes: Uint8Array): number | undefined {
  if (!beginsGzipMember(bytes) || bytes.length < headBytesMin) return undefined;
  const flags = bytes[3] ?? 0;
  let at = headBytesMin;
  if (flags & 0x04) at += 2 + (bytes[at] ?? 0) + 256 * (bytes[at + 1] ?? 0);
  // A name and a comment, each with a zero behind it.
  for (const flag of [0x08, 0x10]) {
    if ((flags & flag) === 0) continue;
    const end = bytes.indexOf(0, at);
    if (end === -1) return undefined;
    at = end + 1;
  }
  if (flags & 0x02) at += 2;
  return at <= bytes.length ? at : undefined;
}

/** Whether the foot of a member is that of data with this checksum (CRC-32) and length. */
export function isGzipFootOf(foot: Uint8Array, checksum: number, bytes: number): boolean {
  const view = new DataView(foot.buffer, foot.byteOffset, gzipFootBytes);
  return view.getUint32(0, true) === checksum && view.getUint32(4, true) === bytes % 2 ** 32;
}
