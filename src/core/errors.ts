/**
 * Codes of operational failures. Each has a heading in the README; a code is never renamed.
 */
export type CrawlErrorCode =
  | "API_UNREACHABLE"
  | "ARCHIVE_CORRUPT"
  | "ARCHIVE_IO"
  | "CHILD_FAILED"
  | "CONFIG_INVALID"
  | "DATA_DIR_LOCKED"
  | "DATA_DIR_UNUSABLE"
  | "DISK_FULL"
  | "JOB_CANCELLED"
  | "JOB_UNKNOWN"
  | "LISTEN_FAILED"
  | "MEMBER_UNREACHABLE"
  | "NOT_ARCHIVED"
  | "PARSER_CRASHED"
  | "PEER_STOPPED"
  | "STORE_CORRUPT"
  | "STORE_IO"
  | "STORE_VERSION"
  | "SUPERSEDED"
  | "SWARM_BUSY";

/** Facts of a failure, flat, so that a log line can carry them. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean>>;

/**
 * An operational failure: the world did not do what was asked. Caught only at the boundary of a loop or a command.
 *
 * Expected outcomes (a 404, a time-out) are values, never errors; a bug is an {@link InvariantError}.
 */
export class CrawlError extends Error {
  override readonly name = "CrawlError";
  readonly code: CrawlErrorCode;
  readonly details: ErrorDetails;

  constructor(
    code: CrawlErrorCode,
    message: string,
    details: ErrorDetails = {},
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
    this.code = code;
    this.details = details;
  }
}

/** Whether a system's code says that there is no room: on the disk, for the user, or in one file. */
export function isNoSpace(code: unknown): boolean {
  return code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG";
}

/** By which names the system's limit on the length of files is set. */
export const fileLimitNames = "ulimit -f, LimitFSIZE=";

const fileTooLong = /\bEFBIG\b|file too large/iu;

/** Whether the system's code or words say that a file is as long as the process, or its file system, lets it become. */
export function isFileTooLong(reason: string): boolean {
  return fileTooLong.test(reason);
}

/** That there is no room in `path`, which may be a directory, and what to do; `reason` is the system's code or words. */
export function noSpaceText(path: string, reason: string): string {
  const problem = isFileTooLong(reason)
    ? `the limit on the length of a file is reached in ${path}; raise it (${fileLimitNames})`
    : `the disk that holds ${path} is full; make room`;
  return `${problem} and start again, it goes on where it stopped`;
}

/** The code that the system or Node.js gave an error, for instance `ENOENT`; nothing where it has none. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error && "code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** What was thrown, as one text: usually an error, though anything can be thrown. */
export function errorText(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** A bug in this program. Never caught: the process stops before it can do harm. */
export class InvariantError extends Error {
  override readonly name = "InvariantError";
}

/** Stops the process when `condition` does not hold. */
export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}
