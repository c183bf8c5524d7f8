import { errorCode } from "../../core/errors.ts";
import { sniffBytes, sniffFormat } from "../../core/net/content-coding.ts";
import type { ContentCoding } from "../../core/net/content-coding.ts";
import type { Truncation } from "../../ports/fetcher.ts";
import { createDecoder, decodeSync } from "./content-coding.ts";
import type { DecodingStream } from "./content-coding.ts";
import { joinBytes } from "./owned-bytes.ts";

export interface DecodeLimits {
  readonly bodyBytesMax: number;
  readonly compressionRatioMax: number;
}

interface Decoded {
  readonly kind: "decoded";
  readonly body: Uint8Array<ArrayBuffer>;
  /** Set when no more of the body was wanted: how many encoded bytes yield what there is. */
  readonly cut?: { readonly at: number; readonly mark: Truncation };
}

export type DecodeResult =
  | Decoded
  | { readonly kind: "bomb"; readonly detail: string }
  /** `endsEarly`: the coding was right as far as it went, so that what it yields until there can be had. */
  | { readonly kind: "bad"; readonly detail: string; readonly endsEarly: boolean };

/** What a decoder tells of. */
interface DecoderSink {
  /** So many bytes of output are kept more. */
  readonly onOutput: (bytes: number) => void;
  /** Called at most once. */
  readonly onDone: (result: DecodeResult) => void;
}

/** Decoded size below which a high ratio is only good compression. */
const bombBytesMin = 1024 * 1024;

/**
 * Removes the codings of a body in the thread pool, while the body is still arriving.
 *
 * The codings are removed in the reverse order of their application. A stage is made when enough of its first bytes are
 * there, because those tell whether the server has told the truth (see {@link sniffFormat}); one that lied is left out.
 *
 * Invariant: no stage puts out more than `bodyBytesMax` and one buffer, so a bomb costs no more than a large page.
 */
export class BodyDecoder {
  readonly #codings: readonly ContentCoding[];
  readonly #limits: DecodeLimits;
  readonly #openEnd: boolean;
  readonly #sink: DecoderSink;
  readonly #stages: DecodingStream[] = [];
  /** The first bytes, while they are too few to tell what they are: a server may send them one by one. */
  readonly #start: Buffer[] = [];
  readonly #output: Buffer[] = [];
  #outputBytes = 0;
  #inputBytes = 0;
  /** The stage whose output is the body. */
  #last: DecodingStream | undefined;
  #started = false;
  #paused = false;
  #done = false;

  /** `openEnd`: the input was cut by us, so that its missing end is no error. */
  constructor(
    codings: readonly ContentCoding[],
    limits: DecodeLimits,
    openEnd: boolean,
    sink: DecoderSink,
  ) {
    this.#codings = codings.toReversed();
    this.#limits = limits;
    this.#openEnd = openEnd;
    this.#sink = sink;
  }

