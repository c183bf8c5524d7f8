import { describe, expect, test } from "vitest";
import { encodeRevisit } from "../../../src/core/archive/encode-revisit.ts";
import { encodeWarcinfo } from "../../../src/core/archive/encode-warcinfo.ts";
import { sampleExchange } from "../../support/sample-captures.ts";

const ids = {
  responseId: "00000000-0000-4000-8000-000000000001",
  requestId: "00000000-0000-4000-8000-000000000002",
};
const digest = "sha1:FKXGYNOJJ7H3IFO35FPUBC445EPOQRXN";

function lines(...of: readonly string[]): string {
  return of.join("\r\n");
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

describe("encodeRevisit", () => {
  const target = {
    url: "http://example.com/first",
    fetchedAtMs: Date.UTC(2026, 1, 1, 0, 0, 0, 7),
    payloadDigest: digest,
  };

  test("writes an identical payload as a head that refers to the first capture", () => {
    const headers = ["Transfer-Encoding", "chunked", "Content-Length", "11"];
    const exchange = sampleExchange("/again", "hello world", { headers });
    const reason = "identical-payload-digest";
    const { response } = encodeRevisit(exchange, { ...target, reason }, ids);
    expect(textOf(response)).toBe(
      lines(
        "WARC/1.1",
        "WARC-Type: revisit",
        "WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>",
        "WARC-Target-URI: http://example.com/again",
        "WARC-Date: 2026-03-01T12:30:00.250Z",
        "WARC-IP-Address: 192.0.2.1",
        "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
        "WARC-Refers-To-Target-URI: http://example.com/first",
        "WARC-Refers-To-Date: 2026-02-01T00:00:00.007Z",
        `WARC-Payload-Digest: ${digest}`,
        "WARC-Truncated: length",
        "Content-Type: application/http;msgtype=response",
        "Content-Length: 74",
        "",
        "HTTP/1.1 200 OK",
        "X-Orig-Transfer-Encoding: chunked",
        "Content-Length: 11",
        "",
        "",
        "",
        "",
      ),
    );
  });

  test("writes an answer that was not modified without calling it truncated", () => {
    const exchange = sampleExchange("/again", "", { status: 304, statusText: "Not Modified" });
    const reason = "server-not-modified";
    const { response, request } = encodeRevisit(exchange, { ...target, reason }, ids);
    expect(textOf(response)).toContain("/warc/1.1/revisit/server-not-modified\r\n");
    expect(textOf(response)).toContain("\r\nHTTP/1.1 304 Not Modified\r\n");
    expect(textOf(response)).not.toContain("WARC-Truncated");
    expect(textOf(request)).toContain(
      "WARC-Concurrent-To: <urn:uuid:00000000-0000-4000-8000-000000000001>\r\n",
    );
  });

  test("indexes the new capture under the digest of the first", () => {
    const exchange = sampleExchange("/again", "hello world");
    const reason = "identical-payload-digest";
    expect(encodeRevisit(exchange, { ...target, reason }, ids).index).toEqual({
      url: exchange.url,
      fetchedAtMs: exchange.fetchedAtMs,
      status: 200,
      mime: "warc/revisit",
      payloadDigest: digest,
      recordId: "<urn:uuid:00000000-0000-4000-8000-000000000001>",
    });
  });
});

describe("encodeWarcinfo", () => {
  test("says who crawls, with what and how", () => {
    const facts = { software: "orbweaver/1.2.3", userAgent: "bot", operator: "Jos\u00e9\r\nx: y" };
    const file = "orbweaver-20260301123000-peer-00001.warc.gz";
    const at = Date.UTC(2026, 2, 1);
    expect(textOf(encodeWarcinfo(facts, file, ids.responseId, at))).toBe(
      lines(
        "WARC/1.1",
        "WARC-Type: warcinfo",
        "WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>",
        "WARC-Date: 2026-03-01T00:00:00.000Z",
        `WARC-Filename: ${file}`,
        "Content-Type: application/warc-fields",
        "Content-Length: 217",
        "",
        "software: orbweaver/1.2.3",
        "format: WARC File Format 1.1",
        "conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
        "robots: obeyed",
        "http-header-user-agent: bot",
        "operator: Jos\u00e9  x: y",
        "",
        "",
        "",
      ),
    );
  });

  test("refuses an id that is no bare UUID", () => {
    const facts = { software: "s", userAgent: "u", operator: "o" };
    expect(() => encodeWarcinfo(facts, "f", `<urn:uuid:${ids.requestId}>`, 0)).toThrow("bare UUID");
  });
});
