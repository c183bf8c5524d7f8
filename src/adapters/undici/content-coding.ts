import { constants, createBrotliDecompress, createInflate, createInflateRaw } from "node:zlib";
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from "node:zlib";
import { zstdDecompressSync } from "node:zlib";
import type { Transform } from "node:stream";
import type { ContentFormat } from "../../core/net/content-coding.ts";
import { ZstdFrames } from "../../core/net/zstd-frames.ts";
import { GzipDecoder, ZstdDecoder } from "./parts-decoders.ts";

/** A zlib stream; `bytesWritten` counts the input that has been consumed. */
export interface DecodingStream extends Transform {
  readonly bytesWritten: number;
}

/** RFC 9659: a decoder for the web needs no window above 8 MiB. */
const zstdWindowLogMax = 23;

/** Output buffer of a decoder: fewer turns through the thread pool than with zlib's 16 KiB. */
const chunkSize = 64 * 1024;

/**
 * Decodes one whole body on this thread; throws what zlib throws, `ERR_BUFFER_TOO_LARGE` above `outputMax`.
 *
 * Zstd frames behind the first, and what is no gzip behind the last member, are for {@link createDecoder}'s decoders.
 */
export function decodeSync(format: ContentFormat, bytes: Uint8Array, outputMax: number): Buffer {
  const options = { maxOutputLength: outputMax, chunkSize };
  switch (format) {
    case "gzip":
      return gunzipSync(bytes, options);
    case "zlib":
      return inflateSync(bytes, options);
    case "raw-deflate":
      return inflateRawSync(bytes, options);
    case "br":
      return brotliDecompressSync(bytes, options);
    case "zstd":
      if (!isOneZstdFrame(bytes)) throw new RangeError("more than one zstd frame");
      return zstdDecompressSync(bytes, { ...options, params: zstdParams });
  }
}

function isOneZstdFrame(bytes: Uint8Array): boolean {
  const [first, ...others] = new ZstdFrames().split(bytes) ?? [];
  return others.length === 0 && first?.length === bytes.length;
}

const zstdParams = { [constants.ZSTD_d_windowLogMax]: zstdWindowLogMax };

/** A decoder that works in the thread pool; with `openEnd` an input that stops early is no error. */
export function createDecoder(format: ContentFormat, openEnd: boolean): DecodingStream {
  switch (format) {
    case "gzip":
      return new GzipDecoder(chunkSize, openEnd);
    case "zlib":
      return createInflate({ chunkSize, ...deflateEnd(openEnd) });
    case "raw-deflate":
      return createInflateRaw({ chunkSize, ...deflateEnd(openEnd) });
    case "br": {
      const finishFlush = constants.BROTLI_OPERATION_FLUSH;
      return createBrotliDecompress({ chunkSize, ...(openEnd ? { finishFlush } : {}) });
    }
    case "zstd": {
      const finishFlush = constants.ZSTD_e_flush;
      const options = { chunkSize, params: zstdParams };
      return new ZstdDecoder({ ...options, ...(openEnd ? { finishFlush } : {}) });
    }
  }
}

function deflateEnd(openEnd: boolean): { readonly finishFlush?: number } {
  return openEnd ? { finishFlush: constants.Z_SYNC_FLUSH } : {};
}
