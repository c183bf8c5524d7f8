import { CrawlError, type CrawlErrorCode } from "../../core/errors.ts";
import { storedDamage } from "../../core/protobuf/malformed-message.ts";

/** Mistakes in a request that are the API's own to find. */
export type RequestErrorCode =
  "BAD_REQUEST" | "FORBIDDEN" | "METHOD_NOT_ALLOWED" | "NOT_FOUND" | "TOO_LARGE";

export type ApiErrorCode = CrawlErrorCode | RequestErrorCode | "INTERNAL";

/** What a failed request is answered with, as JSON. */
export interface ApiErrorBody {
  readonly error: { readonly code: ApiErrorCode; readonly message: string };
}

/** A request that cannot be served as it stands. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly code: RequestErrorCode;

  constructor(code: RequestErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** A body in a form that is not taken: answered as where the HTTP framework finds so. */
export class BodyFormError extends Error {
  override readonly name = "BodyFormError";
  readonly statusCode = 415;
}

/** HTTP status of every code: the asker's mistakes are 4xx, the peer's troubles 5xx. */
const statusOf: Readonly<Record<ApiErrorCode, number>> = {
  BAD_REQUEST: 400,
  CONFIG_INVALID: 400,
  FORBIDDEN: 403,
  JOB_CANCELLED: 409,
  JOB_UNKNOWN: 404,
  METHOD_NOT_ALLOWED: 405,
  NOT_ARCHIVED: 404,
  NOT_FOUND: 404,
  TOO_LARGE: 413,
  API_UNREACHABLE: 500,
  CHILD_FAILED: 500,
  ARCHIVE_CORRUPT: 500,
  ARCHIVE_IO: 500,
  DATA_DIR_LOCKED: 500,
  DATA_DIR_UNUSABLE: 500,
  INTERNAL: 500,
  LISTEN_FAILED: 500,
  PARSER_CRASHED: 500,
  STORE_CORRUPT: 500,
  STORE_IO: 500,
  STORE_VERSION: 500,
  SUPERSEDED: 500,
  MEMBER_UNREACHABLE: 503,
  PEER_STOPPED: 503,
  SWARM_BUSY: 503,
  DISK_FULL: 507,
};

/** The answer to a request that failed with `error`. */
export interface ApiFailure {
  readonly status: number;
  readonly body: ApiErrorBody;
}

/** Builds the answer for a code. */
export function failure(code: ApiErrorCode, message: string): ApiFailure {
  return { status: statusOf[code], body: { error: { code, message } } };
}

/**
 * Tells the asker's mistakes from the peer's troubles. What is neither is not explained to the asker: it is logged
 * by the caller.
 */
export function failureOf(thrown: unknown): ApiFailure {
  const error = storedDamage(thrown);
  if (error instanceof CrawlError || error instanceof RequestError) {
    return failure(error.code, error.message);
  }
  const status = frameworkStatus(error);
  if (error instanceof Error && status !== undefined) {
    return status === 413
      ? failure("TOO_LARGE", "the request's body is larger than this API takes")
      : { status, body: failure("BAD_REQUEST", status === 415 ? typesTaken : error.message).body };
  }
  return failure("INTERNAL", "the peer failed to serve this request; its log says why");
}

const typesTaken =
  "the body's content type or coding is not taken: send application/json, or the lines of an injection as text/plain or application/x-ndjson, in UTF-8 and not compressed";

/** The 4xx status that the HTTP framework gave its own error. */
function frameworkStatus(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null || !("statusCode" in error)) return undefined;
  const { statusCode } = error;
  return typeof statusCode === "number" && statusCode >= 400 && statusCode < 500
    ? statusCode
    : undefined;
}
