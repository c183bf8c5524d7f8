import type { Millis } from "../../core/units.ts";

/** What travels on a stream between two members. */
export type Frame =
  /** Ids count up from 0 on each stream, so a request that comes twice is known. */
  | {
      readonly type: "request";
      readonly id: number;
      readonly kind: number;
      readonly payload: Uint8Array;
    }
  | { readonly type: "reply"; readonly id: number; readonly payload: Uint8Array }
  | { readonly type: "busy"; readonly id: number; readonly retryAfterMs: Millis }
  | { readonly type: "refused"; readonly id: number; readonly detail: string }
  /** The window: requests, and bytes of their payloads, that may be in service at the receiver at once. */
  | { readonly type: "grant"; readonly requests: number; readonly bytes: number }
  | { readonly type: "notice"; readonly payload: Uint8Array };

export type FrameType = Frame["type"];

/** Largest payload of the overlay's contract. */
export const payloadBytesMax = 4 * 1_048_576;

/** Largest notice, and largest claim, of the overlay's contract. */
export const noticeBytesMax = 65_536;

/** A type of one byte and at most two numbers of eight bytes each come before a payload, and the length before all. */
export const headBytesMax = 21;

/** Longest frame without its length. */
export const frameBytesMax = payloadBytesMax + headBytesMax;

/** A refusal's text is for one line of a log. */
const detailBytesMax = 512;

/** Longer than anybody would leave another member alone. */
const retryAfterMaxMs = 3_600_000;

/** Numbers of the types on the wire; never renumbered. */
const codes: Readonly<Record<FrameType, number>> = {
  request: 1,
  reply: 2,
  busy: 3,
  refused: 4,
  grant: 5,
  notice: 6,
};

/** Seven bits a byte: eight bytes hold every number up to 2^53. */
const varintBytesMax = 8;

/** Four bytes hold lengths up to 256 MiB. */
const lengthBytesMax = 4;

const utf8Encoder = new TextEncoder();
const utf8Decoder = new TextDecoder("utf-8", { fatal: true });
const nothing = new Uint8Array(0);

/** What follows the numbers of a frame. */
export function payloadOf(frame: Frame): Uint8Array {
  if (frame.type === "refused") {
    return utf8Encoder.encode(frame.detail.slice(0, detailBytesMax / 4));
  }
  return "payload" in frame ? frame.payload : nothing;
}

/**
 * Writes the length and the numbers of a frame whose payload has so many bytes, at `offset`. Returns the offset behind
 * it, where the payload belongs. The target needs room for {@link headBytesMax} bytes.
 */
export function writeHead(
  target: Uint8Array,
  offset: number,
  frame: Frame,
  payloadBytes: number,
): number {
  const [first, second] = numbersOf(frame);
  let bytes = 1 + payloadBytes;
  if (first !== undefined) bytes += varintLength(first);
  if (second !== undefined) bytes += varintLength(second);
  let end = writeVarint(target, offset, bytes);
  target[end] = codes[frame.type];
  end += 1;
  if (first !== undefined) end = writeVarint(target, end, first);
  if (second !== undefined) end = writeVarint(target, end, second);
  return end;
}

/** A frame in one piece. */
export function encodeFrame(frame: Frame): Uint8Array {
  const payload = payloadOf(frame);
  const target = new Uint8Array(headBytesMax + payload.length);
  const end = writeHead(target, 0, frame, payload.length);
  target.set(payload, end);
  return target.subarray(0, end + payload.length);
}

/** What is wrong with bytes that are no frames. */
export type Malformation = "malformed" | "oversized";

/**
 * Cuts a stream of bytes into frames.
 *
 * A frame that arrives in one piece is handed on without a copy. One that comes in pieces is collected in a buffer that
 * grows with what has arrived, so announcing a large frame costs the receiver nothing.
 *
 * Invariant: holds no more than twice the bytes of one frame of `bytesMax`.
 */
export class FrameDecoder {
  readonly #bytesMax: number;
  /** Length of the frame under way; undefined while its length is being read. */
  #length: number | undefined;
  #lengthSoFar = 0;
  #lengthBytes = 0;
  #collected = nothing;
  #collectedBytes = 0;

  constructor(bytesMax = frameBytesMax) {
    this.#bytesMax = bytesMax;
  }

  /** Bytes that are held for a frame that has not arrived in full. */
  get heldBytes(): number {
    return this.#collected.length;
  }

