import type { Exchange, RevisitTarget } from "./capture.ts";
import { encodeExchange, type CaptureIds, type CaptureRecords } from "./encode-capture.ts";
import { fieldValue, warcDate } from "./warc-record.ts";

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
  { url, fetchedAtMs, reason, payloadDigest }: RevisitTarget,
  ids: CaptureIds,
): CaptureRecords {
  return encodeExchange(exchange, ids, {
    type: "revisit",
    fields:
      `WARC-Profile: http://netpreserve.org/warc/1.1/revisit/${reason}\r\n` +
      `WARC-Refers-To-Target-URI: ${fieldValue(url)}\r\n` +
      `WARC-Refers-To-Date: ${warcDate(fetchedAtMs)}\r\n`,
    payloadDigest,
    truncation: reason === "identical-payload-digest" ? "length" : undefined,
    body: undefined,
    mime: revisitMime,
  });
}
