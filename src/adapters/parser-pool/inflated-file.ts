import { constants, gunzipSync } from "node:zlib";

/** A sitemap's size at most, decompressed, by the protocol. */
const inflatedBytesMax = 50 * 1_024 * 1_024;

/**
 * What a gzip file holds, as far as it goes where it was cut; what is no such file, or holds more than a sitemap may, is
 * left as it is.
 */
export function inflatedFile(body: Uint8Array): Uint8Array {
  if (body[0] !== 0x1f || body[1] !== 0x8b) return body;
  try {
    return gunzipSync(body, {
      maxOutputLength: inflatedBytesMax,
      finishFlush: constants.Z_SYNC_FLUSH,
    });
  } catch {
    // Broken, or too large: then it is no sitemap, and read no further.
    return body;
  }
}
