import { writeFileSync } from "node:fs";
import { Socket } from "node:net";
import { isatty } from "node:tty";
import { errorCode } from "../src/core/errors.ts";
import { SystemClock } from "../src/adapters/system/system-clock.ts";
import { exitCodes } from "./error-line.ts";
import type { StopSignal, Terminal, TextSink } from "./terminal.ts";

/** Descriptors of standard input, output and error. */
const standardOnes = [0, 1, 2];

/**
 * Signals that ask a process to stop of which `isTerminal` tells the descriptors. That a terminal is gone says nothing to one
 * that has none, as `nohup` leaves it: the signal is sent to it nevertheless.
 */
export function stopSignalsOf(isTerminal: (descriptor: number) => boolean): readonly StopSignal[] {
  const always = ["SIGINT", "SIGTERM"] as const;
  return standardOnes.some(isTerminal) ? [...always, "SIGHUP"] : always;
}

/** Columns where nobody says how many there are. */
const columnsDefault = 80;

/** The terminal that this process was started in. */
export function processTerminal(): Terminal {
  process.stdout.on("error", endWithoutOutput);
  // Nowhere is left to complain to.
  process.stderr.on("error", () => undefined);
  const stopSignals = stopSignalsOf(isatty);
  // Node.js has undone by now that `nohup` had it ignored.
  if (!stopSignals.includes("SIGHUP")) process.on("SIGHUP", () => undefined);
  return {
    stdout: sink(process.stdout, wholeWrite(process.stdout)),
    stderr: sink(process.stderr, (chunk, written) => void process.stderr.write(chunk, written)),
    stdin: process.stdin,
    closeStdin: () => void process.stdin.destroy(),
    environment: process.env,
    clock: new SystemClock(),
    onStopSignal(listener) {
      for (const signal of stopSignals) process.on(signal, listener);
      return () => {
        for (const signal of stopSignals) process.off(signal, listener);
      };
    },
    endWith: (code) => (process.exitCode = code),
    exitNow: (code) => process.exit(code),
  };
}

/**
 * Ends a command whose output is lost, with the code that it has by then: quietly where its reader has seen enough
 * (`peer status ... | head`), or went at the Ctrl-C that stopped both (`peer crawl ... | tee log`).
 */
function endWithoutOutput(error: Error): void {
  if (errorCode(error) === "EPIPE") process.exit();
  process.stderr.write(`peer: standard output cannot be written (${error.message})\n`);
  process.exitCode ||= exitCodes.failed;
  process.exit();
}

type Write = (chunk: string | Uint8Array, written: () => void) => void;

/**
 * Writes all of a chunk or fails. Node.js calls a file's stream once for a chunk, and takes what the disk had no more room
 * for as written.
 */
function wholeWrite(stream: NodeJS.WritableStream & { readonly fd: number }): Write {
  if (stream instanceof Socket) return (chunk, written) => void stream.write(chunk, written);
  return (chunk, written) => {
    try {
      writeFileSync(stream.fd, chunk);
    } catch (error) {
      endWithoutOutput(error as Error);
    }
    written();
  };
}

/** A stream of the process: a terminal, or a file or pipe that says nothing of itself. */
interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Whether escape sequences steer what `stream` leads to: a terminal, unless `term`, its kind, says that it knows none. */
export function takesEscapes({ isTTY }: Pick<OutputStream, "isTTY">, term?: string): boolean {
  return isTTY === true && term !== "dumb";
}

function sink(stream: OutputStream, write: Write): TextSink {
  return {
    get isTTY() {
      return takesEscapes(stream, process.env["TERM"]);
    },
    get columns() {
      // Some terminals say 0 for "not known".
      return stream.columns === undefined || stream.columns === 0 ? columnsDefault : stream.columns;
    },
    write: (chunk) => new Promise((resolve) => write(chunk, resolve)),
  };
}
