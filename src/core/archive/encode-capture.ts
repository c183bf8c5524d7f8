import { invariant } from "../errors.ts";
import type { CaptureIndex, Exchange } from "./capture.ts";
import { mimeOf, requestHead, responseHead } from "./http-head.ts";
import { encodeWarcRecords, fieldValue, recordIdOf, warcDate } from "./warc-record.ts";

/** New random UUIDs (36 characters), one for each record. */
export interface CaptureIds {
  readonly responseId: string;
  readonly requestId: string;
}

/** The records of one exchange, not yet compressed. Both arrays are views of one buffer. */
export interface CaptureRecords {
  readonly response: Uint8Array<ArrayBuffer>;
  readonly request: Uint8Array<ArrayBuffer>;
  readonly index: CaptureIndex;
}

/**
 * Encodes an exchange as a `response` record and a `request` record that names it in WARC-Concurrent-To
 * (ISO 28500:2017, sections 6.3 and 6.5).
 *
 * The block of the response is its head and its body as received: the content coding stays, as replay tools expect.
 * `payloadDigest` is the digest of that body, see {@link payloadDigestText}. There is no WARC-Block-Digest: it would
 * hash every body a second time.
 */
export function encodeCapture(
  exchange: Exchange,
  ids: CaptureIds,
  payloadDigest: string,
): CaptureRecords {
  invariant(ids.responseId.length === 36 && ids.requestId.length === 36, "ids are bare UUIDs");
  const recordId = recordIdOf(ids.responseId);
  const date = warcDate(exchange.fetchedAtMs);
  const [response, request] = encodeWarcRecords([
    {
      head:
        `WARC-Type: response\r\nWARC-Record-ID: ${recordId}\r\n${commonFields(exchange, date)}` +
        `WARC-Payload-Digest: ${payloadDigest}\r\n${truncatedField(exchange)}` +
        "Content-Type: application/http;msgtype=response\r\n",
      blockText: responseHead({ ...exchange, bodyBytes: exchange.encodedBody.length }),
      blockBytes: exchange.encodedBody,
    },
    {
      head:
        `WARC-Type: request\r\nWARC-Record-ID: ${recordIdOf(ids.requestId)}\r\n` +
        `${commonFields(exchange, date)}WARC-Concurrent-To: ${recordId}\r\n` +
        "Content-Type: application/http;msgtype=request\r\n",
      blockText: requestHead(exchange.method, exchange.url, exchange.requestHeaders),
    },
  ]);
  invariant(response !== undefined && request !== undefined, "two records in, two records out");
  return { response, request, index: captureIndex(exchange, recordId, payloadDigest) };
}

function commonFields(exchange: Exchange, date: string): string {
  return (
    `WARC-Target-URI: ${fieldValue(exchange.url)}\r\nWARC-Date: ${date}\r\n` +
    (exchange.address === "" ? "" : `WARC-IP-Address: ${fieldValue(exchange.address)}\r\n`)
  );
}

function truncatedField(exchange: Exchange): string {
  return exchange.truncation === undefined ? "" : `WARC-Truncated: ${exchange.truncation}\r\n`;
}

function captureIndex(exchange: Exchange, recordId: string, payloadDigest: string): CaptureIndex {
  return {
    url: exchange.url,
    fetchedAtMs: exchange.fetchedAtMs,
    status: exchange.status,
    mime: mimeOf(exchange.headers),
    payloadDigest,
    recordId,
  };
}
