import { CrawlError, errorCode, errorText, isNoSpace, noSpaceText } from "../../core/errors.ts";

/** The innermost error: `level` wraps what LevelDB or the file system said into a general one. */
function rootOf(error: unknown): { readonly code: string; readonly text: string } {
  let inner = error;
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause;
  return { code: errorCode(inner) ?? "", text: errorText(inner) };
}

// LevelDB reports the system's error only as its text: "IO error: DIR/LOCK: Permission denied".
const noSpace = /no space left on device|disk quota exceeded|file too large/iu;
const notUsable =
  /permission denied|operation not permitted|read-only file system|not a directory|is a directory/iu;
/** The directory is made before LevelDB looks into it: what it misses there is a file of its own. */
const missing = /^IO error: .*: no such file or directory$/iu;
/** What it says of a table that was cut short, when it reads behind the end. */
const cutShort = /^IO error: .*\.(?:ldb|sst): invalid argument$/iu;
const notUsableCodes: readonly string[] = [
  "EACCES",
  "EEXIST",
  "EISDIR",
  "ELOOP",
  "ENAMETOOLONG",
  "ENOENT",
  "ENOTDIR",
  "EPERM",
  "EROFS",
];

/** What the store was doing when it failed. */
export type StoreAction = "open" | "read" | "write" | "close";

/**
 * Translates a failure of the database in `directory` into the operational error that says what to do about it.
 *
 * Details: `directory`, `action` and `reason`, the system's own words.
 */
export function storeFailure(action: StoreAction, directory: string, error: unknown): CrawlError {
  if (error instanceof CrawlError) return error;
  const { code, text } = rootOf(error);
  const details = { directory, action, reason: text };
  const options = { cause: error };
  if (code === "LEVEL_LOCKED") {
    const message = `the database in ${directory} is in use by another running peer`;
    return new CrawlError("DATA_DIR_LOCKED", message, details, options);
  }
  if (isNoSpace(code) || noSpace.test(text)) {
    return new CrawlError("DISK_FULL", noSpaceText(directory, `${code} ${text}`), details, options);
  }
  const isDamage = action !== "write" && (missing.test(text) || cutShort.test(text));
  if (code === "LEVEL_CORRUPTION" || isDamage) {
    const message = `the database in ${directory} is damaged (${text}); restore the directory from a copy, or start with an empty one: archived pages are not affected`;
    return new CrawlError("STORE_CORRUPT", message, details, options);
  }
  if (action === "open" && (notUsableCodes.includes(code) || notUsable.test(text))) {
    const message = `the data directory ${directory} cannot be used (${text}); name one that can be written to`;
    return new CrawlError("DATA_DIR_UNUSABLE", message, details, options);
  }
  const message = `the database in ${directory} failed to ${action} (${text})`;
  return new CrawlError("STORE_IO", message, details, options);
}
