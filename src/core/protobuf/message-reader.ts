import { MalformedMessage } from "./malformed-message.ts";

/** Up to this length it takes less time to put a text together than to call the decoder. */
const shortTextMax = 24;

const firstBeyondAscii = 0x80;

/** A number of 64 bits has so many bytes at most. */
const numberBytesMax = 10;

/** Kinds of fields on the wire that a message here has. */
const wire = { number: 0, eightBytes: 1, counted: 2, fourBytes: 5 } as const;

// A mark of the byte order is a character like any other.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Reads protobuf messages for the generated code, from bytes that anybody may have sent: nothing is read beyond their end.
 *
 * Errors: {@link MalformedMessage} where the bytes end too early, or are none that a writer writes. What is no UTF-8 is read
 * as U+FFFD.
 *
 * Source of the format: Protocol Buffers documentation, "Encoding".
 */
export class MessageReader {
  /** Where the next field begins. */
  pos = 0;
  readonly len: number;
  readonly #bytes: Uint8Array;
  /** Made for the messages that need it. */
  #view: DataView | undefined;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.len = bytes.length;
  }

  /** The lowest 32 bits of a number. */
  uint32(): number {
    let value = 0;
    for (let shift = 0; shift < 7 * numberBytesMax; shift += 7) {
      const byte = this.#next();
      if (shift < 32) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw new MalformedMessage("a number of more than 64 bits");
  }

  /** Errors: {@link MalformedMessage} above `Number.MAX_SAFE_INTEGER`, too. */
  uint64Number(): number {
    let value = 0;
    let unit = 1;
    for (let count = 0; count < numberBytesMax; count += 1) {
      const byte = this.#next();
      value += (byte & 0x7f) * unit;
      if (value > Number.MAX_SAFE_INTEGER)
        throw new MalformedMessage("a number of more than 53 bits");
      if (byte < 0x80) return value;
      unit *= 0x80;
    }
    throw new MalformedMessage("a number of more than 64 bits");
  }

  bool(): boolean {
    return this.uint32() !== 0;
  }

  fixed32(): number {
    return this.#numbers().getUint32(this.#take(4), true);
  }

  fixed64(): bigint {
    return this.#numbers().getBigUint64(this.#take(8), true);
  }

  double(): number {
    return this.#numbers().getFloat64(this.#take(8), true);
  }

  /** A view of the message. */
  bytes(): Uint8Array {
    const length = this.uint32();
    const from = this.#take(length);
    return this.#bytes.subarray(from, from + length);
  }

  string(): string {
    const length = this.uint32();
    const from = this.#take(length);
    return (
      (length <= shortTextMax ? this.#ascii(from, length) : undefined) ??
      decoder.decode(this.#bytes.subarray(from, from + length))
    );
  }

  /** Passes over a field of which only the kind is known. */
  skipType(type: number): void {
    switch (type) {
      case wire.number:
        while (this.#next() >= 0x80);
        break;
      case wire.eightBytes:
        this.#take(8);
        break;
      case wire.counted:
        this.#take(this.uint32());
        break;
      case wire.fourBytes:
        this.#take(4);
        break;
      default:
        // Groups are of the format's first days, and nest without bounds: no message here has one.
        throw new MalformedMessage(`a field of kind ${type}`);
    }
  }

  /** A text of one byte for each character; nothing where it is another. */
  #ascii(from: number, length: number): string | undefined {
    const units: number[] = [];
    for (let at = from; at < from + length; at += 1) {
      const byte = this.#bytes[at] ?? 0;
      if (byte >= firstBeyondAscii) return undefined;
      units.push(byte);
    }
    return String.fromCharCode(...units);
  }

  #numbers(): DataView {
    const { buffer, byteOffset, byteLength } = this.#bytes;
    return (this.#view ??= new DataView(buffer, byteOffset, byteLength));
  }

  #next(): number {
    const byte = this.#bytes[this.pos];
    if (byte === undefined) throw endsTooEarly();
    this.pos += 1;
    return byte;
  }

  /** Where the next so many bytes begin, which are passed over. */
  #take(length: number): number {
    const from = this.pos;
    if (from + length > this.len) throw endsTooEarly();
    this.pos = from + length;
    return from;
  }
}

function endsTooEarly(): MalformedMessage {
  return new MalformedMessage("a message ends too early");
}
