import { invariant } from "../errors.ts";
import type { Millis } from "../units.ts";

/**
 * The bytes of WARC/1.1 records (ISO 28500:2017), before compression.
 *
 * A record is a head of named fields, an empty line, the block, and two line ends. Field names and values may come from
 * hostile servers, so every one of them passes through {@link fieldName} or {@link fieldValue}.
 *
 * Invariant: whatever the fields hold, a head has exactly the lines that were meant, and Content-Length is the length
 * of the block.
 */

/** Characters that would end a line or, as NUL, upset readers. */
const lineBreaking = /[\0\r\n]/;
const allLineBreaking = /[\0\r\n]/g;

/** Characters that cannot stand in a field's name (RFC 9110, section 5.6.2, taken generously). */
const notInName = /[^\x21-\x39\x3b-\x7e]/;
const allNotInName = /[^\x21-\x39\x3b-\x7e]/g;

/** `text` with every character that could end the line replaced by a space. */
export function fieldValue(text: string): string {
  return lineBreaking.test(text) ? text.replace(allLineBreaking, " ") : text;
}

/** `text` with every character that could end the name replaced by `_`; never empty. */
export function fieldName(text: string): string {
  if (text === "") return "_";
  return notInName.test(text) ? text.replace(allNotInName, "_") : text;
}

/** `2026-03-01T12:30:00.250Z`: WARC 1.1 allows the fraction, and two captures of a URL in one second differ by it. */
export function warcDate(atMs: Millis): string {
  return new Date(atMs).toISOString();
}

/** `00000000-0000-4000-8000-000000000000` */
const uuidLength = 36;

/** WARC-Record-ID of a UUID. */
export function recordIdOf(uuid: string): string {
  invariant(uuid.length === uuidLength, "record ids are made of bare UUIDs");
  return `<urn:uuid:${uuid}>`;
}

/** One record: the lines of its head without Content-Length, the text that its block starts with, and the rest of it. */
export interface WarcRecord {
  /** Each ends in CRLF. */
  readonly head: string;
  /** First part of the block; its characters are bytes (latin1). */
  readonly blockText: string;
  readonly blockBytes?: Uint8Array | undefined;
}

/** The bytes of `records`, one array each, all in one allocation: this runs for every page that is fetched. */
export function encodeWarcRecords(records: readonly WarcRecord[]): Uint8Array<ArrayBuffer>[] {
  const heads = records.map((record) => recordText(record));
  let total = 0;
  records.forEach((record, i) => {
    total += (heads[i] ?? "").length + (record.blockBytes?.length ?? 0) + recordEnd.length;
  });
  const buffer = new ArrayBuffer(total);
  let offset = 0;
  return records.map((record, i) => {
    const head = heads[i] ?? "";
    const bodyBytes = record.blockBytes?.length ?? 0;
    const bytes = new Uint8Array(buffer, offset, head.length + bodyBytes + recordEnd.length);
    offset += bytes.length;
    writeLatin1(head, bytes.subarray(0, head.length));
    if (record.blockBytes) bytes.set(record.blockBytes, head.length);
    bytes.set(recordEnd, head.length + bodyBytes);
    return bytes;
  });
}

const recordEnd = new Uint8Array([13, 10, 13, 10]);

function recordText({ head, blockText, blockBytes }: WarcRecord): string {
  const blockLength = blockText.length + (blockBytes?.length ?? 0);
  return `WARC/1.1\r\n${head}Content-Length: ${blockLength}\r\n\r\n${blockText}`;
}

const utf8 = new TextEncoder();

/** One byte for each character; a character that is no byte becomes `?`. */
function writeLatin1(text: string, into: Uint8Array): void {
  // UTF-8 and latin1 agree on ASCII, and nearly every head is that.
  if (utf8.encodeInto(text, into).read === text.length) return;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    into[i] = code < 256 ? code : 63;
  }
}
