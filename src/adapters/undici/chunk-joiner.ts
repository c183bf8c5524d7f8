/** A piece has at least so many bytes, and keeps no more than four times as many in memory: a socket reads up to 64 KiB. */
const pieceBytesMin = 16 * 1024;

/** Chunks that wait to be joined, at most; each may keep a whole read of the socket in memory. */
const chunksMax = 128;

/**
 * Joins the chunks of a body to pieces that are worth an object of their own.
 *
 * Why: a chunk is a view of what the socket has read. A server that sends each byte in a chunk of its own, or a byte and a
 * long extension, would otherwise have its body take a hundred times its size in memory, and as many turns of a decoder.
 */
export class ChunkJoiner {
  #chunks: Buffer[] = [];
  #bytes = 0;

  /** Returns what is a piece now, to be followed by what comes after. */
  add(chunk: Buffer): Buffer | undefined {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    const isPiece = this.#bytes >= pieceBytesMin || this.#chunks.length >= chunksMax;
    return isPiece ? this.rest() : undefined;
  }

  /** What is left, as the last piece. */
  rest(): Buffer | undefined {
    const chunks = this.#chunks;
    const [first] = chunks;
    if (first === undefined) return undefined;
    this.#chunks = [];
    this.#bytes = 0;
    return chunks.length === 1 ? first : Buffer.concat(chunks);
  }
}
