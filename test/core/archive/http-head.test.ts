import { describe, expect, test } from "vitest";
import fc from "fast-check";
import {
  contentCodings,
  parseResponseHead,
  responseHead,
} from "../../../src/core/archive/http-head.ts";

function bytesOf(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, "latin1"));
}

describe("parseResponseHead", () => {
  test("keeps every field on its own, in order and with its bytes", () => {
    const text = "HTTP/1.1 200 OK\r\nB: 1\r\nA: \u00ff\r\nb:2:3\r\n\r\nbody";
    expect(parseResponseHead(bytesOf(text))).toEqual({
      status: 200,
      statusLine: "HTTP/1.1 200 OK",
      headers: ["B", "1", "A", "\u00ff", "b", "2:3"],
      bodyAt: text.length - 4,
    });
  });

  test("takes the blanks around a value away, and no byte of a letter", () => {
    const value = Buffer.from("voilà").toString("latin1");
    const text = `HTTP/1.1 200 OK\r\nA: \t ${value}\r\nB: ${value} \t\r\nC:\r\nD: \t\r\n\r\n`;
    const { headers } = parseResponseHead(bytesOf(text)) ?? {};
    expect(headers).toEqual(["A", value, "B", value, "C", "", "D", ""]);
  });

  test("reads line feeds alone and a head without fields", () => {
    expect(parseResponseHead(bytesOf("HTTP/1.0 404\nA: b\n\n"))).toEqual({
      status: 404,
      statusLine: "HTTP/1.0 404",
      headers: ["A", "b"],
      bodyAt: 19,
    });
    expect(parseResponseHead(bytesOf("HTTP/1.1 204 \r\n\r\n"))?.headers).toEqual([]);
  });

  test.each(["", "HTTP/1.1 200 OK", "HTTP/1.1 200 OK\r\nA: b\r\n", "GET / HTTP/1.1\r\n\r\n"])(
    "refuses %j",
    (text) => {
      expect(parseResponseHead(bytesOf(text))).toBeUndefined();
    },
  );

  test("reads back whatever responseHead writes", () => {
    const token = fc.stringMatching(/^[a-z]{1,9}$/).map((name) => `X-${name}`);
    const value = fc.stringMatching(/^[!-\u00ff]{0,20}$/);
    const fields = fc.array(fc.tuple(token, value), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 999 }), fields, (status, pairs) => {
        const headers = pairs.flat();
        const line = { status, httpVersion: "1.0", statusText: "any" };
        const text = responseHead({ ...line, headers, bodyBytes: 0 });
        expect(parseResponseHead(bytesOf(text))).toEqual({
          status,
          statusLine: `HTTP/1.0 ${status} any`,
          headers,
          bodyAt: text.length,
        });
      }),
    );
  });
});

describe("contentCodings", () => {
  test.each([
    [["Content-Encoding", "gzip"], ["gzip"]],
    [
      ["content-encoding", "BR , gzip"],
      ["br", "gzip"],
    ],
    [
      ["Content-Encoding", "br", "CONTENT-ENCODING", "gzip"],
      ["br", "gzip"],
    ],
    [["Content-Encoding", "identity"], []],
    [["Content-Encoding", ""], []],
    [["Content-Type", "gzip"], []],
    [["Content-Encoding", "gzip,gzip,gzip,gzip,gzip,gzip"], []],
  ])("finds in %j the codings %j", (headers, codings) => {
    expect(contentCodings(headers)).toEqual(codings);
  });
});
