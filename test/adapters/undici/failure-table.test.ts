import { expect, it } from "vitest";
import {
  failureOf,
  isStaleConnection,
  truncationOf,
} from "../../../src/adapters/undici/failure-table.ts";
import type { FailurePhase } from "../../../src/adapters/undici/failure-table.ts";
import type { FetchFailure } from "../../../src/core/politeness/retry-table.ts";

function errorOf(code: string, message = ""): Error {
  return Object.assign(new Error(message), { code });
}

it.each<[string, FailurePhase, boolean, FetchFailure]>([
  ["ETIMEDOUT", "connect", false, "connect-timeout"],
  ["ETIMEDOUT", "body", true, "connection-reset"],
  ["ECONNRESET", "head", true, "connection-reset"],
  ["ECONNRESET", "body", false, "connection-reset"],
  ["ECONNRESET", "body", true, "content-length-mismatch"],
  ["ECONNREFUSED", "connect", false, "connect-refused"],
  ["ERR_SSL_SOME_ALERT", "head", false, "tls-error"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "connect", false, "certificate-name"],
  ["ERR_TLS_HANDSHAKE_TIMEOUT", "head", false, "tls-error"],
  ["CERT_HAS_EXPIRED", "connect", false, "certificate-expired"],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "connect", false, "certificate-untrusted"],
  ["UND_ERR_RES_CONTENT_LENGTH_MISMATCH", "body", true, "content-length-mismatch"],
  ["UND_ERR_RES_CONTENT_LENGTH_MISMATCH", "head", true, "bad-framing"],
  ["EUNHEARDOF", "connect", false, "connect-unreachable"],
  ["EUNHEARDOF", "body", false, "connection-reset"],
])("takes %s in the phase %s, with a length: %s, for %s", (code, phase, counted, failure) => {
  expect(failureOf(errorOf(code), phase, false, counted)).toBe(failure);
});

it("takes what has no known name for a certificate's fault where the connection is encrypted", () => {
  expect(failureOf(errorOf("PATH_LENGTH_EXCEEDED"), "connect", true, false)).toBe("tls-error");
});

it.each([
  ["UND_ERR_SOCKET", "other side closed", true],
  ["UND_ERR_SOCKET", "bad response", false],
  ["ECONNREFUSED", "", false],
])(
  "tells a connection that was dead from a response that is wrong: %s %s",
  (code, message, stale) => {
    expect(isStaleConnection(errorOf(code, message))).toBe(stale);
  },
);

it.each<[FetchFailure, number, boolean, string | undefined]>([
  ["connection-reset", 5, false, "disconnect"],
  ["idle-timeout", 5, false, "time"],
  ["idle-timeout", 0, false, undefined],
  ["bad-encoding", 5, false, undefined],
  ["bad-encoding", 0, true, "disconnect"],
  ["idle-timeout", 0, true, "time"],
])("marks what came before %s, %i bytes, of a head that says all: %s, as %s", (...row) => {
  const [failure, bytes, saysAll, mark] = row;
  expect(truncationOf(failure, { bytes, saysAll })).toBe(mark);
});
