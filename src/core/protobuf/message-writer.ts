import { invariant } from "../errors.ts";

/** Buffer that small messages share: what each of them keeps alive is no more than this. */
const slabBytes = 8_192;

/** Room that a number takes at most. */
const numberBytesMax = 10;

/** Up to this length it takes less time to write each character than to call the encoder. */
const shortTextMax = 32;

const firstBeyondAscii = 0x80;

const encoder = new TextEncoder();

/**
 * Writes protobuf messages, each field straight to its place.
 *
 * The runtime of the generated code notes each field as an object, adds up their lengths and writes them then; to encode a
 * row took four times as long that way. What it does not know when it is to write it, the length of a nested message, is
 * put before that when the message ends.
 *
 * Source of the format: Protocol Buffers documentation, "Encoding".
 */
export class MessageWriter {
  #bytes = new Uint8Array(slabBytes);
  #view = new DataView(this.#bytes.buffer);
  /** Where the message begins. */
  #start = 0;
  #at = 0;
  /** Where the nested messages begin that are being written, the innermost one last. */
  readonly #forks: number[] = [];

  /** Begins a message; what was written of one that has not been finished is dropped. */
  begin(): void {
    this.#at = this.#start;
    this.#forks.length = 0;
  }

  /** The message, as bytes that nobody else writes to. */
  finish(): Uint8Array<ArrayBuffer> {
    const message = this.#bytes.subarray(this.#start, this.#at);
    this.#start = this.#at;
    if (this.#bytes.length === slabBytes) return message;
    // It has outgrown the slab, and the buffer that it was given is up to twice its length.
    this.#replace(slabBytes);
    this.#start = 0;
    return message.slice();
  }

  uint32(value: number): this {
    this.#reserve(numberBytesMax);
    this.#varint(value >>> 0);
    return this;
  }

  /** @param value a number from 0 to `Number.MAX_SAFE_INTEGER`, of which the whole part is written. Errors: RangeError. */
  uint64Number(value: number): this {
    if (!(value >= 0 && value <= Number.MAX_SAFE_INTEGER)) {
      throw new RangeError(`${value} is no number that a message can have`);
    }
    this.#reserve(numberBytesMax);
    this.#varint(Math.floor(value));
    return this;
  }

  bool(value: boolean): this {
    this.#reserve(1);
    this.#bytes[this.#at++] = value ? 1 : 0;
    return this;
  }

  fixed32(value: number): this {
    this.#reserve(4);
    this.#view.setUint32(this.#at, value, true);
    this.#at += 4;
    return this;
  }

  fixed64(value: bigint): this {
    this.#reserve(8);
    this.#view.setBigUint64(this.#at, value, true);
    this.#at += 8;
    return this;
  }

  double(value: number): this {
    this.#reserve(8);
    this.#view.setFloat64(this.#at, value, true);
    this.#at += 8;
    return this;
  }

  bytes(value: Uint8Array): this {
    this.#reserve(numberBytesMax + value.length);
    this.#varint(value.length);
    this.#bytes.set(value, this.#at);
    this.#at += value.length;
    return this;
  }

  string(value: string): this {
    this.#reserve(numberBytesMax + value.length);
    const begin = this.#at;
    this.#varint(value.length);
    if (this.#ascii(value)) return this;
    this.#at = begin;
    return this.bytes(encoder.encode(value));
  }

  /** Begins a nested message. */
  fork(): this {
    this.#forks.push(this.#at - this.#start);
    return this;
  }

  /** Ends the innermost nested message, and puts its length before it. */
  ldelim(): this {
    const fork = this.#forks.pop();
    invariant(fork !== undefined, "a nested message ends that has begun");
    this.#reserve(numberBytesMax);
    const begin = this.#start + fork;
    const length = this.#at - begin;
    this.#bytes.copyWithin(begin + varintBytes(length), begin, this.#at);
    this.#at = begin;
    this.#varint(length);
    this.#at += length;
    return this;
  }

  /** Writes a text for which there is room, if it has as many bytes as characters; whether that is so. */
  #ascii(value: string): boolean {
    const { length } = value;
    if (length > shortTextMax) {
      const place = this.#bytes.subarray(this.#at, this.#at + length);
      const { read, written } = encoder.encodeInto(value, place);
      this.#at += length;
      return read === length && written === length;
    }
    const bytes = this.#bytes;
    let at = this.#at;
    for (let index = 0; index < length; index += 1) {
      const unit = value.charCodeAt(index);
      if (unit >= firstBeyondAscii) return false;
      bytes[at++] = unit;
    }
    this.#at = at;
    return true;
  }

  /** @param value a natural number, for which there is room */
  #varint(value: number): void {
    const bytes = this.#bytes;
    let rest = value;
    let at = this.#at;
    while (rest > 0x7fff_ffff) {
      bytes[at++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    while (rest > 0x7f) {
      bytes[at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    bytes[at++] = rest;
    this.#at = at;
  }

  /** Makes room for so many bytes; the message may move to another buffer. */
  #reserve(length: number): void {
    if (this.#at + length > this.#bytes.length) this.#move(length);
  }

  #move(length: number): void {
    const message = this.#bytes.subarray(this.#start, this.#at);
    const needed = message.length + length;
    this.#replace(needed <= slabBytes ? slabBytes : 2 * needed);
    this.#bytes.set(message);
    this.#start = 0;
    this.#at = message.length;
  }

  #replace(size: number): void {
    this.#bytes = new Uint8Array(size);
    this.#view = new DataView(this.#bytes.buffer);
  }
}

function varintBytes(value: number): number {
  let count = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 0x80)) count += 1;
  return count;
}
