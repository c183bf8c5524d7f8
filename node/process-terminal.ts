import { SystemClock } from "../src/adapters/system/system-clock.ts";
import type { StopSignal, Terminal, TextSink } from "./terminal.ts";

const stopSignals: readonly StopSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Columns where nobody says how many there are. */
const columnsDefault = 80;

/** The terminal that this process was started in. */
export function processTerminal(): Terminal {
  // A reader that has seen enough (`peer status ... | head`) ends the command quietly.
  process.stdout.on("error", () => process.exit());
  // Nowhere is left to complain to.
  process.stderr.on("error", () => undefined);
  return {
    stdout: sink(process.stdout),
    stderr: sink(process.stderr),
    stdin: process.stdin,
    environment: process.env,
    clock: new SystemClock(),
    onStopSignal(listener) {
      for (const signal of stopSignals) process.on(signal, listener);
      return () => {
        for (const signal of stopSignals) process.off(signal, listener);
      };
    },
    exitNow: (code) => process.exit(code),
  };
}

/** A stream of the process: a terminal, or a file or pipe that says nothing of itself. */
interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(chunk: string | Uint8Array, written: () => void): boolean;
}

function sink(stream: OutputStream): TextSink {
  return {
    get isTTY() {
      return stream.isTTY === true;
    },
    get columns() {
      // Some terminals say 0 for "not known".
      return stream.columns === undefined || stream.columns === 0 ? columnsDefault : stream.columns;
    },
    write: (chunk) =>
      new Promise((resolve) => {
        stream.write(chunk, () => resolve());
      }),
  };
}
