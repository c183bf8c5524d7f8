import type { Dispatcher } from "undici";
import { parseContentEncoding, type ContentCoding } from "../../core/net/content-coding.ts";

/** Fields of a head by lower-case name, as undici gives them. */
export type HeadFields = Readonly<Record<string, string | string[] | undefined>>;

/** The value of a field; fields of one name are one list (RFC 9110, section 5.2). */
export function fieldOf(headers: HeadFields, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

export function contentLengthOf(headers: HeadFields): number | undefined {
  const value = fieldOf(headers, "content-length");
  if (value === undefined) return undefined;
  const length = Number(value);
  return Number.isSafeInteger(length) && length >= 0 ? length : undefined;
}

/**
 * Whether a last chunk marks the end of the body. With any other last transfer coding it ends with its connection
 * (RFC 9112, section 6.3).
 */
export function isChunked(headers: HeadFields): boolean {
  return /(?:^|[\t ,])chunked[\t ]*$/i.test(fieldOf(headers, "transfer-encoding") ?? "");
}

/** Codings of a body, in the order in which they were applied: those of the content first. */
export interface BodyCodings {
  /** Undefined when they are too many. */
  readonly content: readonly ContentCoding[] | undefined;
  /** Beside chunks (RFC 9112, section 7.2): no request asks for one, and some servers apply one all the same. */
  readonly transfer: readonly ContentCoding[];
}

export function codingsOf(headers: HeadFields): BodyCodings {
  return {
    content: parseContentEncoding(fieldOf(headers, "content-encoding") ?? ""),
    transfer: parseContentEncoding(fieldOf(headers, "transfer-encoding") ?? "") ?? [],
  };
}

/** Names and values with the spelling of the wire; bytes become characters one by one (ISO-8859-1). */
export function rawHeadersOf(raw: Dispatcher.DispatchController["rawHeaders"]): string[] {
  const headers: string[] = [];
  if (!Array.isArray(raw)) return headers;
  for (const part of raw) {
    headers.push(typeof part === "string" ? part : part.toString("latin1"));
  }
  return headers;
}
