import { errorCode } from "../../core/errors.ts";
import type { FetchFailure } from "../../core/politeness/retry-table.ts";
import type { Truncation } from "../../ports/fetcher.ts";

/** Where an exchange was when it failed; the same error means different things in different places. */
export type FailurePhase = "connect" | "head" | "body";

/** Code of the error with which the connector refuses an address. */
export const addressForbiddenCode = "ERR_ADDRESS_FORBIDDEN";

/**
 * What each error code of the system (`E...`), of undici (`UND_ERR_...`) and of OpenSSL's look at a certificate means.
 *
 * A code that is missing here is judged by {@link failureOf}.
 */
const failureByCode: ReadonlyMap<string, FetchFailure> = new Map([
  [addressForbiddenCode, "address-forbidden"],
  ["CERT_HAS_EXPIRED", "certificate-expired"],
  ["CERT_NOT_YET_VALID", "certificate-expired"],
  ["CERT_REVOKED", "certificate-untrusted"],
  ["CERT_UNTRUSTED", "certificate-untrusted"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "certificate-untrusted"],
  ["EACCES", "connect-unreachable"],
  ["EADDRNOTAVAIL", "connect-unreachable"],
  ["EAFNOSUPPORT", "connect-unreachable"],
  ["ECONNABORTED", "connection-reset"],
  ["ECONNREFUSED", "connect-refused"],
  ["ECONNRESET", "connection-reset"],
  ["EHOSTDOWN", "connect-unreachable"],
  ["EHOSTUNREACH", "connect-unreachable"],
  ["EINVAL", "connect-unreachable"],
  // Out of descriptors or buffers: this peer's own trouble, but worth another try as an unreachable host is.
  ["EMFILE", "connect-unreachable"],
  ["ENFILE", "connect-unreachable"],
  ["ENOBUFS", "connect-unreachable"],
  ["ENETDOWN", "connect-unreachable"],
  ["ENETUNREACH", "connect-unreachable"],
  ["EPERM", "connect-unreachable"],
  ["EPIPE", "connection-reset"],
  ["EPROTO", "tls-error"],
  // undici asserts of some responses what only those that keep to the protocol fulfil.
  ["ERR_ASSERTION", "bad-framing"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "certificate-name"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "certificate-untrusted"],
  ["UNABLE_TO_GET_ISSUER_CERT", "certificate-untrusted"],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "certificate-untrusted"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "certificate-untrusted"],
  ["UND_ERR_DESTROYED", "aborted"],
  ["UND_ERR_CLOSED", "aborted"],
  ["UND_ERR_HEADERS_OVERFLOW", "head-too-large"],
  ["UND_ERR_SOCKET", "connection-reset"],
] as const);

/** Codes by which a connection that had been idle shows that the server closed it. */
const staleCodes: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

/** What undici says in an `UND_ERR_SOCKET` about a response that breaks the protocol, not about a broken socket. */
const protocolMessages: ReadonlySet<string> = new Set(["bad response", "bad upgrade"]);

/** undici's error for what llhttp refuses; it carries no code, only llhttp's reason in its message. */
const parserErrorName = "HTTPParserError";

/** llhttp's reason when the connection ends inside a message whose end would have been marked. */
const endOfInput = "Invalid EOF state";

/** Whether a request on a reused connection failed as it does when that connection was dead already. */
export function isStaleConnection(error: Error): boolean {
  return staleCodes.has(errorCode(error) ?? "") && !protocolMessages.has(error.message);
}

/**
 * The failure that `error` stands for.
 *
 * A body that ends before its `Content-Length` is `content-length-mismatch`, one that ends inside its chunks
 * `connection-reset`: both are failures that are tried again, and no shortened successes while there are tries left,
 * because the server itself said that there is more.
 */
export function failureOf(
  error: Error,
  phase: FailurePhase,
  secure: boolean,
  countedBody: boolean,
): FetchFailure {
  const code = errorCode(error) ?? "";
  if (code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH") {
    // undici also gives this code to a head that llhttp refuses after a Content-Length field.
    return phase === "body" ? "content-length-mismatch" : "bad-framing";
  }
  if (code === "ETIMEDOUT") return phase === "connect" ? "connect-timeout" : "connection-reset";
  if (protocolMessages.has(error.message)) return "bad-framing";
  if (error.name === parserErrorName && !error.message.includes(endOfInput)) return "bad-framing";
  const known = failureByCode.get(code);
  if (known === "connection-reset" && phase === "body" && countedBody) {
    return "content-length-mismatch";
  }
  if (known !== undefined) return known;
  if (code.startsWith("ERR_SSL_") || code.startsWith("ERR_TLS_")) return "tls-error";
  if (phase !== "connect") return "connection-reset";
  // OpenSSL finds more faults in certificates, and their names have no common prefix.
  return secure ? "tls-error" : "connect-unreachable";
}

/** Failures of a body that was well as far as it came, and how one is marked of which that is taken. */
const breakOffs: ReadonlyMap<FetchFailure, Truncation> = new Map([
  ["connection-reset", "disconnect"],
  ["content-length-mismatch", "disconnect"],
  ["idle-timeout", "time"],
] as const);

/**
 * How a body is marked of which what came before this failure is taken; nothing where that is of no use. A head that says
 * all there is to say is of use without any body, and however that fails.
 */
export function truncationOf(
  failure: FetchFailure,
  { bytes, saysAll }: { readonly bytes: number; readonly saysAll: boolean },
): Truncation | undefined {
  if (saysAll) return breakOffs.get(failure) ?? "disconnect";
  return bytes > 0 ? breakOffs.get(failure) : undefined;
}
