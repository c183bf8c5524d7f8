import { describe, expect, it } from "vitest";
import { contentHeaders } from "../../../src/adapters/http-api/content-headers.ts";

function headersOf(...headers: string[]): Record<string, string> {
  return headersAt("http://a.example/", headers);
}

function headersAt(url: string, headers: readonly string[] = []): Record<string, string> {
  return contentHeaders({
    url,
    status: 203,
    statusLine: "HTTP/1.1 203 As Told",
    fetchedAtMs: Date.UTC(2026, 0, 2),
    headers,
    body: new Uint8Array(0),
    truncated: true,
  });
}

describe("contentHeaders", () => {
  it("tells of the capture and hands the server's fields on under another name", () => {
    expect(headersOf("Content-Type", "text/html; charset=x", "Set-Cookie", "a=1")).toEqual({
      "content-type": "text/html; charset=x",
      "content-security-policy": "sandbox",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
      "x-archive-url": "http://a.example/",
      "x-archive-status": "203",
      "x-archive-fetched-at": "2026-01-02T00:00:00.000Z",
      "x-archive-truncated": "true",
      "x-archive-orig-content-type": "text/html; charset=x",
      "x-archive-orig-set-cookie": "a=1",
    });
  });

  it.each([
    ["http://a.example/a%20b?q=%E9|^", "http://a.example/a%20b?q=%E9|^"],
    ["http://[::1]/", "http://[::1]/"],
    ["http://a.example/\u00e9\r\nx: y\ud800", "http://a.example/%C3%A9%0D%0Ax:%20y%EF%BF%BD"],
  ])("names the URL as it was fetched: %j", (url, named) => {
    expect(headersAt(url)["x-archive-url"]).toBe(named);
  });

  it.each(["", "html", "text/html\r\nset-cookie: x=1", "text/\u4e2d", "x".repeat(300)])(
    "calls a body with the malformed type %j plain bytes",
    (type) => {
      expect(headersOf("Content-Type", type)["content-type"]).toBe("application/octet-stream");
    },
  );

  it("cannot be made to drop its own protection", () => {
    const headers = headersOf(
      "Content-Security-Policy",
      "default-src *",
      "X-Content-Type-Options",
      "sniff",
      "Transfer-Encoding",
      "chunked",
      "Content-Length",
      "1",
    );
    expect(headers["content-security-policy"]).toBe("sandbox");
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["transfer-encoding"]).toBeUndefined();
    expect(headers["content-length"]).toBeUndefined();
  });

  it("drops fields that are malformed and joins those that come twice", () => {
    const headers = headersOf("a b", "1", "", "2", "C", "x\0y", "D", "1", "d", "2", "E");
    expect(Object.keys(headers).filter((name) => name.startsWith("x-archive-orig-"))).toEqual([
      "x-archive-orig-d",
    ]);
    expect(headers["x-archive-orig-d"]).toBe("1, 2");
  });

  it("hands on a hundred fields at most, and a type that has a usual length", () => {
    const sent = Array.from({ length: 101 }, (_, at) => [`h${at}`, ""]).flat();
    const names = Object.keys(headersOf(...sent));
    expect(names.filter((name) => name.startsWith("x-archive-orig-"))).toHaveLength(100);
    const type = "text/html;".padEnd(256, "x");
    expect(headersOf("Content-Type", type)["content-type"]).toBe(type);
    expect(headersOf("Content-Type", `${type}x`)["content-type"]).toBe("application/octet-stream");
  });

  it("stays below what a client takes, whatever a server sent", () => {
    const many = Array.from({ length: 4_000 }, (_, i) => `h${i}`);
    const long = ["long", "x".repeat(30_000)];
    const longNames = Array.from({ length: 99 }, (_, i) => [`${"n".repeat(300)}${i}`, ""]).flat();
    for (const sent of [many, long, longNames]) {
      expect(JSON.stringify(headersOf(...sent)).length).toBeLessThan(12_000);
    }
    expect(headersAt(`http://a.example/${"\u00e9".repeat(9_000)}`)["x-archive-url"]).toHaveLength(
      8_192,
    );
    expect(headersOf(...many)["x-archive-orig-h0"]).toBe("h1");
  });
});
