import { createReadStream } from "node:fs";
import { linesOf, textUrl } from "../src/adapters/http-api/url-lines.ts";
import { usageError } from "./error-line.ts";

/** A URL of a file, and where it stands. */
export interface UrlLine {
  readonly url: string;
  readonly line: number;
}

/**
 * The URLs of a file with a URL a line, in batches of at most `batchMax` and in the memory of one. Empty lines and lines
 * that start with `#` are skipped.
 */
export async function* urlLineBatches(
  source: AsyncIterable<Uint8Array>,
  batchMax: number,
): AsyncGenerator<readonly UrlLine[]> {
  let batch: UrlLine[] = [];
  let line = 0;
  for await (const text of linesOf(source)) {
    line += 1;
    const url = textUrl(text);
    if (url === undefined) continue;
    batch.push({ url, line });
    if (batch.length < batchMax) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** The bytes of the file that `--file` names. Fails with `CONFIG_INVALID` where it cannot be read. */
export async function* fileBytes(path: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of createReadStream(path)) yield chunk as Uint8Array;
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    const reason = error.code === "ENOENT" ? "there is no such file" : error.message;
    throw usageError(`--file: ${path} cannot be read (${reason})`);
  }
}
