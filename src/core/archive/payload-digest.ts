import { invariant } from "../errors.ts";

const base32Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Bytes of a SHA-1; 160 bits are 32 characters of base32 without padding. */
const sha1Bytes = 20;

/**
 * Digest of a payload as WARC-Payload-Digest and the index write it: `sha1:` and base32 (RFC 4648, section 6).
 *
 * The hash itself is taken by the caller, because hashing quickly needs the platform. The payload of a response is its
 * body as received: content coding kept, transfer coding removed.
 */
export function payloadDigestText(sha1: Uint8Array): string {
  invariant(sha1.length === sha1Bytes, `a SHA-1 has ${sha1Bytes} bytes, not ${sha1.length}`);
  let text = "sha1:";
  let bits = 0;
  let bitCount = 0;
  for (const byte of sha1) {
    bits = (bits << 8) | byte;
    bitCount += 8;
    while (bitCount >= 5) {
      bitCount -= 5;
      text += base32Alphabet.charAt((bits >>> bitCount) & 31);
    }
    bits &= 31;
  }
  return text;
}
