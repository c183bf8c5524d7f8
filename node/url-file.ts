import { constants, createReadStream, fstatSync, open } from "node:fs";
import { Socket } from "node:net";
import { addAbortSignal, type Readable } from "node:stream";
import { isatty, ReadStream } from "node:tty";
import { promisify } from "node:util";
import { errorCode } from "../src/core/errors.ts";
import { describeReason, isStatusReason } from "../src/core/answers/reason-text.ts";
import type { StatusReason } from "../src/core/answers/url-status.ts";
import {
  endOfPart,
  isGarbled,
  lineCharactersMax,
  linesOf,
  textUrl,
} from "../src/adapters/http-api/url-lines.ts";
import { usageError } from "./error-line.ts";
import { readingFile, systemReason } from "./system-reason.ts";
import { clause, cut, printable } from "./text/terminal-text.ts";

/** A URL of a file, and where it stands. */
export interface UrlLine {
  readonly url: string;
  readonly line: number;
}

/** Characters of a batch, about: as JSON they stay below the largest body that the API takes, whatever they are. */
const batchCharactersMax = 4 * 1_024 * 1_024;
/** Characters that are shown of a line. */
const shownMax = 200;

/**
 * The URLs of a file with a URL a line, in batches of at most `batchMax` and in the memory of one. What has come of a pipe
 * does not wait for what is not written yet. Empty lines and lines that start with `#` are skipped; those that are longer
 * than any URL go to `reject`, with their beginning, and so do those that are not UTF-8.
 */
export async function* urlLineBatches(
  source: AsyncIterable<Uint8Array>,
  batchMax: number,
  reject: (line: UrlLine, reason: StatusReason) => void,
): AsyncGenerator<readonly UrlLine[]> {
  let batch: UrlLine[] = [];
  let characters = 0;
  let line = 0;
  for await (const text of linesOf(source)) {
    if (text !== endOfPart) {
      line += 1;
      const url = urlOn(text, line, reject);
      if (url === undefined) continue;
      batch.push({ url, line });
      characters += url.length;
      if (batch.length < batchMax && characters < batchCharactersMax) continue;
    }
    if (batch.length === 0) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}

function urlOn(
  text: string,
  line: number,
  reject: (line: UrlLine, reason: StatusReason) => void,
): string | undefined {
  const url = textUrl(text);
  if (url === undefined) return undefined;
  if (text.length > lineCharactersMax)
    reject({ url: url.slice(0, shownMax + 1), line }, "url-length");
  else if (isGarbled(url)) reject({ url, line }, "invalid-url");
  else return url;
  return undefined;
}

/** A line for people on an input that is rejected; `line` where it comes from a file. */
export function rejectionText(
  place: { readonly url: string; readonly line?: number },
  reason: string,
  fileName?: string,
): string {
  const why = isStatusReason(reason) ? ` (${clause(describeReason(reason))})` : "";
  return inputText(place, `is rejected: ${reason}${why}`, fileName);
}

/** A line for people that `says` something of an input; `line` where it comes from a file. */
export function inputText(
  { url, line }: { readonly url: string; readonly line?: number },
  says: string,
  fileName?: string,
): string {
  const place = fileName === undefined ? "" : `${fileName}, line ${line}: `;
  return `peer: ${place}${JSON.stringify(cut(printable(url), shownMax))} ${says}\n`;
}

/** The descriptor is the stream's to close. */
const openFile = promisify(open);

/**
 * A pipe of a name that nobody writes to yet is not waited for as it is opened, which could not be called off: a process could
 * not even exit. Linux tells its end only when somebody has written to it; elsewhere it would seem to be empty.
 */
const openFlags =
  process.platform === "linux" ? constants.O_RDONLY | constants.O_NONBLOCK : constants.O_RDONLY;

/** Read at once of a file, which is all there: the batch that its end cuts short is one of many. */
const fileReadBytes = 1_024 * 1_024;

/**
 * The bytes of the file that `--file` names, until `over` aborts: nobody reads on then. Fails with `CONFIG_INVALID` where it
 * cannot be read.
 */
export async function* fileBytes(path: string, over: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    const source = addAbortSignal(over, streamOf(await openFile(path, openFlags)));
    for await (const chunk of source) yield chunk as Uint8Array;
  } catch (error) {
    if (over.aborted) return;
    if (errorCode(error) === undefined) throw error;
    const reason = systemReason(error, readingFile);
    throw usageError(`--file: ${path} cannot be read (${reason})`);
  }
}

/**
 * What is written to a pipe or a terminal meanwhile comes as to a socket: a read as of a file could not be called off, and
 * would keep the process, also one that exits, for as long as nothing is written.
 */
function streamOf(fd: number): Readable {
  if (isatty(fd)) return new ReadStream(fd);
  if (fstatSync(fd).isFIFO()) return new Socket({ fd, readable: true, writable: false });
  return createReadStream("", { fd, highWaterMark: fileReadBytes });
}
