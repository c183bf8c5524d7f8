import { createHash, randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { Exchange, RevisitTarget } from "../../src/core/archive/capture.ts";
import { encodeCapture } from "../../src/core/archive/encode-capture.ts";
import type { CaptureIds, CaptureRecords } from "../../src/core/archive/encode-capture.ts";
import { encodeRevisit } from "../../src/core/archive/encode-revisit.ts";
import { payloadDigestText } from "../../src/core/archive/payload-digest.ts";
import type { ArchivedResponse, EncodedCapture } from "../../src/ports/archive.ts";

/** A response without a body, as an archive gives it back. */
export const sampleResponse: ArchivedResponse = {
  url: "http://site.example/",
  status: 200,
  statusLine: "HTTP/1.1 200 OK",
  fetchedAtMs: 0,
  headers: [],
  body: new Uint8Array(0),
  truncated: false,
};

/** A page as a server might have sent it. */
export function sampleExchange(
  path: string,
  body: string,
  changes: Partial<Exchange> = {},
): Exchange {
  const encodedBody = new TextEncoder().encode(body);
  return {
    url: `http://example.com${path}`,
    address: "192.0.2.1",
    method: "GET",
    status: 200,
    httpVersion: "1.1",
    statusText: "OK",
    headers: ["Content-Type", "text/html", "Content-Length", String(encodedBody.length)],
    requestHeaders: ["Host", "example.com"],
    encodedBody,
    fetchedAtMs: Date.UTC(2026, 2, 1, 12, 30, 0, 250),
    ...changes,
  };
}

export function digestOf(body: Uint8Array): string {
  return payloadDigestText(createHash("sha1").update(body).digest());
}

/** What a page parser hands to the archive. */
export function sampleCapture(exchange: Exchange): EncodedCapture {
  return compressed(encodeCapture(exchange, newIds(), digestOf(exchange.encodedBody)));
}

/** The same for content that `target` holds already. */
export function sampleRevisit(exchange: Exchange, target: RevisitTarget): EncodedCapture {
  return compressed(encodeRevisit(exchange, target, newIds()));
}

function newIds(): CaptureIds {
  return { responseId: randomUUID(), requestId: randomUUID() };
}

function compressed({ response, request, index }: CaptureRecords): EncodedCapture {
  const first = gzipSync(response);
  const bytes = new Uint8Array(Buffer.concat([first, gzipSync(request)]));
  return { bytes, responseLength: first.length, index };
}
