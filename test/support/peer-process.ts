import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The built entry of the `peer` command. */
export const peerEntry = fileURLToPath(new URL("../../dist/peer.js", import.meta.url));

/** How a process ended, and all that it printed. */
export interface Ended {
  /** Null where a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  /** The same byte for byte: a page need not be UTF-8. */
  readonly output: Buffer;
  readonly stderr: string;
}

export interface PeerProcessOptions {
  /** Command that runs the process, for instance in another network namespace; it must become it. @default none */
  readonly within?: readonly string[];
  /** Interpreter. @default the one that runs the tests */
  readonly node?: string;
  /** @default dist/peer.js */
  readonly entry?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Text for standard input. @default none */
  readonly input?: string;
}

/** One run of the built `peer` command as a process of its own. */
export class PeerProcess {
  readonly ended: Promise<Ended>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #output: Buffer[] = [];
  #stderr = "";

  constructor(words: readonly string[], options: PeerProcessOptions = {}) {
    const { node = process.execPath, entry = peerEntry, environment, cwd, input = "" } = options;
    if (!existsSync(entry)) throw new Error(`${entry} is missing; run "npm run build" first`);
    const [command = node, ...rest] = [...(options.within ?? []), node, entry, ...words];
    this.#child = spawn(command, rest, {
      env: { ...process.env, ...environment },
      ...(cwd !== undefined && { cwd }),
    });
    this.#child.stdout.on("data", (bytes: Buffer) => this.#output.push(bytes));
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => (this.#stderr += text));
    // A process that ends without reading its input closes the pipe; how it ended says the rest.
    this.#child.stdin.on("error", () => undefined);
    this.#child.stdin.end(input);
    this.ended = new Promise((resolve, reject) => {
      this.#child.once("error", reject);
      this.#child.once("close", (code, signal) => {
        const output = Buffer.concat(this.#output);
        resolve({ code, signal, stdout: this.stdout, output, stderr: this.#stderr });
      });
    });
    // Whoever waits is told; a process that nobody waits for is ended by the bench.
    this.ended.catch(() => undefined);
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get stdout(): string {
    return Buffer.concat(this.#output).toString();
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** Reads its standard output no further, as a reader that has gone. */
  dropOutput(): void {
    this.#child.stdout.destroy();
  }

  /** Sends a signal; resolves with how the process ended. */
  end(signal: NodeJS.Signals): Promise<Ended> {
    this.#child.kill(signal);
    return this.ended;
  }
}
