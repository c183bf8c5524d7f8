import { constants, crc32, inflateRawSync } from "node:zlib";
import {
  beginsGzipMember,
  gzipFootBytes,
  gzipHeadBytes,
  gzipMembersMax,
  isGzipFootOf,
} from "../../core/net/gzip-member.ts";

/** A sitemap's size at most, decompressed, by the protocol. */
const inflatedBytesMax = 50 * 1_024 * 1_024;

/**
 * What a gzip file holds, as far as it goes where it was cut; what is no such file, or holds more than a sitemap may, is
 * left as it is. What stands behind the last member is passed over: scripts leave line ends there.
 */
export function inflatedFile(body: Uint8Array): Uint8Array {
  if (!beginsGzipMember(body)) return body;
  try {
    return Buffer.concat([...inflatedMembers(body)]);
  } catch {
    // Broken, or too large: then it is no sitemap, and read no further.
    return body;
  }
}

function* inflatedMembers(body: Uint8Array): Generator<Uint8Array> {
  let rest = body;
  let room = inflatedBytesMax;
  for (let members = 0; members < gzipMembersMax; members += 1) {
    const head = gzipHeadBytes(rest);
    if (head === undefined) return;
    const { data, dataBytes } = inflatedData(rest.subarray(head), room);
    const foot = rest.subarray(head + dataBytes);
    if (foot.length >= gzipFootBytes && !isGzipFootOf(foot, crc32(data), data.length)) {
      throw new RangeError("incorrect data check");
    }
    yield data;
    room -= data.length;
    rest = foot.subarray(gzipFootBytes);
  }
}

/** Raw deflate data that end before `bytes` do, and how many bytes those are. */
function inflatedData(
  bytes: Uint8Array,
  room: number,
): { readonly data: Uint8Array; readonly dataBytes: number } {
  // With `info`, Node returns the buffer together with the engine that counted the bytes it took; zlib knows no bound of zero.
  const result: unknown = inflateRawSync(bytes, {
    finishFlush: constants.Z_SYNC_FLUSH,
    info: true,
    maxOutputLength: Math.max(1, room),
  });
  const { buffer, engine } = result as { buffer: Uint8Array; engine: { bytesWritten: number } };
  return { data: buffer, dataBytes: engine.bytesWritten };
}
