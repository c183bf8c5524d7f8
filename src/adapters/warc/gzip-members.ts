import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";
import { crc32, inflateRawSync } from "node:zlib";
import { errorCode } from "../../core/errors.ts";

/** One gzip member of a file, unpacked. */
export interface GzipMember {
  readonly offset: number;
  /** Compressed length. */
  readonly length: number;
  readonly content: Uint8Array<ArrayBuffer>;
}

/** How much is read at first; most records are far smaller. */
const windowBytes = 256 * 1024;

/** Bytes of the head without optional parts (RFC 1952, section 2.3), which archive writers do not use. */
const headBytes = 10;
/** CRC-32 and length of the content. */
const tailBytes = 8;

/**
 * The gzip members of a file from `from` up to `to`, each checked against its checksum.
 *
 * Ends before the first member that is broken, that is not wholly within the range, or that unpacks to more than
 * `contentBytesMax`. So the end of the last member returned is how far the file can be trusted.
 */
export async function* gzipMembers(
  path: string,
  from: number,
  to: number,
  contentBytesMax: number,
): AsyncGenerator<GzipMember, void, undefined> {
  const file = await open(path, "r");
  try {
    let offset = from;
    let window = await readAt(file, offset, Math.min(windowBytes, to - offset));
    while (offset < to) {
      const member = unpack(window, contentBytesMax);
      if (member === "broken") return;
      if (member === "short") {
        const wanted = Math.min(Math.max(window.length * 4, windowBytes), to - offset);
        if (wanted <= window.length || window.length > 2 * contentBytesMax) return;
        window = await readAt(file, offset, wanted);
        continue;
      }
      yield { offset, ...member };
      offset += member.length;
      window = window.subarray(member.length);
    }
  } finally {
    await file.close();
  }
}

async function readAt(file: FileHandle, at: number, length: number): Promise<Uint8Array> {
  const { bytesRead, buffer } = await file.read(new Uint8Array(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
}

function unpack(
  window: Uint8Array,
  contentBytesMax: number,
): Omit<GzipMember, "offset"> | "short" | "broken" {
  if (window.length < headBytes + tailBytes) return "short";
  // Magic number, method "deflate", no optional part.
  if (window[0] !== 0x1f || window[1] !== 0x8b || window[2] !== 8 || window[3] !== 0) {
    return "broken";
  }
  const inflated = inflate(window.subarray(headBytes), contentBytesMax);
  if (typeof inflated === "string") return inflated;
  const { content, consumed } = inflated;
  const tailAt = headBytes + consumed;
  if (window.length < tailAt + tailBytes) return "short";
  const tail = new DataView(window.buffer, window.byteOffset + tailAt, tailBytes);
  const whole =
    tail.getUint32(0, true) === crc32(content) && tail.getUint32(4, true) === content.length;
  return whole ? { length: tailAt + tailBytes, content } : "broken";
}

function inflate(
  bytes: Uint8Array,
  contentBytesMax: number,
): { content: Uint8Array<ArrayBuffer>; consumed: number } | "short" | "broken" {
  try {
    // With `info`, Node returns the buffer together with the engine that counted the bytes it took.
    const result: unknown = inflateRawSync(bytes, { info: true, maxOutputLength: contentBytesMax });
    return inflateResult(result) ?? "broken";
  } catch (error) {
    return errorCode(error) === "Z_BUF_ERROR" ? "short" : "broken";
  }
}

function inflateResult(
  result: unknown,
): { content: Uint8Array<ArrayBuffer>; consumed: number } | undefined {
  if (typeof result !== "object" || result === null) return undefined;
  if (!("buffer" in result) || !("engine" in result)) return undefined;
  const { buffer, engine } = result;
  if (!(buffer instanceof Uint8Array) || typeof engine !== "object" || engine === null) {
    return undefined;
  }
  if (!("bytesWritten" in engine) || typeof engine.bytesWritten !== "number") return undefined;
  return { content: new Uint8Array(buffer), consumed: engine.bytesWritten };
}
