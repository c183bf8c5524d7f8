import { resolve } from "node:path";
import type { StatusReason } from "../src/core/answers/url-status.ts";
import type { InjectReport } from "../src/ports/peer-control.ts";
import { formatCount } from "../src/core/text/human.ts";
import type { Millis } from "../src/core/units.ts";
import type { Clock } from "../src/ports/clock.ts";
import { usageError } from "./error-line.ts";
import { checkUrls } from "./seed-urls.ts";
import type { Terminal } from "./terminal.ts";
import { printable } from "./text/terminal-text.ts";
import { fileBytes, urlLineBatches, type UrlLine } from "./url-file.ts";

/** URLs sent at once: some tens of kilobytes, and a step of the progress that an eye can follow. */
const batchMax = 1_000;
/** Rejected lines that are named; the rest are counted. */
const namedMax = 100;

/** A program that writes to a pipe, and a disk, take less for their first lines. */
const quietMs: Millis = 2_000;

/** Where the URLs of a command come from. */
export interface UrlSource {
  /** As named before a line's number; absent for arguments. */
  readonly name?: string;
  /** The file that is read, as {@link lastingName} has it. Absent for arguments. */
  readonly file?: string;
  readonly batches: AsyncIterable<readonly UrlLine[]>;
  /** Says that nobody reads on: a standard input or a pipe that stays open would keep the process. */
  close(): void;
}

/**
 * The URLs that a command line names: its arguments, the lines of the file after `--file`, or those of standard input
 * where either is `-`. Nothing where it names none. Lines that cannot be URLs go to `rejections` as they are read. Fails
 * with `CONFIG_INVALID` where it names both, or an argument that is no URL.
 */
export function urlSource(
  terminal: Pick<Terminal, "stdin" | "closeStdin">,
  urls: readonly string[],
  file: string | undefined,
  rejections: Rejections,
): UrlSource | undefined {
  if (file !== undefined && urls.length > 0) {
    throw usageError("give URLs or --file, not both");
  }
  const named = urls.length === 1 && urls[0] === "-" ? "-" : file;
  if (named !== undefined) {
    return fileSource(terminal, named, (line, reason) => rejections.add(line, reason));
  }
  if (urls.length === 0) return undefined;
  checkUrls(urls);
  return { batches: argumentBatches(urls), close: () => undefined };
}

/** What the system has for a process alone, or for a moment: `<(...)` of a shell is `/dev/fd/63`. Memory has files of a name. */
const fleeting = /^\/(?:dev\/(?!shm\/)|proc\/)/;

/** A file as `--file` names it; `-`, as standard input is named, where another run would find something else by its name. */
export function lastingName(file: string): string {
  return fleeting.test(resolve(file)) ? "-" : file;
}

/** The URLs of the file that `--file` names; `-` is standard input. Lines that cannot be URLs go to `reject`. */
export function fileSource(
  terminal: Pick<Terminal, "stdin" | "closeStdin">,
  file: string,
  reject: (line: UrlLine, reason: StatusReason) => void,
): UrlSource & { readonly name: string } {
  const isInput = file === "-";
  const over = new AbortController();
  return {
    name: isInput ? "standard input" : file,
    file: lastingName(file),
    batches: urlLineBatches(
      isInput ? terminal.stdin : fileBytes(file, over.signal),
      batchMax,
      reject,
    ),
    close: () => (isInput ? terminal.closeStdin() : over.abort()),
  };
}

async function* argumentBatches(urls: readonly string[]): AsyncGenerator<readonly UrlLine[]> {
  for (let start = 0; start < urls.length; start += batchMax) {
    const batch = urls.slice(start, start + batchMax);
    yield await Promise.resolve(batch.map((url, i) => ({ url, line: start + i + 1 })));
  }
}

/**
 * What `reading` of the source that has the `name` comes to. Where that takes long, `say` is told once what is waited for: nobody
 * may write to a pipe, and who sits at a terminal may not know that it is up to them.
 */
export async function toldIfSlow<T>(
  reading: Promise<T>,
  name: string | undefined,
  clock: Clock,
  say: (line: string) => void,
): Promise<T> {
  const over = new AbortController();
  const told = clock.sleep(quietMs, over.signal).then(() => {
    if (over.signal.aborted || name === undefined) return;
    say(`waiting for URLs from ${printable(name)}, one a line\n`);
  });
  try {
    return await reading;
  } finally {
    over.abort();
    await told;
  }
}

/** An input that is rejected, and where it stands. */
export interface Rejection {
  readonly input: string;
  readonly reason: string;
  readonly line: number;
}

/** Inputs that are rejected: the first ones with their names, all by their number. */
export class Rejections {
  readonly named: Rejection[] = [];
  readonly #onNamed: (rejection: Rejection) => void;
  #count = 0;

  /** `onNamed` is told of each that is named, as it comes. */
  constructor(onNamed: (rejection: Rejection) => void = () => undefined) {
    this.#onNamed = onNamed;
  }

  get count(): number {
    return this.#count;
  }

  /** Counts one, and names it while few are. */
  add(line: UrlLine, reason: string): void {
    this.#count += 1;
    this.#name(line, reason);
  }

  /** Counts those of a batch that was injected. */
  addReport(batch: readonly UrlLine[], report: InjectReport): void {
    this.#count += report.rejectedCount;
    // One text may stand on several lines, and each of them is reported.
    const told = new Set<UrlLine>();
    for (const { input, reason } of report.rejected) {
      const found = batch.find((each) => each.url === input && !told.has(each));
      if (found !== undefined) told.add(found);
      this.#name(found ?? { url: input, line: 0 }, reason);
    }
  }

  /** A line for people on those that are not named; empty where there is none. */
  get restText(): string {
    const unnamed = this.#count - this.named.length;
    return unnamed > 0 ? `peer: ${formatCount(unnamed)} more are rejected\n` : "";
  }

  #name({ url, line }: UrlLine, reason: string): void {
    if (this.named.length >= namedMax) return;
    const rejection = { input: url, reason, line };
    this.named.push(rejection);
    this.#onNamed(rejection);
  }
}
