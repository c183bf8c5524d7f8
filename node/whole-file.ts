import { randomBytes } from "node:crypto";
import { link, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { renameDurably, syncPath } from "../src/adapters/warc/archive-files.ts";
import { CrawlError, type CrawlErrorCode, errorCode, isNoSpace } from "../src/core/errors.ts";
import { exists } from "./exists.ts";
import { systemReason, writingFile } from "./system-reason.ts";

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
    // What has no code of the system's is of the content.
    throw errorCode(cause) === undefined ? cause : notWritten(cause, path, what);
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Writes a file durably that this user alone may read, whole or not at all, and never over another one: false where the name
 * is taken. Fails as the system does.
 */
export async function writeSecret(path: string, content: string): Promise<boolean> {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    await writeFile(draft, content, { flag: "wx", flush: true, mode: 0o600 });
    return await nameDraft(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

/** What file systems say that give a file no second name: FAT and exFAT, and some that are reached over a network. */
const withoutLinks: readonly (string | undefined)[] = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"];

/** Gives a draft its name durably; false where a file has that already. */
export async function nameDraft(draft: string, path: string, linkFile = link): Promise<boolean> {
  try {
    await linkFile(draft, path);
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    if (!withoutLinks.includes(errorCode(error))) throw error;
    // Of two processes that come here at once, the later one's draft stays.
    if (await exists(path)) return false;
    await renameDurably(draft, path);
    return true;
  }
  await syncPath(dirname(path));
  return true;
}

/** What the system refused, for people; an error that is already judged stays as it is. */
export function notWritten(cause: unknown, path: string, what: string): CrawlError {
  if (cause instanceof CrawlError) return cause;
  // The system tells of a full disk without a name.
  const problem = `${what} ${path} cannot be written (${systemReason(cause, writingFile)})`;
  return new CrawlError(crawlErrorOf(errorCode(cause)), problem, { path }, { cause });
}

function crawlErrorOf(code: string | undefined): CrawlErrorCode {
  if (isNoSpace(code)) return "DISK_FULL";
  return code === "EIO" ? "STORE_IO" : "DATA_DIR_UNUSABLE";
}
