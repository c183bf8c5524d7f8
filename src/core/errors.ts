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
