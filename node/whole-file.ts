import { rename, rm, writeFile } from "node:fs/promises";
import { CrawlError } from "../src/core/errors.ts";

/**
 * Writes a file whole or not at all: an interruption leaves what was there. `what` is for people. Errors: `DISK_FULL`,
 * `DATA_DIR_UNUSABLE`, and those of `content`.
 */
export async function writeWhole(
  path: string,
  content: string | AsyncIterable<string>,
  what: string,
): Promise<void> {
  const draft = `${path}.new`;
  try {
    await writeFile(draft, content);
    await rename(draft, path);
  } catch (cause) {
    if (cause instanceof CrawlError) throw cause;
    const full = cause instanceof Error && "code" in cause && cause.code === "ENOSPC";
    const reason = cause instanceof Error ? cause.message : String(cause);
    const problem = `${what} cannot be written (${reason})`;
    throw new CrawlError(full ? "DISK_FULL" : "DATA_DIR_UNUSABLE", problem, { path }, { cause });
  } finally {
    await rm(draft, { force: true });
  }
}
