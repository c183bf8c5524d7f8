import { promisify } from "node:util";
import * as zlib from "node:zlib";

type Bytes = Uint8Array<ArrayBuffer>;
type Decoder = (bytes: Bytes, bytesMax: number) => Promise<Uint8Array>;

const gunzip = promisify(zlib.gunzip);
const inflate = promisify(zlib.inflate);
const inflateRaw = promisify(zlib.inflateRaw);
const brotli = promisify<Uint8Array, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress);
const zstd = promisify<Uint8Array, zlib.ZstdOptions, Buffer>(zlib.zstdDecompress);

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_flush } = zlib.constants;

/** Each stops where the bytes stop: a cut body is worth reading as far as it goes. */
const decoders: Readonly<Record<string, Decoder>> = {
  gzip: (bytes, max) => gunzip(bytes, { finishFlush: Z_SYNC_FLUSH, maxOutputLength: max }),
  deflate: (bytes, max) =>
    (hasZlibHead(bytes) ? inflate : inflateRaw)(bytes, {
      finishFlush: Z_SYNC_FLUSH,
      maxOutputLength: max,
    }),
  br: (bytes, max) => brotli(bytes, { finishFlush: BROTLI_OPERATION_FLUSH, maxOutputLength: max }),
  zstd: (bytes, max) => zstd(bytes, { finishFlush: ZSTD_e_flush, maxOutputLength: max }),
};

const aliases: Readonly<Record<string, string>> = { "x-gzip": "gzip" };

/**
 * `body` with its content codings (RFC 9110, section 8.4) taken off, last one first.
 *
 * A body that does not decode, that has an unknown coding or that is larger than `bytesMax` is returned as it is.
 */
export async function removeContentCodings(
  body: Bytes,
  codings: readonly string[],
  bytesMax: number,
): Promise<Bytes> {
  let decoded = body;
  for (const coding of codings.toReversed()) {
    const decoder = decoders[aliases[coding] ?? coding];
    if (decoder === undefined) return body;
    if (decoded.length === 0) return decoded;
    try {
      decoded = new Uint8Array(await decoder(decoded, bytesMax));
    } catch {
      return body;
    }
  }
  return decoded;
}

/** Some servers send `deflate` without the zlib head that the standard asks for (RFC 1950, section 2.2). */
function hasZlibHead(bytes: Bytes): boolean {
  const first = bytes[0] ?? 0;
  return (first & 15) === 8 && ((first << 8) | (bytes[1] ?? 0)) % 31 === 0;
}
