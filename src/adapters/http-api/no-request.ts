import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { failure } from "./api-error.ts";

/** A status line's text, and what is said, for what comes before there is a request that could be answered as others are. */
const unreadable = {
  400: ["Bad Request", "this is not an HTTP request that can be read"],
  408: ["Request Timeout", "the request did not come to its end in time"],
  431: [
    "Request Header Fields Too Large",
    "the request's URL and header fields are longer together than this API reads",
  ],
} as const;

/** Answers a client whose bytes are no HTTP request, in the words of every other mistake, and closes its connection. */
export function answerNoRequest(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code !== "ECONNRESET" && socket.writable) {
    const status = statusOf(error.code);
    const [reason, message] = unreadable[status];
    const body = JSON.stringify(failure("BAD_REQUEST", message).body);
    socket.write(
      `HTTP/1.1 ${status} ${reason}\r\ncontent-type: application/json; charset=utf-8\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    );
  }
  socket.destroy();
}

/** Answers a request that expects what no server gives: all but `100-continue` (RFC 9110, section 10.1.1). */
export function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const problem = "of the Expect header only 100-continue is met";
  const body = JSON.stringify(failure("BAD_REQUEST", problem).body);
  const headers = {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    connection: "close",
  };
  response.writeHead(417, headers).end(body);
}

/** Codes of Node's HTTP server. */
function statusOf(code: string | undefined): keyof typeof unreadable {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return 408;
  return code === "HPE_HEADER_OVERFLOW" ? 431 : 400;
}
