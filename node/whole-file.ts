import { link, rename, rm, writeFile } from "node:fs/promises";
import { renameDurably } from "../src/adapters/warc/archive-files.ts";
import {
  CrawlError,
  type CrawlErrorCode,
  errorCode,
  errorText,
  isNoSpace,
} from "../src/core/errors.ts";
import { exists } from "./exists.ts";

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
    throw notWritten(cause, path, what);
  } finally {
    await rm(draft, { force: true });
  }
}

/** What file systems say that give a file no second name: FAT and exFAT, and some that are reached over a network. */
const withoutLinks: readonly (string | undefined)[] = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"];

/** Gives a draft its name, unless a file has that already. */
export async function nameDraft(draft: string, path: string, linkFile = link): Promise<void> {
  try {
    await linkFile(draft, path);
  } catch (error) {
    if (errorCode(error) === "EEXIST") return;
    if (!withoutLinks.includes(errorCode(error))) throw error;
    // Of two processes that come here at once, the later one's draft stays.
    if (!(await exists(path))) await rename(draft, path);
  }
}

/** What the system refused, for people; an error that is already judged stays as it is. */
export function notWritten(cause: unknown, path: string, what: string): CrawlError {
  if (cause instanceof CrawlError) return cause;
  const problem = `${what} cannot be written (${errorText(cause)})`;
  return new CrawlError(crawlErrorOf(errorCode(cause)), problem, { path }, { cause });
}

function crawlErrorOf(code: string | undefined): CrawlErrorCode {
  if (isNoSpace(code)) return "DISK_FULL";
  return code === "EIO" ? "STORE_IO" : "DATA_DIR_UNUSABLE";
}
