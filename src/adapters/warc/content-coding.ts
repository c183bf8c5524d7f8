import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { sniffFormat } from "../../core/net/content-coding.ts";
import type { ContentCoding, ContentFormat } from "../../core/net/content-coding.ts";

type Bytes = Uint8Array<ArrayBuffer>;
type Decoder = (bytes: Bytes, bytesMax: number) => Promise<Uint8Array>;

const gunzip = promisify(zlib.gunzip);
const inflate = promisify(zlib.inflate);
const inflateRaw = promisify(zlib.inflateRaw);
const brotli = promisify<Uint8Array, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress);
const zstd = promisify<Uint8Array, zlib.ZstdOptions, Buffer>(zlib.zstdDecompress);

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_flush } = zlib.constants;

/** Each stops where the bytes stop: a cut body is worth reading as far as it goes. */
const decoders: Readonly<Record<ContentFormat, Decoder>> = {
  gzip: (bytes, max) => gunzip(bytes, { finishFlush: Z_SYNC_FLUSH, maxOutputLength: max }),
  zlib: (bytes, max) => inflate(bytes, { finishFlush: Z_SYNC_FLUSH, maxOutputLength: max }),
  "raw-deflate": (bytes, max) =>
    inflateRaw(bytes, { finishFlush: Z_SYNC_FLUSH, maxOutputLength: max }),
  br: (bytes, max) => brotli(bytes, { finishFlush: BROTLI_OPERATION_FLUSH, maxOutputLength: max }),
  zstd: (bytes, max) => zstd(bytes, { finishFlush: ZSTD_e_flush, maxOutputLength: max }),
};

/**
 * `body` with its content codings (RFC 9110, section 8.4) taken off, last one first. One that the bytes belie is passed
 * over, as it was when they were fetched.
 *
 * A body that does not decode or that is larger than `bytesMax` is returned as it is.
 */
export async function removeContentCodings(
  body: Bytes,
  codings: readonly ContentCoding[],
  bytesMax: number,
): Promise<Bytes> {
  let decoded = body;
  for (const coding of codings.toReversed()) {
    if (decoded.length === 0) return decoded;
    const format = sniffFormat(coding, decoded);
    if (format === undefined) continue;
    try {
      decoded = new Uint8Array(await decoders[format](decoded, bytesMax));
    } catch {
      return body;
    }
  }
  return decoded;
}
