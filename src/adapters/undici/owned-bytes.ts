/**
 * One array that owns the whole of its buffer, so that it can be moved to another thread, of at most `lengthMax` bytes.
 * What a socket or zlib hands out is often a view of a larger or shared buffer.
 */
export function joinBytes(
  chunks: readonly Uint8Array[],
  lengthMax: number = Number.POSITIVE_INFINITY,
): Uint8Array<ArrayBuffer> {
  let length = 0;
  for (const chunk of chunks) length += chunk.length;
  const [only] = chunks;
  if (chunks.length === 1 && only !== undefined && length <= lengthMax) {
    const { buffer } = only;
    if (buffer instanceof ArrayBuffer && buffer.byteLength === length) {
      return new Uint8Array(buffer);
    }
  }
  const joined = new Uint8Array(Math.min(length, lengthMax));
  let at = 0;
  for (const chunk of chunks) {
    const room = joined.length - at;
    joined.set(chunk.length <= room ? chunk : chunk.subarray(0, room), at);
    at += Math.min(chunk.length, room);
    if (at === joined.length) break;
  }
  return joined;
}
