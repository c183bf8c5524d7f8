import { describe, expect, test } from "vitest";
import fc from "fast-check";
import type { Exchange } from "../../../src/core/archive/capture.ts";
import { encodeCapture } from "../../../src/core/archive/encode-capture.ts";

const ids = {
  responseId: "00000000-0000-4000-8000-000000000001",
  requestId: "00000000-0000-4000-8000-000000000002",
};
const digest = "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

function exchangeWith(changes: Partial<Exchange> = {}): Exchange {
  return {
    url: "http://example.com/a?b=c",
    address: "192.0.2.1",
    method: "GET",
    status: 200,
    httpVersion: "1.1",
    statusText: "OK",
    headers: ["Content-Type", "text/html; charset=utf-8", "Content-Length", "5"],
    requestHeaders: ["Host", "example.com", "User-Agent", "orbweaver"],
    encodedBody: new TextEncoder().encode("hello"),
    fetchedAtMs: Date.UTC(2026, 2, 1, 12, 30, 0, 250),
    ...changes,
  };
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}

function lines(...of: readonly string[]): string {
  return of.join("\r\n");
}

/** The record taken apart by the standard's own rule: head to the empty line, block of Content-Length, two line ends. */
function takeApart(record: Uint8Array): { head: string[]; block: string; end: string } {
  const text = latin1(record);
  const headEnd = text.indexOf("\r\n\r\n");
  const head = text.slice(0, headEnd).split("\r\n");
  const length = Number(/^Content-Length: (\d+)$/m.exec(text.slice(0, headEnd))?.[1]);
  const blockAt = headEnd + 4;
  return { head, block: text.slice(blockAt, blockAt + length), end: text.slice(blockAt + length) };
}

function httpHeadLines(record: Uint8Array): string[] {
  const { block } = takeApart(record);
  return block.slice(0, block.indexOf("\r\n\r\n")).split("\r\n");
}

