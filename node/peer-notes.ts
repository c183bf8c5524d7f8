import { ConsoleLogger, type LogFormat } from "../src/adapters/system/console-logger.ts";
import { CrawlError } from "../src/core/errors.ts";
import type { LogFields } from "../src/ports/logger.ts";
import { errorReport } from "./error-line.ts";
import type { Terminal } from "./terminal.ts";

/**
 * What a peer that runs says on standard error beside its log: lines for people, or where its log is JSON lines of that too,
 * since whoever collects it reads all lines as such. They come whatever the log's level.
 */
export class PeerNotes {
  readonly #stderr: Terminal["stderr"];
  readonly #log: ConsoleLogger | undefined;
  #written = Promise.resolve();

  constructor({ clock, stderr }: Terminal, format: LogFormat | undefined) {
    this.#stderr = stderr;
    if (format !== "json") return;
    const write = (line: string): void => {
      this.#written = stderr.write(line);
    };
    this.#log = new ConsoleLogger({ level: "info", format }, clock, write);
  }

  get isJson(): boolean {
    return this.#log !== undefined;
  }

  /** Says `text`, whole lines for people; nothing where it is empty. */
  async say(
    level: "info" | "warn" | "error",
    event: string,
    text: string,
    fields: LogFields = {},
  ): Promise<void> {
    if (text === "") return;
    const message = text.replace(/^(?:peer|note): /gm, "").trimEnd();
    this.#log?.[level](event, { ...fields, message });
    await (this.#log ? this.#written : this.#stderr.write(text));
  }

  /** Says what went wrong; returns the exit code that it calls for. `rest` is for people, behind it. */
  async fail(event: string, error: unknown, rest = ""): Promise<number> {
    const { text, exitCode } = errorReport(error);
    const code = error instanceof CrawlError ? error.code : undefined;
    await this.say("error", event, text + rest, { code });
    return exitCode;
  }
}
