import type { Stream, StreamCloseEvent, StreamMessageEvent } from "@libp2p/interface";
import {
  frameBytesMax,
  FrameDecoder,
  headBytesMax,
  payloadOf,
  writeHead,
  type Frame,
  type Malformation,
} from "./frame-codec.ts";
import type { CollectingBudget, Collector } from "./memory-budget.ts";

/** What a stream's owner is told of it. */
export interface FrameListener {
  /** Called for each frame, in the order in which they were sent. */
  onFrame(frame: Frame): void;
  /** Called once, when nothing more can be sent or received. */
  onClosed(detail: string): void;
  /** Called before the stream is closed because of what came. */
  onMalformed(malformation: Malformation): void;
}

interface Waiting {
  readonly frame: Frame;
  readonly payload: Uint8Array;
  readonly onSent: (() => void) | undefined;
  readonly onGone: (() => void) | undefined;
}

/** Frames of one tick go out together, up to so many bytes: one message of the encryption below. */
const batchBytesMax = 65_536 - 256;

/** A payload of more bytes is sent from where it is, rather than copied into a batch. */
const copiedBytesMax = 16_384;

/** Of frames that a peer does not take away: a window of replies of the largest size, and some. */
const waitingBytesMax = 160 * 1_048_576;

/** A peer that takes less than so much in so long, though there is more, has stopped reading, or has this member hold it. */
const stalledMs = 30_000;
const takenBytesMin = 16_384;

/**
 * Frames on a stream of libp2p.
 *
 * Frames that are sent in one turn of the event loop go out as one message: encrypting and multiplexing cost far more
 * for each message than for each byte.
 *
 * Invariant: nothing is handed to libp2p while that asks its users to wait, so what is unsent is counted here, all but
 * the last batch, of which libp2p holds what the peer does not take.
 */
export class FrameStream implements Collector {
  readonly #stream: Stream;
  readonly #listener: FrameListener;
  readonly #decoder: FrameDecoder;
  readonly #collecting: CollectingBudget;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  /** Of the frames that libp2p holds. */
  #onGone: (() => void)[] = [];
  #heldBytes = 0;
  #stall: NodeJS.Timeout | undefined;
  #isScheduled = false;
  #isClosed = false;

