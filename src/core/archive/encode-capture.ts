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
 * Encodes an exchange as a `response` record and the `request` record that belongs to it (ISO 28500:2017, section 6.3).
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
  const { encodedBody, headers, truncation } = exchange;
  return encodeExchange(exchange, ids, {
    type: "response",
    fields: "",
    payloadDigest,
    truncation,
    body: encodedBody,
    mime: mimeOf(headers),
  });
}

/** What the two kinds of records for an answer differ in. */
interface AnswerRecord {
  readonly type: "response" | "revisit";
  /** Lines of the head that only this kind has. */
  readonly fields: string;
  readonly payloadDigest: string;
  readonly truncation: string | undefined;
  /** Undefined where the head alone is stored. */
  readonly body: Uint8Array | undefined;
  readonly mime: string;
}

/**
 * The record of an answer, and a `request` record that names it in WARC-Concurrent-To (ISO 28500:2017, section 6.5), with
 * what the index says of the first.
 */
export function encodeExchange(
  exchange: Exchange,
  ids: CaptureIds,
  { type, fields, payloadDigest, truncation, body, mime }: AnswerRecord,
): CaptureRecords {
  const { url, address, fetchedAtMs, status } = exchange;
  const recordId = recordIdOf(ids.responseId);
  const common =
    `WARC-Target-URI: ${fieldValue(url)}\r\n` +
    `WARC-Date: ${warcDate(fetchedAtMs)}\r\n` +
    (address === "" ? "" : `WARC-IP-Address: ${fieldValue(address)}\r\n`);
  const [response, request] = encodeWarcRecords([
    {
      head:
        `WARC-Type: ${type}\r\nWARC-Record-ID: ${recordId}\r\n${common}${fields}` +
        `WARC-Payload-Digest: ${payloadDigest}\r\n` +
        (truncation === undefined ? "" : `WARC-Truncated: ${truncation}\r\n`) +
        "Content-Type: application/http;msgtype=response\r\n",
      blockText: responseHead({ ...exchange, bodyBytes: body?.length }),
      blockBytes: body,
    },
    {
      head:
        `WARC-Type: request\r\nWARC-Record-ID: ${recordIdOf(ids.requestId)}\r\n` +
        `${common}WARC-Concurrent-To: ${recordId}\r\n` +
        "Content-Type: application/http;msgtype=request\r\n",
      blockText: requestHead(exchange.method, url, exchange.requestHeaders),
    },
  ]);
  invariant(response !== undefined && request !== undefined, "two records in, two records out");
  return { response, request, index: { url, fetchedAtMs, status, mime, payloadDigest, recordId } };
}
