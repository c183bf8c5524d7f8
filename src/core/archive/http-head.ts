import { headerField, headerFields } from "../net/header-fields.ts";
import { parseContentEncoding } from "../net/content-coding.ts";
import type { ContentCoding } from "../net/content-coding.ts";
import { latin1Text } from "../text/latin1-text.ts";
import { fieldName, fieldValue } from "./warc-record.ts";

/** How a response's head is written: `bodyBytes` is the length of the stored body, undefined where none is stored. */
export interface HeadOfResponse {
  readonly status: number;
  /** Digits and a dot. */
  readonly httpVersion: string;
  readonly statusText: string;
  /** Name, value, name, value. */
  readonly headers: readonly string[];
  readonly bodyBytes: number | undefined;
}

/**
 * The head of an HTTP response as the archive keeps it.
 *
 * All fields stand in the order and spelling of the wire, with two exceptions that keep the stored message readable.
 * The body is stored without its transfer coding, so `Transfer-Encoding` becomes `X-Orig-Transfer-Encoding`; a
 * `Content-Length` that is not the length of the stored body becomes `X-Orig-Content-Length`, and the right one is
 * added. A response without any field gets a `Content-Length`, since readers exist that lose the end of an empty head.
 */
export function responseHead(response: HeadOfResponse): string {
  const { status, httpVersion, statusText, headers, bodyBytes } = response;
  let head = `HTTP/${httpVersion} ${status} ${fieldValue(statusText)}\r\n`;
  let lengthIsWrong = headers.length < 2 && bodyBytes !== undefined;
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const value = fieldValue(headers[i + 1] ?? "");
    let name = fieldName(headers[i] ?? "");
    if (name.length === 17 && name.toLowerCase() === "transfer-encoding") {
      name = `X-Orig-${name}`;
    } else if (name.length === 14 && name.toLowerCase() === "content-length") {
      if (bodyBytes !== undefined && value.trim() !== String(bodyBytes)) {
        name = `X-Orig-${name}`;
        lengthIsWrong = true;
      }
    }
    head += `${name}: ${value}\r\n`;
  }
  if (lengthIsWrong && bodyBytes !== undefined) head += `Content-Length: ${bodyBytes}\r\n`;
  return `${head}\r\n`;
}

/** The head of an HTTP request, its target in origin form (RFC 9112, section 3.2.1). */
export function requestHead(method: string, url: string, headers: readonly string[]): string {
  let head = `${method} ${fieldValue(requestTarget(url))} HTTP/1.1\r\n`;
  for (let i = 0; i + 1 < headers.length; i += 2) {
    head += `${fieldName(headers[i] ?? "")}: ${fieldValue(headers[i + 1] ?? "")}\r\n`;
  }
  return `${head}\r\n`;
}

function requestTarget(url: string): string {
  const authorityAt = url.indexOf("://") + 3;
  const pathAt = url.indexOf("/", authorityAt);
  if (pathAt < 0) return "/";
  const fragmentAt = url.indexOf("#", pathAt);
  return fragmentAt < 0 ? url.slice(pathAt) : url.slice(pathAt, fragmentAt);
}

/** Longest media type that is kept: RFC 6838, section 4.2 allows 127 characters on each side of the slash. */
const mediaTypeLengthMax = 255;
const mediaType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;

/** The media type of a response in lower case without parameters, or `unk` as the field's indexers write it. */
export function mimeOf(headers: readonly string[]): string {
  // What a proxy joined with commas begins with the first of what it joined.
  const [first = ""] = headerField(headers, "content-type")?.split(/[;,]/, 1) ?? [];
  const type = first.trim().toLowerCase();
  return type.length <= mediaTypeLengthMax && mediaType.test(type) ? type : "unk";
}

/** The head of a stored response, and where its body starts within the block. */
export interface ParsedHead {
  readonly status: number;
  /** The first line, without its end. */
  readonly statusLine: string;
  /** Name, value, name, value. */
  readonly headers: readonly string[];
  readonly bodyAt: number;
}

/**
 * Reads back what {@link responseHead} wrote: bytes as characters, every field on its own, in order.
 *
 * Undefined when the block does not start with the head of a response.
 */
export function parseResponseHead(block: Uint8Array): ParsedHead | undefined {
  const lines: string[] = [];
  let at = 0;
  for (;;) {
    const end = block.indexOf(lineFeed, at);
    if (end < 0) return undefined;
    const line = latin1Text(block, at, block[end - 1] === carriageReturn ? end - 1 : end);
    at = end + 1;
    if (line === "") break;
    lines.push(line);
  }
  const statusLine = lines.shift() ?? "";
  const status = /^HTTP\/\d\.\d (\d{3})(?: |$)/.exec(statusLine)?.[1];
  if (status === undefined) return undefined;
  const headers: string[] = [];
  for (const line of lines) {
    const colonAt = line.indexOf(":");
    if (colonAt > 0) headers.push(line.slice(0, colonAt), withoutBlanks(line, colonAt + 1));
  }
  return { status: Number(status), statusLine, headers, bodyAt: at };
}

/** What stands from `start` on, without the blanks around it (RFC 9112, section 5): a byte 0xA0 is the end of a letter. */
function withoutBlanks(line: string, start: number): string {
  let [from, to] = [start, line.length];
  while (from < to && isBlank(line[from])) from += 1;
  while (from < to && isBlank(line[to - 1])) to -= 1;
  return line.slice(from, to);
}

function isBlank(char: string | undefined): boolean {
  return char === " " || char === "\t";
}

const lineFeed = 10;
const carriageReturn = 13;

/** The content codings of a response in the order in which they were applied, or none if there are absurdly many. */
export function contentCodings(headers: readonly string[]): readonly ContentCoding[] {
  return parseContentEncoding(headerFields(headers, "content-encoding").join(",")) ?? [];
}