  constructor(
    stream: Stream,
    listener: FrameListener,
    collecting: CollectingBudget,
    bytesMax = frameBytesMax,
  ) {
    this.#collecting = collecting;
    this.#stream = stream;
    this.#listener = listener;
    this.#decoder = new FrameDecoder(bytesMax);
    stream.addEventListener("drain", this.#onDrain);
    stream.addEventListener("remoteCloseWrite", this.#onRemoteCloseWrite);
    stream.addEventListener("close", this.#onClose);
    stream.addEventListener("message", this.#onMessage);
    if (stream.status !== "open") this.#end("the stream is closed");
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The peer reads more slowly than this member writes. */
  get isCongested(): boolean {
    return this.#stream.writableNeedsDrain || this.#waitingBytes > batchBytesMax;
  }

  /**
   * Sends a frame behind the others. `onSent` is called when it has left this queue, so before its reader can have it, and
   * `onGone` when libp2p does not hold it either.
   */
  send(frame: Frame, onSent?: () => void, onGone?: () => void): void {
    if (this.#isClosed) return;
    const payload = payloadOf(frame);
    this.#waiting.push({ frame, payload, onSent, onGone });
    this.#waitingBytes += payload.length + headBytesMax;
    if (this.#waitingBytes > waitingBytesMax) this.abort("the peer does not read");
    else this.#schedule();
  }

  /** Closes at once; both ends learn of it. */
  abort(detail: string): void {
    if (this.#isClosed) return;
    this.#end(detail);
    this.#stream.abort(new Error(detail));
  }

  evict(): void {
    this.abort("no room for its frame");
  }

  /** Sends what waits and says that nothing more comes. */
  finish(): void {
    if (this.#isClosed) return;
    this.#flush();
    this.#stream.close().catch(() => this.abort("the stream broke"));
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    if (this.#stream.writableNeedsDrain) {
      this.#watch();
      return;
    }
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    // A stream that has been finished is not broken: its end is on its way, behind the last frame.
    const isCut = this.#waiting.length > 0 && this.#stream.writeStatus !== "writable";
    if (!this.#isClosed && isCut) this.abort("the stream is closed");
    if (!this.#stream.writableNeedsDrain) this.#allGone();
    while (!this.#isClosed && this.#waiting.length > 0 && !this.#stream.writableNeedsDrain) {
      const count = this.#batchLength();
      const batch = this.#waiting.slice(0, count);
      this.#waiting = count === this.#waiting.length ? [] : this.#waiting.slice(count);
      this.#sendBatch(batch);
    }
    if (this.#isClosed) return;
    if (this.#stream.writableNeedsDrain) this.#watch();
    else this.#allGone();
  }

  /** Whatever was handed to libp2p is on its way. */
  #allGone(): void {
    this.#unwatch();
    for (const onGone of this.#onGone.splice(0)) onGone();
  }

  /** Ends the stream where its peer takes too little, until all is gone. */
  #watch(): void {
    if (this.#stall !== undefined) return;
    // Nothing more is handed to libp2p until it holds all of this no longer, and the watch ends.
    const bytesBefore = this.#stream.writeBufferLength;
    this.#stall = setTimeout(() => {
      this.#stall = undefined;
      const isHeld = this.#waiting.length > 0 || this.#stream.writeBufferLength > 0;
      const takenBytes = bytesBefore - this.#stream.writeBufferLength;
      const isStalled = isHeld && takenBytes < takenBytesMin;
      if (isStalled) this.abort("the peer does not read");
      else this.#watch();
    }, stalledMs).unref();
  }

  #unwatch(): void {
    clearTimeout(this.#stall);
    this.#stall = undefined;
  }

  /** Frames that fit into a batch; a large payload ends one. */
  #batchLength(): number {
    let bytes = 0;
    for (const [index, { payload }] of this.#waiting.entries()) {
      if (payload.length > copiedBytesMax) return index + 1;
      bytes += payload.length + headBytesMax;
      if (bytes > batchBytesMax) return Math.max(1, index);
    }
    return this.#waiting.length;
  }

  #sendBatch(batch: readonly Waiting[]): void {
    let bytes = 0;
    let large: Uint8Array | undefined;
    for (const { payload } of batch) {
      bytes += headBytesMax;
      this.#waitingBytes -= payload.length + headBytesMax;
      if (payload.length > copiedBytesMax) large = payload;
      else bytes += payload.length;
    }
    const buffer = Buffer.allocUnsafe(bytes);
    let end = 0;
    for (const { frame, payload } of batch) {
      end = writeHead(buffer, end, frame, payload.length);
      if (payload === large) continue;
      buffer.set(payload, end);
      end += payload.length;
    }
    try {
      this.#stream.send(buffer.subarray(0, end));
      if (large) this.#stream.send(large);
    } catch {
      this.abort("the stream broke");
      return;
    }
    for (const { onSent, onGone } of batch) {
      onSent?.();
      if (onGone) this.#onGone.push(onGone);
    }
  }

  readonly #onMessage = ({ data }: StreamMessageEvent): void => {
    if (data instanceof Uint8Array) this.#read(data);
    else for (const chunk of data) this.#read(chunk);
  };

  #read(chunk: Uint8Array): void {
    if (this.#isClosed) return;
    const malformation = this.#decoder.push(chunk, (frame) => {
      this.#listener.onFrame(frame);
      return !this.#isClosed;
    });
    if (malformation === undefined) {
      this.#recount();
      return;
    }
    this.#listener.onMalformed(malformation);
    this.abort(`${malformation} frame`);
  }

  #recount(): void {
    const bytes = this.#decoder.heldBytes;
    if (this.#isClosed || bytes === this.#heldBytes) return;
    this.#heldBytes = bytes;
    if (bytes > 0) this.#collecting.hold(this, bytes);
    else this.#collecting.release(this);
  }

  readonly #onDrain = (): void => {
    if (this.#stall !== undefined || this.#waiting.length > 0) this.#schedule();
  };

  readonly #onRemoteCloseWrite = (): void => {
    this.#end("the peer closed the stream");
    this.#stream.close().catch((error: unknown) => {
      this.#stream.abort(error instanceof Error ? error : new Error("closed"));
    });
  };

  readonly #onClose = ({ local }: StreamCloseEvent): void => {
    this.#end(local ? "the connection broke" : "the peer closed the stream");
  };

  #end(detail: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#unwatch();
    this.#onGone = [];
    this.#stream.removeEventListener("message", this.#onMessage);
    this.#stream.removeEventListener("drain", this.#onDrain);
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#collecting.release(this);
    this.#listener.onClosed(detail);
  }
}
