import { Transform } from "node:stream";
import type { TransformCallback } from "node:stream";
import { constants, crc32, createInflateRaw, createZstdDecompress } from "node:zlib";
import type { InflateRaw, ZstdDecompress, ZstdOptions } from "node:zlib";
import { invariant } from "../../core/errors.ts";
import {
  beginsGzipMember,
  gzipFootBytes,
  gzipHeadBytes,
  gzipMembersMax,
  isGzipFootOf,
} from "../../core/net/gzip-member.ts";
import { ZstdFrames } from "../../core/net/zstd-frames.ts";

/** A name or a comment in the head of a member is not longer than this, nor is what else may stand there. */
const gzipHeadBytesMax = 128 * 1024;

const nothing = Buffer.alloc(0);

/** Decodes zstd frame after frame: Node's decoder takes the end of a frame inside a chunk for that of the body. */
export class ZstdDecoder extends Transform {
  readonly #frames = new ZstdFrames();
  readonly #inner: ZstdDecompress;

  constructor(options: ZstdOptions) {
    super();
    this.#inner = createZstdDecompress(options);
    passOn(this.#inner, this);
  }

  get bytesWritten(): number {
    return this.#inner.bytesWritten;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const pieces = this.#frames.split(chunk);
    const last = pieces?.at(-1);
    if (pieces === undefined) done(zlibError("Z_DATA_ERROR", "too many zstd frames"));
    else if (last === undefined) done();
    else {
      for (const piece of pieces.slice(0, -1)) this.#inner.write(piece);
      this.#inner.write(last, orNothing(done));
    }
  }

  override _flush(done: TransformCallback): void {
    this.#inner.once("end", done);
    this.#inner.end();
  }

  override _read(size: number): void {
    this.#inner.resume();
    super._read(size);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#inner.destroy();
    done(error);
  }
}

/**
 * Decodes gzip member after member, and passes over what stands behind the last one, as browsers do.
 *
 * Node's own decoder fails at that, and what it has decoded of the last chunk is lost with it.
 */
export class GzipDecoder extends Transform {
  readonly #chunkSize: number;
  readonly #openEnd: boolean;
  #part: "head" | "body" | "foot" | "rest" = "head";
  #inner: InflateRaw | undefined;
  /** The start of a head or a foot whose end is still to come. */
  #held: Buffer = nothing;
  #checksum = 0;
  #memberBytes = 0;
  #members = 0;
  /** Bytes consumed, but for those of the member's data. */
  #consumed = 0;

  /** With `openEnd` an input that stops early is no error. */
  constructor(chunkSize: number, openEnd: boolean) {
    super();
    this.#chunkSize = chunkSize;
    this.#openEnd = openEnd;
  }

  get bytesWritten(): number {
    return this.#consumed + (this.#inner?.bytesWritten ?? 0);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#take(chunk, done);
  }

  override _flush(done: TransformCallback): void {
    if (this.#part === "body" && this.#inner) {
      this.#inner.once("end", () => {
        done(this.#endsEarly());
      });
      this.#inner.end();
      return;
    }
    const isWhole = this.#part === "head" && this.#members > 0 && !beginsGzipMember(this.#held);
    done(isWhole || this.#part === "rest" ? null : this.#endsEarly());
  }

  override _read(size: number): void {
    this.#inner?.resume();
    super._read(size);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#inner?.destroy();
    done(error);
  }

  #endsEarly(): Error | null {
    return this.#openEnd ? null : zlibError("Z_BUF_ERROR", "unexpected end of file");
  }

  #take(bytes: Buffer, done: TransformCallback): void {
    if (bytes.length === 0 || this.#part === "rest") done();
    else if (this.#part === "body") this.#inflate(bytes, done);
    else {
      const held = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
      this.#held = nothing;
      if (this.#part === "head") this.#takeHead(held, done);
      else this.#takeFoot(held, done);
    }
  }

  #takeHead(held: Buffer, done: TransformCallback): void {
    const length = gzipHeadBytes(held);
    if (length !== undefined) {
      this.#consumed += length;
      this.#checksum = 0;
      this.#memberBytes = 0;
      this.#inner = this.#newInner();
      this.#part = "body";
      this.#take(held.subarray(length), done);
    } else if (held.length > 1 && !beginsGzipMember(held)) {
      this.#part = "rest";
      done();
    } else if (held.length > gzipHeadBytesMax) {
      done(zlibError("Z_DATA_ERROR", "too long a gzip head"));
    } else {
      this.#held = held;
      done();
    }
  }

  #takeFoot(held: Buffer, done: TransformCallback): void {
    if (held.length < gzipFootBytes) {
      this.#held = held;
      done();
    } else if (!isGzipFootOf(held, this.#checksum, this.#memberBytes)) {
      done(zlibError("Z_DATA_ERROR", "incorrect data check"));
    } else if (this.#members >= gzipMembersMax) {
      done(zlibError("Z_DATA_ERROR", "too many gzip members"));
    } else {
      this.#consumed += gzipFootBytes;
      this.#members += 1;
      this.#part = "head";
      this.#take(held.subarray(gzipFootBytes), done);
    }
  }

  #inflate(bytes: Buffer, done: TransformCallback): void {
    const inner = this.#inner;
    invariant(inner !== undefined, "a body is that of a member");
    const before = inner.bytesWritten;
    const next = (): void => {
      const rest = bytes.subarray(inner.bytesWritten - before);
      if (rest.length === 0) {
        done();
        return;
      }
      const endMember = (): void => {
        this.#consumed += inner.bytesWritten;
        this.#inner = undefined;
        this.#part = "foot";
        this.#take(rest, done);
      };
      if (inner.readableEnded) endMember();
      else inner.once("end", endMember);
    };
    inner.write(bytes, orNothing(next));
  }

  #newInner(): InflateRaw {
    const finishFlush = constants.Z_SYNC_FLUSH;
    const inner = createInflateRaw({
      chunkSize: this.#chunkSize,
      ...(this.#openEnd && { finishFlush }),
    });
    inner.on("data", (data: Buffer) => {
      this.#checksum = crc32(data, this.#checksum);
      this.#memberBytes += data.length;
    });
    passOn(inner, this);
    return inner;
  }
}

/** What `inner` puts out goes on through `outer`, no faster than it is read there. */
function passOn(inner: InflateRaw | ZstdDecompress, outer: Transform): void {
  inner.on("data", (data: Buffer) => {
    if (!outer.push(data)) inner.pause();
  });
  inner.on("error", (error) => outer.destroy(error));
}

/** For a write whose failure the stream's own `error` tells of. */
function orNothing(done: () => void): (error?: Error | null) => void {
  return (error) => {
    if (!error) done();
  };
}

function zlibError(code: "Z_BUF_ERROR" | "Z_DATA_ERROR", message: string): Error {
  return Object.assign(new Error(message), { code });
}
