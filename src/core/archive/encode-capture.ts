import { invariant } from "../errors.ts";
import type { CaptureIndex, Exchange } from "./capture.ts";
import { mimeOf, requestHead, responseHead } from "./http-head.ts";
import type { WarcRecord } from "./warc-record.ts";
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
  const recordId = recordIdOf(ids.responseId);
  const fields = captureFields(exchange);
  const [response, request] = encodeWarcRecords([
    {
      head:
        `WARC-Type: response\r\nWARC-Record-ID: ${recordId}\r\n${fields}` +
        `WARC-Payload-Digest: ${payloadDigest}\r\n` +
        (exchange.truncation === undefined ? "" : `WARC-Truncated: ${exchange.truncation}\r\n`) +
        "Content-Type: application/http;msgtype=response\r\n",
      blockText: responseHead({ ...exchange, bodyBytes: exchange.encodedBody.length }),
      blockBytes: exchange.encodedBody,
    },
    captureRequest(exchange, fields, recordId, ids),
  ]);
  invariant(response !== undefined && request !== undefined, "two records in, two records out");
  const { url, fetchedAtMs, status } = exchange;
  const mime = mimeOf(exchange.headers);
  return { response, request, index: { url, fetchedAtMs, status, mime, payloadDigest, recordId } };
}

/** The fields that all records of an exchange share. */
export function captureFields(exchange: Exchange): string {
  return (
    `WARC-Target-URI: ${fieldValue(exchange.url)}\r\n` +
    `WARC-Date: ${warcDate(exchange.fetchedAtMs)}\r\n` +
    (exchange.address === "" ? "" : `WARC-IP-Address: ${fieldValue(exchange.address)}\r\n`)
  );
}

/** The `request` record that belongs to the response or revisit record `recordId`, with the same `fields`. */
export function captureRequest(
  exchange: Exchange,
  fields: string,
  recordId: string,
  ids: CaptureIds,
): WarcRecord {
  return {
    head:
      `WARC-Type: request\r\nWARC-Record-ID: ${recordIdOf(ids.requestId)}\r\n` +
      `${fields}WARC-Concurrent-To: ${recordId}\r\n` +
      "Content-Type: application/http;msgtype=request\r\n",
    blockText: requestHead(exchange.method, exchange.url, exchange.requestHeaders),
  };
}
