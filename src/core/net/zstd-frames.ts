/** More frames than this in one body have no honest use, and each costs a call of the decoder. */
const framesMax = 4_096;

const frameMagic = 0xfd2fb528;
const skippableMagic = 0x184d2a50;

/** What is read of a frame, with its length in bytes; all else is passed over. */
const partBytes = { magic: 4, skippableSize: 4, descriptor: 1, block: 3 } as const;

/**
 * Finds the ends of the frames of a zstd body (RFC 8878, section 3.1), however the body is cut as it arrives.
 *
 * A decoder stops behind a frame; a body may have several, and some among them that are to be skipped.
 */
export class ZstdFrames {
  readonly #magic = new Uint8Array(partBytes.magic);
  #part: keyof typeof partBytes = "magic";
  /** What has been read of the part, least byte first. */
  #value = 0;
  #valueBytes = 0;
  #bytesToPass = 0;
  #checksumBytes = 0;
  #endsHere = false;
  #frames = 0;
  /** What follows is no frame. */
  #over = false;

  /**
   * `bytes` in pieces none of which goes on behind the end of a frame; what follows the last frame and is none is left
   * out. Undefined when there are too many frames.
   */
  split(bytes: Uint8Array): readonly Uint8Array[] | undefined {
    const pieces: Uint8Array[] = [];
    let start = 0;
    let at = 0;
    while (at < bytes.length && !this.#over) {
      const wasMagic = this.#part === "magic";
      at += this.#read(bytes, at);
      if (wasMagic && this.#part !== "magic") {
        // The magic number is held back until it is whole: only then is it known to begin a frame.
        start = Math.max(0, at - partBytes.magic);
        const held = partBytes.magic - (at - start);
        if (held > 0) pieces.push(this.#magic.slice(0, held));
      }
      if (this.#endsHere && this.#bytesToPass === 0) {
        pieces.push(bytes.subarray(start, at));
        start = at;
        this.#endsHere = false;
        this.#part = "magic";
        this.#frames += 1;
        if (this.#frames > framesMax) return undefined;
      }
    }
    if (this.#part !== "magic" && start < at) pieces.push(bytes.subarray(start, at));
    return pieces;
  }

  /** Reads one byte or passes over as many as it may, and returns how many those are. */
  #read(bytes: Uint8Array, at: number): number {
    if (this.#bytesToPass > 0) {
      const passed = Math.min(this.#bytesToPass, bytes.length - at);
      this.#bytesToPass -= passed;
      return passed;
    }
    const byte = bytes[at] ?? 0;
    if (this.#part === "magic") this.#magic[this.#valueBytes] = byte;
    this.#value += byte * 256 ** this.#valueBytes;
    this.#valueBytes += 1;
    if (this.#valueBytes === partBytes[this.#part]) {
      const value = this.#value;
      this.#value = 0;
      this.#valueBytes = 0;
      this.#heed(value);
    }
    return 1;
  }

  #heed(value: number): void {
    switch (this.#part) {
      case "magic":
        if (value === frameMagic) this.#part = "descriptor";
        else if (value - (value % 16) === skippableMagic) this.#part = "skippableSize";
        else this.#over = true;
        return;
      case "skippableSize":
        this.#bytesToPass = value;
        this.#endsHere = true;
        return;
      case "descriptor":
        this.#bytesToPass = headBytes(value);
        this.#checksumBytes = value & 0x04 ? 4 : 0;
        this.#part = "block";
        return;
      case "block": {
        const isRunLength = ((value >> 1) & 3) === 1;
        this.#endsHere = (value & 1) === 1;
        this.#bytesToPass = isRunLength ? 1 : value >> 3;
        if (this.#endsHere) this.#bytesToPass += this.#checksumBytes;
      }
    }
  }
}

/** Bytes between the descriptor of a frame and its first block (RFC 8878, section 3.1.1.1). */
function headBytes(descriptor: number): number {
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  return (isSingleSegment ? 0 : 1) + dictionaryBytes + sizeBytes;
}
