import { RequestError } from "./api-error.ts";

const lineEnd = /\r\n?|\n/u;

/** How the lines of a stream of URLs are written. */
export type LineFormat = "text" | "ndjson";

/** Longest line: far above any URL that is admitted, far below what hurts. */
export const lineCharactersMax = 65_536;

/**
 * The URLs of a stream in batches of at most `batchMax`, in bounded memory: the next part is read when the batch before
 * it has been taken. What ends with a part of the stream does not wait for the next one, which may be hours away.
 *
 * Plain text has a URL a line; empty lines and lines that start with `#` are skipped. NDJSON has a JSON string or an
 * object with a `url` a line.
 */
export async function* urlBatches(
  source: AsyncIterable<Uint8Array>,
  format: LineFormat,
  batchMax: number,
): AsyncGenerator<string[]> {
  let batch: string[] = [];
  let lineNumber = 0;
  for await (const line of linesOf(source)) {
    if (line !== endOfPart) {
      lineNumber += 1;
      const url = urlOn(line, format, lineNumber);
      if (url !== undefined) batch.push(url);
    }
    if (batch.length < (line === endOfPart ? 1 : batchMax)) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Stands among the lines of a stream where all that ended with a part of it have come. */
export const endOfPart = Symbol("end of a part");

/**
 * The lines of a stream, without their ends: LF, CR LF or CR, as in the lists among sitemaps. Malformed UTF-8 becomes
 * U+FFFD, see {@link isGarbled}. Of a line that is longer than {@link lineCharactersMax} only a part comes, which is longer
 * too: a line without an end is not kept. {@link endOfPart} says where the next line may take its time.
 */
export async function* linesOf(
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<string | typeof endOfPart> {
  const decoder = new TextDecoder();
  let rest = "";
  let endedWithCr = false;
  for await (const chunk of source) {
    const text = decoder.decode(chunk, { stream: true });
    if (text === "") continue;
    const lines = (rest + (endedWithCr && text.startsWith("\n") ? text.slice(1) : text)).split(
      lineEnd,
    );
    endedWithCr = text.endsWith("\r");
    rest = (lines.pop() ?? "").slice(0, lineCharactersMax + 1);
    yield* lines;
    yield endOfPart;
  }
  rest += decoder.decode();
  if (rest !== "") yield rest;
}

/** Whether a URL out of {@link linesOf} had bytes that are not UTF-8: what they became is one that nobody has named. */
export function isGarbled(url: string): boolean {
  return url.includes("\uFFFD");
}

/** The URL on a line of plain text, if there is one. */
export function textUrl(line: string): string | undefined {
  const text = line.trim();
  return text === "" || text.startsWith("#") ? undefined : text;
}

function urlOn(line: string, format: LineFormat, lineNumber: number): string | undefined {
  if (line.length > lineCharactersMax) {
    const problem = `line ${lineNumber} is longer than ${lineCharactersMax} characters`;
    throw new RequestError("TOO_LARGE", problem);
  }
  const url = format === "text" ? textUrl(line) : jsonUrl(line, lineNumber);
  if (url !== undefined && isGarbled(url)) {
    throw new RequestError("BAD_REQUEST", `line ${lineNumber} is not UTF-8`);
  }
  return url;
}

function jsonUrl(line: string, lineNumber: number): string | undefined {
  if (line.trim() === "") return undefined;
  const value = parsed(line);
  if (typeof value === "string") return value;
  if (
    typeof value === "object" &&
    value !== null &&
    "url" in value &&
    typeof value.url === "string"
  ) {
    return value.url;
  }
  throw new RequestError(
    "BAD_REQUEST",
    `line ${lineNumber} is neither a JSON string nor an object with a "url"`,
  );
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
