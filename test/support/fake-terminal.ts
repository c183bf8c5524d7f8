import { SystemClock } from "../../src/adapters/system/system-clock.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { StopSignal, Terminal, TextSink } from "../../node/terminal.ts";

/** Output kept in memory. */
export class MemorySink implements TextSink {
  readonly isTTY: boolean;
  columns = 80;
  readonly #chunks: Uint8Array[] = [];

  constructor(isTTY = false) {
    this.isTTY = isTTY;
  }

  /** Everything written, as text. */
  get text(): string {
    return this.bytes.toString("utf8");
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  write(chunk: string | Uint8Array): Promise<void> {
    this.#chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
    return Promise.resolve();
  }
}

/** A terminal whose user is a test. */
export class FakeTerminal implements Terminal {
  readonly stdout = new MemorySink();
  readonly stderr: MemorySink;
  readonly environment: Record<string, string> = {};
  readonly clock: Clock;
  /** What standard input gives. */
  input = "";
  /** Whether standard input stays open after that, as that of a program which others still write to. */
  inputStaysOpen = false;
  /** Whether a command has said that it reads no further. */
  inputClosed = false;
  /** Code that the process is to end with, where a command has said so. */
  endCode: number | undefined;
  /** Codes that the process was ended with at once. */
  readonly exits: number[] = [];
  readonly #inputEnd = Promise.withResolvers<undefined>();
  readonly #listeners = new Set<(signal: StopSignal) => void>();

  constructor(options: { readonly clock?: Clock; readonly isTTY?: boolean } = {}) {
    this.clock = options.clock ?? new SystemClock();
    this.stderr = new MemorySink(options.isTTY);
  }

  /** Whether a command listens for signals. */
  get listening(): number {
    return this.#listeners.size;
  }

  get stdin(): AsyncIterable<Uint8Array> {
    return inOneChunk(
      Buffer.from(this.input),
      this.inputStaysOpen ? this.#inputEnd.promise : undefined,
    );
  }

  closeStdin(): void {
    this.inputClosed = true;
    this.#inputEnd.resolve(undefined);
  }

  onStopSignal(listener: (signal: StopSignal) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  endWith(code: number): void {
    this.endCode = code;
  }

  exitNow(code: number): void {
    this.exits.push(code);
  }

  /** Sends a signal to whoever listens. */
  signal(signal: StopSignal): void {
    for (const listener of this.#listeners) listener(signal);
  }
}

async function* inOneChunk(
  chunk: Uint8Array,
  end: Promise<undefined> | undefined,
): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(chunk);
  await end;
}