  /** Bounded by the caller, who holds all chunks anyway. */
  write(chunk: Buffer): void {
    if (this.#done) return;
    this.#inputBytes += chunk.length;
    if (this.#started) {
      this.#pass(chunk);
      return;
    }
    this.#start.push(chunk);
    if (this.#inputBytes >= sniffBytes) this.#begin();
  }

  end(): void {
    if (!this.#started && this.#inputBytes > 0) this.#begin();
    const first = this.#stages[0];
    if (first === undefined) this.#finish({ kind: "decoded", body: joinBytes(this.#output) });
    else first.end();
  }

  /** Puts out no more than what is on its way, until `resume`. */
  pause(): void {
    this.#paused = true;
    this.#last?.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#last?.resume();
  }

  /** Its time is over: ends it with what has been put out so far. */
  cut(): void {
    const at = this.#stages[0]?.bytesWritten ?? this.#outputBytes;
    this.#finish({ kind: "decoded", body: joinBytes(this.#output), cut: { at, mark: "time" } });
  }

  /** Stops without a result; idempotent. */
  destroy(): void {
    this.#done = true;
    for (const stage of this.#stages) stage.destroy();
  }

  #begin(): void {
    this.#started = true;
    this.#chain(0, Buffer.concat(this.#start.splice(0)), undefined);
  }

  #pass(chunk: Buffer): void {
    const first = this.#stages[0];
    if (first === undefined) this.#collect(chunk);
    else first.write(chunk);
  }

  /** Adds the stages from `index` on for content that begins with `chunk` and comes from `source`. */
  #chain(index: number, chunk: Buffer, source: DecodingStream | undefined): void {
    let at = index;
    for (let coding = this.#codings[at]; coding !== undefined; coding = this.#codings[at]) {
      at += 1;
      const format = sniffFormat(coding, chunk);
      if (format === undefined) continue;
      this.#addStage(createDecoder(format, this.#openEnd), at, chunk, source);
      return;
    }
    this.#collect(chunk);
    if (source === undefined) return;
    source.on("data", (data: Buffer) => this.#collect(data));
    const finish = (): void => this.#finish({ kind: "decoded", body: joinBytes(this.#output) });
    if (source.readableEnded) finish();
    else source.once("end", finish);
    this.#last = source;
    if (this.#paused) source.pause();
  }

  #addStage(
    stage: DecodingStream,
    next: number,
    chunk: Buffer,
    source: DecodingStream | undefined,
  ): void {
    this.#stages.push(stage);
    stage.on("error", (error) => {
      this.#finish(badCoding(error));
    });
    const isLast = next === this.#codings.length;
    this.#awaitStart(stage, isLast ? 1 : sniffBytes, (start) => this.#chain(next, start, stage));
    if (!isLast) this.#watchIntermediate(stage);
    stage.write(chunk);
    source?.pipe(stage);
  }

  /** Calls back with the first `bytesMin` bytes that a stage puts out, or with all where they are fewer. */
  #awaitStart(stage: DecodingStream, bytesMin: number, onStart: (start: Buffer) => void): void {
    const start: Buffer[] = [];
    let bytes = 0;
    const begin = (): void => {
      stage.off("data", take).off("end", begin);
      const [first] = start;
      if (first === undefined) this.#finish({ kind: "decoded", body: joinBytes([]) });
      else onStart(start.length === 1 ? first : Buffer.concat(start));
    };
    const take = (data: Buffer): void => {
      start.push(data);
      bytes += data.length;
      if (bytes >= bytesMin) begin();
    };
    stage.on("data", take).once("end", begin);
  }

  #watchIntermediate(stage: DecodingStream): void {
    let bytes = 0;
    stage.on("data", (data: Buffer) => {
      bytes += data.length;
      if (bytes > this.#limits.bodyBytesMax) this.#finishBomb(bytes);
    });
  }

  #collect(data: Buffer): void {
    if (this.#done) return;
    this.#output.push(data);
    this.#outputBytes += data.length;
    this.#sink.onOutput(data.length);
    const decoder = this.#stages[0];
    const consumed = Math.max(1, decoder?.bytesWritten ?? this.#inputBytes);
    const { bodyBytesMax, compressionRatioMax } = this.#limits;
    if (this.#outputBytes > bombBytesMin && this.#outputBytes / consumed > compressionRatioMax) {
      this.#finishBomb(this.#outputBytes);
    } else if (this.#outputBytes > bodyBytesMax) {
      const body = joinBytes(this.#output, bodyBytesMax);
      const at = decoder === undefined ? bodyBytesMax : consumed;
      this.#finish({ kind: "decoded", body, cut: { at, mark: "length" } });
    }
  }

  #finishBomb(bytes: number): void {
    const consumed = this.#stages[0]?.bytesWritten ?? this.#inputBytes;
    this.#finish({ kind: "bomb", detail: `${consumed} bytes became more than ${bytes}` });
  }

  #finish(result: DecodeResult): void {
    if (this.#done) return;
    this.destroy();
    this.#sink.onDone(result);
  }
}

/**
 * Removes the codings of a small, complete body at once, or returns undefined when that cannot be done: the result is
 * too large, or {@link BodyDecoder} has to look closer. Zlib on this thread costs less than the turns through the thread
 * pool up to about this size.
 */
export function decodeSmall(
  codings: readonly ContentCoding[],
  encoded: Uint8Array<ArrayBuffer>,
  outputMax: number,
): Decoded | undefined {
  let body: Uint8Array = encoded;
  try {
    for (const coding of codings.toReversed()) {
      const format = body.length === 0 ? undefined : sniffFormat(coding, body);
      if (format !== undefined) body = decodeSync(format, body, outputMax);
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return undefined;
  }
  return { kind: "decoded", body: body === encoded ? encoded : joinBytes([body]) };
}

function badCoding(error: Error): DecodeResult {
  const code = errorCode(error) ?? "";
  const detail = `${code} ${error.message}`.trim();
  return { kind: "bad", detail, endsEarly: code === "Z_BUF_ERROR" };
}
