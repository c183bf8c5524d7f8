import type { Clock } from "../src/ports/clock.ts";

/** A stream of output. */
export interface TextSink {
  /** Whether it is a terminal in which the cursor can be moved. */
  readonly isTTY: boolean;
  /** Characters a line, where it is a terminal. */
  readonly columns: number;
  /** Resolves when the stream can take more. */
  write(chunk: string | Uint8Array): Promise<void>;
}

export type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

/** Everything that a command touches of the process around it. */
export interface Terminal {
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Reads no further: as long as others keep standard input open, it would keep the process. */
  closeStdin(): void;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Calls `listener` for every signal that asks to stop, until the returned function is called. */
  onStopSignal(listener: (signal: StopSignal) => void): () => void;
  /** Says with what code the process ends, also where its output is lost before the command is over. */
  endWith(code: number): void;
  /** Ends the process at once: only for a second signal and for a stop that takes too long. */
  exitNow(code: number): void;
}