describe("encodeCapture", () => {
  test("writes the response as the standard's example does", () => {
    const { response } = encodeCapture(exchangeWith(), ids, digest);
    expect(latin1(response)).toBe(
      lines(
        "WARC/1.1",
        "WARC-Type: response",
        "WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>",
        "WARC-Target-URI: http://example.com/a?b=c",
        "WARC-Date: 2026-03-01T12:30:00.250Z",
        "WARC-IP-Address: 192.0.2.1",
        `WARC-Payload-Digest: ${digest}`,
        "Content-Type: application/http;msgtype=response",
        "Content-Length: 83",
        "",
        "HTTP/1.1 200 OK",
        "Content-Type: text/html; charset=utf-8",
        "Content-Length: 5",
        "",
        "hello",
        "",
        "",
      ),
    );
  });

  test("writes the version of HTTP that the server named", () => {
    const { response } = encodeCapture(exchangeWith({ httpVersion: "1.0" }), ids, digest);
    expect(httpHeadLines(response)[0]).toBe("HTTP/1.0 200 OK");
  });

  test("writes the request with the name of its response", () => {
    const { request } = encodeCapture(exchangeWith(), ids, digest);
    expect(latin1(request)).toBe(
      lines(
        "WARC/1.1",
        "WARC-Type: request",
        "WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000002>",
        "WARC-Target-URI: http://example.com/a?b=c",
        "WARC-Date: 2026-03-01T12:30:00.250Z",
        "WARC-IP-Address: 192.0.2.1",
        "WARC-Concurrent-To: <urn:uuid:00000000-0000-4000-8000-000000000001>",
        "Content-Type: application/http;msgtype=request",
        "Content-Length: 65",
        "",
        "GET /a?b=c HTTP/1.1",
        "Host: example.com",
        "User-Agent: orbweaver",
        "",
        "",
        "",
        "",
      ),
    );
  });

  test.each([
    ["http://example.com", "/"],
    ["http://example.com/", "/"],
    ["https://example.com:8443/x/y?q=/z#f", "/x/y?q=/z"],
    ["http://[2001:db8::1]/p", "/p"],
  ])("asks for %s with the target %s", (url, target) => {
    const { request } = encodeCapture(exchangeWith({ url }), ids, digest);
    expect(httpHeadLines(request)[0]).toBe(`GET ${target} HTTP/1.1`);
  });

  test("keeps a removed transfer coding under another name", () => {
    const headers = ["transfer-encoding", "chunked", "X-Other", "1"];
    const { response } = encodeCapture(exchangeWith({ headers }), ids, digest);
    expect(httpHeadLines(response).slice(1)).toEqual([
      "X-Orig-transfer-encoding: chunked",
      "X-Other: 1",
    ]);
  });

  test("gives a truncated body its own length and says why it is short", () => {
    const headers = ["Content-Length", "1000"];
    const exchange = exchangeWith({ headers, truncation: "disconnect" });
    const { response } = encodeCapture(exchange, ids, digest);
    expect(httpHeadLines(response).slice(1)).toEqual([
      "X-Orig-Content-Length: 1000",
      "Content-Length: 5",
    ]);
    expect(takeApart(response).head).toContain("WARC-Truncated: disconnect");
  });

  test("adds one right length where the server gave several wrong ones", () => {
    const headers = ["Content-Length", "7", "Content-Length", "x"];
    const { response } = encodeCapture(exchangeWith({ headers }), ids, digest);
    expect(httpHeadLines(response).slice(1)).toEqual([
      "X-Orig-Content-Length: 7",
      "X-Orig-Content-Length: x",
      "Content-Length: 5",
    ]);
  });

  test("never leaves the head of a response without a field", () => {
    const { response } = encodeCapture(exchangeWith({ headers: [] }), ids, digest);
    expect(httpHeadLines(response).slice(1)).toEqual(["Content-Length: 5"]);
  });

  test("writes header bytes as they came", () => {
    const exchange = exchangeWith({
      headers: ["X-Name", "caf\u00e9 \u00ff"],
      statusText: "Gr\u00fcn",
    });
    const { response } = encodeCapture(exchange, ids, digest);
    expect(httpHeadLines(response).slice(0, 2)).toEqual([
      "HTTP/1.1 200 Gr\u00fcn",
      "X-Name: caf\u00e9 \u00ff",
    ]);
  });

  test("does not let a header value start a line of its own", () => {
    const evil = "a\r\nSet-Cookie: x\n\nWARC/1.1\0";
    const exchange = exchangeWith({
      headers: ["X-Evil", evil, "X-Split: b\r\n", "c"],
      statusText: evil,
      url: `http://example.com/${evil}`,
      address: evil,
      requestHeaders: [evil, evil],
    });
    const { response, request } = encodeCapture(exchange, ids, digest);
    expect(httpHeadLines(response)).toEqual([
      "HTTP/1.1 200 a  Set-Cookie: x  WARC/1.1 ",
      "X-Evil: a  Set-Cookie: x  WARC/1.1 ",
      "X-Split__b__: c",
    ]);
    expect(takeApart(response).head).toHaveLength(9);
    expect(takeApart(request).head).toHaveLength(9);
    expect(httpHeadLines(request)).toHaveLength(2);
  });

  test("keeps its form whatever a server sends", () => {
    const nasty = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("\r\n", "\r\n\r\n", "a: b\r\nc", "\0", "Transfer-Encoding", "content-length"),
    );
    fc.assert(
      fc.property(
        fc.array(nasty, { maxLength: 8 }),
        nasty,
        fc.uint8Array({ maxLength: 64 }),
        (headers, statusText, body) => {
          const encodedBody = new Uint8Array(body);
          const exchange = exchangeWith({ headers, statusText, encodedBody });
          const { response } = encodeCapture(exchange, ids, digest);
          const { head, block, end } = takeApart(response);
          expect(head).toHaveLength(9);
          expect(end).toBe("\r\n\r\n");
          const httpHeadEnd = block.indexOf("\r\n\r\n");
          const fields = Math.floor(headers.length / 2);
          const added = httpHeadLines(response).length - 1 - fields;
          expect([0, 1]).toContain(added);
          expect(block.slice(httpHeadEnd + 4)).toBe(latin1(encodedBody));
        },
      ),
    );
  });

  test.each([
    ["text/html; charset=utf-8", "text/html"],
    ["TEXT/HTML", "text/html"],
    [" application/xhtml+xml ;q", "application/xhtml+xml"],
    ["text/html, text/html; charset=utf-8", "text/html"],
    ["nonsense", "unk"],
    ["text/html junk", "unk"],
    [`text/${"x".repeat(300)}`, "unk"],
  ])("indexes the content type %j as %s", (value, mime) => {
    const exchange = exchangeWith({ headers: ["content-type", value] });
    expect(encodeCapture(exchange, ids, digest).index).toEqual({
      url: exchange.url,
      fetchedAtMs: exchange.fetchedAtMs,
      status: 200,
      mime,
      payloadDigest: digest,
      recordId: "<urn:uuid:00000000-0000-4000-8000-000000000001>",
    });
  });

  test("indexes a response without a content type as unknown", () => {
    expect(encodeCapture(exchangeWith({ headers: [] }), ids, digest).index.mime).toBe("unk");
  });
});
