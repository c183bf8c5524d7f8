import { linesOf, textUrl } from "../src/adapters/http-api/url-lines.ts";

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
