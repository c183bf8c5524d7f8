import { rm, writeFile } from "node:fs/promises";
import { errorCode, isNoSpace, renameDurably } from "../src/adapters/warc/archive-files.ts";
import { CrawlError, type CrawlErrorCode } from "../src/core/errors.ts";

/**
 * Writes a file durably, whole or not at all: an interruption leaves what was there. `what` is for people. Errors:
 * `DISK_FULL`, `STORE_IO`, `DATA_DIR_UNUSABLE`, and those of `content`.
 */
export async function writeWhole(
  path: string,
  content: string | AsyncIterable<string>,
  what: string,
): Promise<void> {
  const draft = `${path}.new`;
  try {
    await writeFile(draft, content, { flush: true });
    await renameDurably(draft, path);
  } catch (cause) {
    if (cause instanceof CrawlError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const problem = `${what} cannot be written (${reason})`;
    throw new CrawlError(crawlErrorOf(errorCode(cause)), problem, { path }, { cause });
  } finally {
    await rm(draft, { force: true });
  }
}

function crawlErrorOf(code: string | undefined): CrawlErrorCode {
  if (isNoSpace(code)) return "DISK_FULL";
  return code === "EIO" ? "STORE_IO" : "DATA_DIR_UNUSABLE";
}
