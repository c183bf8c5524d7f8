import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { sniffFormat } from "../../core/net/content-coding.ts";
import type { ContentCoding, ContentFormat } from "../../core/net/content-coding.ts";
import {
  gzipFootBytes,
  gzipHeadBytes,
  gzipMembersMax,
  isGzipFootOf,
} from "../../core/net/gzip-member.ts";
import { ZstdFrames } from "../../core/net/zstd-frames.ts";

type Bytes = Uint8Array<ArrayBuffer>;
type Decoder = (bytes: Bytes, bytesMax: number) => Promise<Uint8Array>;

const inflate = promisify(zlib.inflate);
const inflateRaw = promisify(zlib.inflateRaw);
const brotli = promisify<Uint8Array, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress);
const zstd = promisify<Uint8Array, zlib.ZstdOptions, Buffer>(zlib.zstdDecompress);

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_flush } = zlib.constants;

/** Each stops where the bytes stop: a cut body is worth reading as far as it goes. */
const decoders: Readonly<Record<ContentFormat, Decoder>> = {
  gzip: gunzip,
  zlib: (bytes, max) => inflate(bytes, { finishFlush: Z_SYNC_FLUSH, maxOutputLength: max }),
  "raw-deflate": (bytes, max) =>
    inflateRaw(bytes, { finishFlush: Z_SYNC_FLUSH, maxOutputLength: max }),
  br: (bytes, max) => brotli(bytes, { finishFlush: BROTLI_OPERATION_FLUSH, maxOutputLength: max }),
  zstd: unzstd,
};

/** Member after member; what follows the last one and is none is passed over. */
async function gunzip(bytes: Bytes, bytesMax: number): Promise<Uint8Array> {
  const output = new Output(bytesMax);
  let rest = bytes;
  for (let members = 0; ; members += 1) {
    const head = gzipHeadBytes(rest);
    if (head === undefined) return output.joined();
    if (members === gzipMembersMax) throw new RangeError("too many gzip members");
    const { data, dataBytes } = await inflateMember(rest.subarray(head), output.room);
    output.add(data);
    const foot = rest.subarray(head + dataBytes);
    if (foot.length >= gzipFootBytes && !isGzipFootOf(foot, zlib.crc32(data), data.length)) {
      throw new RangeError("incorrect data check");
    }
    rest = foot.subarray(gzipFootBytes);
  }
}

/** Raw deflate data that end before `bytes` do, and how many bytes those are. */
function inflateMember(
  bytes: Bytes,
  bytesMax: number,
): Promise<{ readonly data: Uint8Array; readonly dataBytes: number }> {
  return new Promise((resolve, reject) => {
    const inflater = zlib.createInflateRaw({ finishFlush: Z_SYNC_FLUSH });
    const chunks: Buffer[] = [];
    let size = 0;
    inflater.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > bytesMax) inflater.destroy(new RangeError("the body is too large"));
    });
    inflater.once("error", reject);
    inflater.once("end", () => {
      resolve({ data: Buffer.concat(chunks), dataBytes: inflater.bytesWritten });
    });
    inflater.end(bytes);
  });
}

/** Frame after frame. */
async function unzstd(bytes: Bytes, bytesMax: number): Promise<Uint8Array> {
  const frames = new ZstdFrames().split(bytes);
  if (frames === undefined) throw new RangeError("too many zstd frames");
  const output = new Output(bytesMax);
  for (const frame of frames) {
    output.add(await zstd(frame, { finishFlush: ZSTD_e_flush, maxOutputLength: output.room }));
  }
  return output.joined();
}

/** The output of one decoder after the other, which together are bounded. */
class Output {
  readonly #bytesMax: number;
  readonly #parts: Uint8Array[] = [];
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** For the next decoder; zlib knows no bound of zero. */
  get room(): number {
    return Math.max(1, this.#bytesMax - this.#bytes);
  }

  add(part: Uint8Array): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#bytesMax) throw new RangeError("the body is too large");
    this.#parts.push(part);
  }

  joined(): Uint8Array {
    return Buffer.concat(this.#parts);
  }
}

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
