import { invariant } from "../errors.ts";
import type { Exchange, RevisitTarget } from "./capture.ts";
import type { CaptureIds, CaptureRecords } from "./encode-capture.ts";
import { captureFields, captureRequest } from "./encode-capture.ts";
import { responseHead } from "./http-head.ts";
import { encodeWarcRecords, fieldValue, recordIdOf, warcDate } from "./warc-record.ts";

/** What the field's indexers write in place of a media type. */
export const revisitMime = "warc/revisit";

/**
 * Encodes an exchange whose content `target` holds already: a `revisit` record with the head alone, and the `request`
 * record (ISO 28500:2017, sections 6.7.2 and 6.7.3).
 *
 * An identical payload was left out on purpose, which the standard wants marked as truncated by `length`; an answer
 * that was not modified never had one. The head keeps its Content-Length, since the content that it speaks of is found
 * in the record referred to.
 */
export function encodeRevisit(
  exchange: Exchange,
  target: RevisitTarget,
  ids: CaptureIds,
): CaptureRecords {
  const recordId = recordIdOf(ids.responseId);
  const fields = captureFields(exchange);
  const identical = target.reason === "identical-payload-digest";
  const [response, request] = encodeWarcRecords([
    {
      head:
        `WARC-Type: revisit\r\nWARC-Record-ID: ${recordId}\r\n${fields}` +
        `WARC-Profile: http://netpreserve.org/warc/1.1/revisit/${target.reason}\r\n` +
        `WARC-Refers-To-Target-URI: ${fieldValue(target.url)}\r\n` +
        `WARC-Refers-To-Date: ${warcDate(target.fetchedAtMs)}\r\n` +
        `WARC-Payload-Digest: ${target.payloadDigest}\r\n` +
        (identical ? "WARC-Truncated: length\r\n" : "") +
        "Content-Type: application/http;msgtype=response\r\n",
      blockText: responseHead({ ...exchange, bodyBytes: undefined }),
    },
    captureRequest(exchange, fields, recordId, ids),
  ]);
  invariant(response !== undefined && request !== undefined, "two records in, two records out");
  const { url, fetchedAtMs, status } = exchange;
  const { payloadDigest } = target;
  const index = { url, fetchedAtMs, status, mime: revisitMime, payloadDigest, recordId };
  return { response, request, index };
}
