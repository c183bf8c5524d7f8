import type { Clock } from "../../ports/clock.ts";
import type { LogFields, Logger } from "../../ports/logger.ts";

/** From the most talkative to silence. */
export const logLevels = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** `text` for people, `json` for one JSON document a line. */
export const logFormats = ["text", "json"] as const;
export type LogFormat = (typeof logFormats)[number];

export interface ConsoleLoggerOptions {
  /** Events below it are dropped. @default "info" */
  readonly level: LogLevel;
  /** @default "text" */
  readonly format: LogFormat;
}

export const defaultConsoleLoggerOptions: ConsoleLoggerOptions = Object.freeze({
  level: "info",
  format: "text",
});

/** Takes a whole line, its end included. */
export type WriteLine = (line: string) => void;

/** Fields of an event that are printed; more are a mistake of the caller and are only counted. */
const fieldsMax = 32;
/** Characters of a value that are printed: a URL of the longest admitted kind still fits. */
const valueCharactersMax = 2_048;
/** Of lines that whoever reads them has not taken away; more are left out, and counted. */
const waitingBytesMax = 1_048_576;
/** Width of the event's column, so that the fields of usual events stand below each other. */
const eventColumns = 22;

/**
 * Log on standard error.
 *
 * Values come from the web, so they are cut to a bound and their control characters are escaped: a hostile host name
 * can neither forge a line nor steer a terminal. Logging never throws, whatever the sink does: a full pipe must not
 * stop a crawl. Nor may it fill the memory: lines that nobody reads are left out.
 */
export class ConsoleLogger implements Logger {
  readonly #options: ConsoleLoggerOptions;
  readonly #clock: Clock;
  readonly #write: WriteLine;
  readonly #isFull: () => boolean;
  #leftOut = 0;

  constructor(
    options: ConsoleLoggerOptions,
    clock: Clock,
    write: WriteLine = (line) => void process.stderr.write(line),
    isFull = () => process.stderr.writableLength > waitingBytesMax,
  ) {
    this.#options = options;
    this.#clock = clock;
    this.#write = write;
    this.#isFull = isFull;
  }

  debug(event: string, fields?: LogFields): void {
    this.#log("debug", event, fields);
  }

  info(event: string, fields?: LogFields): void {
    this.#log("info", event, fields);
  }

  warn(event: string, fields?: LogFields): void {
    this.#log("warn", event, fields);
  }

  error(event: string, fields?: LogFields): void {
    this.#log("error", event, fields);
  }

  #log(level: LogLevel, event: string, fields: LogFields = {}): void {
    if (logLevels.indexOf(level) < logLevels.indexOf(this.#options.level)) return;
    try {
      if (this.#isFull()) {
        this.#leftOut += 1;
        return;
      }
      const lines = this.#leftOut;
      this.#leftOut = 0;
      if (lines > 0) this.#writeLine("warn", "log-lines-left-out", { lines });
      this.#writeLine(level, event, fields);
    } catch {
      // The sink is gone; there is nowhere left to say so.
    }
  }

  #writeLine(level: LogLevel, event: string, fields: LogFields): void {
    const at = new Date(this.#clock.wallMs()).toISOString();
    const lineOf = this.#options.format === "json" ? jsonLine : textLine;
    this.#write(lineOf(at, level, event, boundedFields(fields)));
  }
}

type FieldValue = string | number | boolean;

function boundedFields(fields: LogFields): [string, FieldValue][] {
  const bounded: [string, FieldValue][] = [];
  let left = 0;
  for (const [key, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    if (bounded.length === fieldsMax) left += 1;
    else bounded.push([key, boundedValue(value)]);
  }
  if (left > 0) bounded.push(["fieldsLeftOut", left]);
  return bounded;
}

function boundedValue(value: FieldValue): FieldValue {
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (typeof value !== "string" || value.length <= valueCharactersMax) return value;
  return `${value.slice(0, valueCharactersMax)}…`;
}

function jsonLine(at: string, level: LogLevel, event: string, fields: [string, FieldValue][]) {
  return `${jsonText({ at, level, event, ...Object.fromEntries(fields) })}\n`;
}

function textLine(at: string, level: LogLevel, event: string, fields: [string, FieldValue][]) {
  const facts = fields.map(([key, value]) => `${key}=${textValue(value)}`).join(" ");
  const mark = level.toUpperCase().padEnd(5);
  const line = `${at} ${mark} ${facts === "" ? event : event.padEnd(eventColumns)} ${facts}`;
  return `${line.trimEnd()}\n`;
}

/** Bare where it reads as one word, else a JSON string with every control character escaped. */
function textValue(value: FieldValue): string {
  if (typeof value !== "string") return String(value);
  if (/^[\x21\x23-\x7e]+$/.test(value)) return value;
  return jsonText(value);
}

/** JSON leaves some control characters as they are: terminals take U+009B for the begin of an escape sequence. */
function jsonText(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
