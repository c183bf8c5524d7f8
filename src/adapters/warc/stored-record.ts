import type { CaptureIndex } from "../../core/archive/capture.ts";
import { revisitMime } from "../../core/archive/encode-revisit.ts";
import { contentCodings, mimeOf, parseResponseHead } from "../../core/archive/http-head.ts";
import type { ArchivedResponse } from "../../ports/archive.ts";
import { defaultFetchLimits } from "../../ports/fetcher.ts";
import type { WarcArchiveOptions } from "./archive-options.ts";
import { removeContentCodings } from "./content-coding.ts";

type BodyBound = "bodyBytesMax" | "unsureBytesMax";

/** A response or revisit record as it stands in a file. */
export interface StoredRecord {
  readonly type: "response" | "revisit";
  readonly index: CaptureIndex;
  readonly statusLine: string;
  readonly headers: readonly string[];
  /** Body as received; empty in a revisit. */
  readonly encodedBody: Uint8Array<ArrayBuffer>;
  readonly truncated: boolean;
}

/**
 * Takes an uncompressed record apart; undefined when it is no response or revisit record, or broken.
 *
 * The record is read by `warcio`, another implementation than the one that writes it. The HTTP head inside is not:
 * field values are bytes, in order and one by one, and `warcio` takes them for UTF-8 and joins fields of one name.
 */
export async function parseStoredRecord(
  bytes: Uint8Array<ArrayBuffer>,
): Promise<StoredRecord | undefined> {
  // Loaded by the first read: most crawls make none.
  const { WARCParser } = await import("warcio");
  const record = await WARCParser.parse([bytes], { parseHttp: false });
  const type = record?.warcType;
  if (record === null || (type !== "response" && type !== "revisit")) return undefined;
  const block = new Uint8Array(await record.readFully(false));
  const head = parseResponseHead(block);
  const url = record.warcTargetURI;
  const fetchedAtMs = Date.parse(record.warcDate ?? "");
  if (head === undefined || typeof url !== "string" || Number.isNaN(fetchedAtMs)) return undefined;
  if (block.length !== record.warcContentLength) return undefined;
  return {
    type,
    index: {
      url,
      fetchedAtMs,
      status: head.status,
      mime: type === "revisit" ? revisitMime : mimeOf(head.headers),
      payloadDigest: record.warcPayloadDigest ?? "",
      recordId: record.warcHeader("WARC-Record-ID") ?? "",
    },
    statusLine: head.statusLine,
    headers: head.headers,
    encodedBody: block.subarray(head.bodyAt),
    truncated: type === "response" && typeof record.warcHeader("WARC-Truncated") === "string",
  };
}

/** The response that a record holds, its body decoded as far as these allow ({@link WarcArchiveOptions}). */
export async function toArchivedResponse(
  record: StoredRecord,
  { bodyBytesMax, unsureBytesMax }: Required<Pick<WarcArchiveOptions, BodyBound>>,
): Promise<ArchivedResponse> {
  const { index, statusLine, headers, encodedBody, truncated } = record;
  const codings = contentCodings(headers);
  // No page that was fetched grows by more.
  const growsTo = truncated ? 0 : defaultFetchLimits.compressionRatioMax * encodedBody.length;
  const bytesMax = Math.min(bodyBytesMax, Math.max(unsureBytesMax, growsTo));
  return {
    url: index.url,
    status: index.status,
    statusLine,
    fetchedAtMs: index.fetchedAtMs,
    headers,
    body: await removeContentCodings(encodedBody, codings, bytesMax),
    truncated,
  };
}
