import type { ContentCoding } from "../../core/net/content-coding.ts";
import type { FetchFailure } from "../../core/politeness/retry-table.ts";
import type { BodyAccount, FetchLimits, Truncation } from "../../ports/fetcher.ts";
import { BodyDecoder, decodeSmall } from "./body-decoder.ts";
import type { DecodeResult } from "./body-decoder.ts";
import { ChunkJoiner } from "./chunk-joiner.ts";
import { joinBytes } from "./owned-bytes.ts";

export interface CollectedBody {
  readonly encodedBody: Uint8Array<ArrayBuffer>;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly truncation?: Truncation;
}

export interface BodySink {
  /** The body is complete, or cut where no more of it is wanted. */
  onBody(body: CollectedBody): void;
  /** @param cut how it had been cut before */
  onBodyFailure(failure: FetchFailure, detail: string, cut: Truncation | undefined): void;
  /** There is no room for more of it. */
  onBodyWaits(): void;
  onBodyGoesOn(): void;
}

/** A body of at most this many encoded bytes is decoded at once when it is complete. */
const smallBytesMax = 32 * 1024;

/** Largest result of decoding at once: about a millisecond of this thread. */
const smallOutputBytesMax = 512 * 1024;

/** Encoded bytes after which decoding begins before the body is complete, so that its limits can end the transfer. */
const streamingBytesMin = 256 * 1024;

/**
 * Collects one response body as it was received and, beside it, as it is without its content coding.
 *
 * Both forms are held to `bodyBytesMax`. Where that cuts a coded body, `encodedBody` is the received prefix, and `body`
 * is the first `bodyBytesMax` bytes of what that prefix decodes to.
 *
 * Both are counted on the account where there is one. Without room on it decoding pauses, and the sink is told to let no
 * more come; what comes all the same is taken.
 */
export class ResponseBody {
  readonly #codings: readonly ContentCoding[];
  readonly #limits: FetchLimits;
  readonly #sink: BodySink;
  readonly #account: BodyAccount | undefined;
  readonly #joiner = new ChunkJoiner();
  /** All but what the joiner still has. */
  readonly #pieces: Buffer[] = [];
  #bytes = 0;
  #decodedBytes = 0;
  #waits = false;
  /** It was for want of our own room that no more was read. */
  #isCutShort = false;
  #decoder: BodyDecoder | undefined;

  constructor(
    codings: readonly ContentCoding[],
    limits: FetchLimits,
    sink: BodySink,
    account?: BodyAccount,
  ) {
    this.#codings = codings;
    this.#limits = limits;
    this.#sink = sink;
    this.#account = account;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** What has come, as it came: of use where it cannot be decoded. */
  received(): Uint8Array<ArrayBuffer> {
    const rest = this.#joiner.rest();
    if (rest !== undefined) this.#pieces.push(rest);
    return joinBytes(this.#pieces);
  }

  /** Returns whether more of the body is wanted. */
  add(chunk: Buffer): boolean {
    const room = this.#limits.bodyBytesMax - this.#bytes;
    const kept = chunk.length <= room ? chunk : chunk.subarray(0, room);
    if (kept.length > 0) {
      this.#bytes += kept.length;
      this.#keep(this.#joiner.add(kept));
      this.#take(kept.length);
    }
    return kept.length === chunk.length;
  }

  /** The body has ended as the server meant it to. `truncation` marks one whose end cannot be told from a reset. */
  complete(truncation: Truncation | undefined): void {
    this.#keep(this.#joiner.rest());
    if (this.#codings.length === 0 || this.#bytes === 0) {
      const body = joinBytes(this.#pieces);
      this.#sink.onBody({ encodedBody: body, body, ...marked(truncation) });
      return;
    }
    if (truncation !== undefined) {
      this.cut(truncation);
      return;
    }
    if (this.#bytes <= smallBytesMax) {
      const encoded = joinBytes(this.#pieces);
      const outputMax = Math.min(smallOutputBytesMax, this.#limits.bodyBytesMax);
      const result = decodeSmall(this.#codings, encoded, outputMax);
      if (result !== undefined) {
        if (result.body !== encoded) this.#account?.take(result.body.length);
        this.#deliver(result, encoded, undefined);
        return;
      }
    }
    const decoder = this.#decoder ?? this.#startDecoder(false, undefined);
    decoder.end();
  }

  /** No more of the body will be read, or can be; what has come is delivered with a mark. */
  cut(truncation: Truncation): void {
    if (this.#codings.length === 0) {
      this.complete(truncation);
      return;
    }
    this.#keep(this.#joiner.rest());
    this.destroy();
    const again = this.#decodedBytes;
    this.#decodedBytes = 0;
    this.#account?.giveBack(again);
    this.#startDecoder(true, truncation).end();
  }

  /** There has been no room for too long; what has been decoded until then is delivered, marked `time`. */
  cutShort(): void {
    this.#isCutShort = true;
    if (this.#decoder === undefined) this.cut("time");
    else this.#decoder.cut();
  }

  /** Stops decoding; nothing is delivered any more. */
  destroy(): void {
    this.#decoder?.destroy();
    this.#decoder = undefined;
  }

  #take(bytes: number): void {
    if (this.#account?.take(bytes) !== false || this.#waits) return;
    this.#waits = true;
    this.#decoder?.pause();
    this.#account.whenRoom(() => {
      this.#waits = false;
      this.#decoder?.resume();
      this.#sink.onBodyGoesOn();
    });
    this.#sink.onBodyWaits();
  }

  #keep(piece: Buffer | undefined): void {
    if (piece === undefined) return;
    this.#pieces.push(piece);
    if (this.#codings.length === 0) return;
    if (this.#decoder !== undefined) this.#decoder.write(piece);
    else if (this.#bytes >= streamingBytesMin) this.#startDecoder(false, undefined);
  }

  #startDecoder(openEnd: boolean, truncation: Truncation | undefined): BodyDecoder {
    const decoder = new BodyDecoder(this.#codings, this.#limits, openEnd, {
      onOutput: (bytes) => {
        this.#decodedBytes += bytes;
        this.#take(bytes);
      },
      onDone: (result) => this.#deliver(result, undefined, truncation),
    });
    this.#decoder = decoder;
    if (this.#waits) decoder.pause();
    for (const piece of this.#pieces) decoder.write(piece);
    return decoder;
  }

  #deliver(
    result: DecodeResult,
    encoded: Uint8Array<ArrayBuffer> | undefined,
    truncation: Truncation | undefined,
  ): void {
    this.#decoder = undefined;
    switch (result.kind) {
      case "bomb":
        this.#sink.onBodyFailure("decompression-bomb", result.detail, truncation);
        return;
      case "bad":
        // Many a server leaves the last bytes out, and browsers show what they had by then.
        if (result.endsEarly && truncation === undefined) this.cut("disconnect");
        else this.#sink.onBodyFailure("bad-encoding", result.detail, truncation);
        return;
      case "decoded": {
        const { body } = result;
        if (truncation !== undefined && body.length === 0 && !this.#isCutShort) {
          // An empty robots.txt would allow everything.
          const detail = "the body ends before anything of it can be decoded";
          this.#sink.onBodyFailure("bad-encoding", detail, truncation);
          return;
        }
        const encodedBody = encoded ?? joinBytes(this.#pieces, result.cut?.at);
        this.#sink.onBody({ encodedBody, body, ...marked(result.cut?.mark ?? truncation) });
      }
    }
  }
}

function marked(truncation: Truncation | undefined): { readonly truncation?: Truncation } {
  return truncation === undefined ? {} : { truncation };
}