  /** Hands each frame that `chunk` completes to `accept`, until that returns false. What follows bad bytes is not read. */
  push(chunk: Uint8Array, accept: (frame: Frame) => boolean): Malformation | undefined {
    let offset = 0;
    while (offset < chunk.length) {
      if (this.#length === undefined) {
        const failure = this.#readLengthByte(chunk[offset] ?? 0);
        if (failure !== undefined) return failure;
        offset += 1;
        continue;
      }
      const end = Math.min(chunk.length, offset + this.#length - this.#collectedBytes);
      const body = this.#take(chunk.subarray(offset, end), this.#length);
      offset = end;
      if (body === undefined) return undefined;
      this.#length = undefined;
      const frame = readBody(body);
      if (frame === undefined) return "malformed";
      if (!accept(frame)) return undefined;
    }
    return undefined;
  }

  #readLengthByte(byte: number): Malformation | undefined {
    if (byte === 0) return "malformed";
    this.#lengthSoFar += (byte & 0x7f) * 2 ** (7 * this.#lengthBytes);
    this.#lengthBytes += 1;
    if (this.#lengthSoFar > this.#bytesMax) return "oversized";
    if (byte >= 0x80) return this.#lengthBytes < lengthBytesMax ? undefined : "oversized";
    this.#length = this.#lengthSoFar;
    this.#lengthSoFar = 0;
    this.#lengthBytes = 0;
    return undefined;
  }

  /** The whole frame, once the last of its pieces is there. */
  #take(piece: Uint8Array, length: number): Uint8Array | undefined {
    if (piece.length === length) return piece;
    const bytes = this.#collectedBytes + piece.length;
    if (bytes > this.#collected.length) {
      const grown = new Uint8Array(Math.min(length, Math.max(pieceBytes, bytes * 2)));
      grown.set(this.#collected.subarray(0, this.#collectedBytes));
      this.#collected = grown;
    }
    this.#collected.set(piece, this.#collectedBytes);
    this.#collectedBytes = bytes;
    if (bytes < length) return undefined;
    const body = this.#collected.subarray(0, length);
    this.#collected = nothing;
    this.#collectedBytes = 0;
    return body;
  }
}

/** First size of the buffer of a frame that comes in pieces: libp2p passes on at most so many bytes at once. */
const pieceBytes = 65_536;

function numbersOf(frame: Frame): readonly [number?, number?] {
  switch (frame.type) {
    case "request":
      return [frame.id, frame.kind];
    case "busy":
      return [frame.id, frame.retryAfterMs];
    case "grant":
      return [frame.requests, frame.bytes];
    case "reply":
    case "refused":
      return [frame.id];
    case "notice":
      return [];
  }
}

function readBody(body: Uint8Array): Frame | undefined {
  const numbers = new NumberReader(body);
  switch (body[0] ?? 0) {
    case codes.request: {
      const [id, kind] = [numbers.next(), numbers.next()];
      if (id === undefined || kind === undefined) return undefined;
      return bounded({ type: "request", id, kind, payload: numbers.rest() });
    }
    case codes.reply: {
      const id = numbers.next();
      return id === undefined ? undefined : bounded({ type: "reply", id, payload: numbers.rest() });
    }
    case codes.busy: {
      const [id, retryAfterMs] = [numbers.next(), numbers.next()];
      if (id === undefined || retryAfterMs === undefined || !numbers.isAtEnd) return undefined;
      return retryAfterMs > retryAfterMaxMs ? undefined : { type: "busy", id, retryAfterMs };
    }
    case codes.refused: {
      const id = numbers.next();
      const detail = id === undefined ? undefined : readText(numbers.rest());
      return id === undefined || detail === undefined ? undefined : { type: "refused", id, detail };
    }
    case codes.grant: {
      const [requests, bytes] = [numbers.next(), numbers.next()];
      if (requests === undefined || bytes === undefined || !numbers.isAtEnd) return undefined;
      return requests === 0 ? undefined : { type: "grant", requests, bytes };
    }
    case codes.notice: {
      const payload = numbers.rest();
      return payload.length > noticeBytesMax ? undefined : { type: "notice", payload };
    }
    default:
      return undefined;
  }
}

function bounded<F extends Extract<Frame, { readonly payload: Uint8Array }>>(
  frame: F,
): F | undefined {
  return frame.payload.length > payloadBytesMax ? undefined : frame;
}

function readText(bytes: Uint8Array): string | undefined {
  if (bytes.length > detailBytesMax) return undefined;
  try {
    return utf8Decoder.decode(bytes).replaceAll(/[^\x20-\x7e]/g, "?");
  } catch {
    return undefined;
  }
}

/** Milliseconds as they fit into a frame. */
export function wireMillis(ms: Millis): Millis {
  return Math.min(retryAfterMaxMs, Math.max(0, Math.ceil(ms)));
}

/** Reads the numbers behind a frame's type. Invariant: each number has one encoding, so it is the shortest. */
class NumberReader {
  readonly #bytes: Uint8Array;
  #offset = 1;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#offset === this.#bytes.length;
  }

  next(): number | undefined {
    let value = 0;
    for (let place = 0; place < varintBytesMax; place += 1) {
      const byte = this.#bytes[this.#offset + place];
      if (byte === undefined) return undefined;
      value += (byte & 0x7f) * 2 ** (7 * place);
      if (byte >= 0x80) continue;
      if (byte === 0 && place > 0) return undefined;
      this.#offset += place + 1;
      return Number.isSafeInteger(value) ? value : undefined;
    }
    return undefined;
  }

  rest(): Uint8Array {
    return this.#bytes.subarray(this.#offset);
  }
}

function varintLength(value: number): number {
  let length = 1;
  for (let left = value; left >= 0x80; left = Math.floor(left / 0x80)) length += 1;
  return length;
}

function writeVarint(target: Uint8Array, offset: number, value: number): number {
  let end = offset;
  let left = value;
  while (left >= 0x80) {
    target[end] = (left % 0x80) | 0x80;
    left = Math.floor(left / 0x80);
    end += 1;
  }
  target[end] = left;
  return end + 1;
}
