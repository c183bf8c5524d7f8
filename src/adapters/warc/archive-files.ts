import { open, rename, stat, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import {
  CrawlError,
  errorCode,
  errorText,
  InvariantError,
  isNoSpace,
  noSpaceText,
} from "../../core/errors.ts";

/** The part of a file handle that writing needs. */
export interface ArchiveFile {
  writev(chunks: readonly Uint8Array[], position: number): Promise<{ bytesWritten: number }>;
  datasync(): Promise<void>;
  close(): Promise<void>;
}

/** Opens files for writing. */
export interface ArchiveFiles {
  /** Makes a file that must not exist yet. */
  create(path: string): Promise<ArchiveFile>;
}

export const nodeArchiveFiles: ArchiveFiles = {
  create: (path) => open(path, "wx"),
};

/** Runs `action` on `path`; what the file system refuses becomes a `CrawlError`. */
export async function onDisk<T>(path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    throw archiveError(cause, path);
  }
}

/** `DISK_FULL` when there is no room, else `ARCHIVE_IO`; errors that are already judged stay as they are. */
function archiveError(cause: unknown, path: string): Error {
  if (cause instanceof CrawlError || cause instanceof InvariantError) return cause;
  const code = errorCode(cause);
  if (code !== undefined && isNoSpace(code)) {
    return new CrawlError("DISK_FULL", noSpaceText(path, code), { path, code }, { cause });
  }
  const details = code === undefined ? { path } : { path, code };
  const message = `the archive failed at ${path} (${errorText(cause)})`;
  return new CrawlError("ARCHIVE_IO", message, details, { cause });
}

/** What `action` returns, or undefined when the file is not there. */
export async function unlessMissing<T>(action: () => Promise<T>): Promise<T | undefined> {
  try {
    return await action();
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Writes all of `chunks` at `position`: one call may write less than it was given. */
export async function writeFully(
  file: ArchiveFile,
  chunks: readonly Uint8Array[],
  position: number,
): Promise<void> {
  let rest = chunks;
  let at = position;
  while (rest.length > 0) {
    const { bytesWritten } = await file.writev(rest, at);
    if (bytesWritten <= 0) throw new Error("the disk takes no bytes");
    at += bytesWritten;
    rest = dropBytes(rest, bytesWritten);
  }
}

function dropBytes(chunks: readonly Uint8Array[], count: number): readonly Uint8Array[] {
  let left = count;
  let index = 0;
  for (const chunk of chunks) {
    if (left < chunk.length) return [chunk.subarray(left), ...chunks.slice(index + 1)];
    left -= chunk.length;
    index++;
  }
  return [];
}

/** Makes a file durable, or the names in a directory: without that a new file can be gone after a power failure. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Rejects where the file is not there any more: one that was removed takes bytes until it is closed, and keeps none. */
export async function checkNamed(path: string): Promise<void> {
  if ((await unlessMissing(() => stat(path))) !== undefined) return;
  throw new Error("it was removed or moved away while it was written");
}

/** Renames durably within one directory. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncPath(dirname(to));
}

/** Removes a file if it is there. */
export async function removeFile(path: string): Promise<void> {
  await unlessMissing(() => unlink(path));
}
