import { momentText } from "../../core/answers/moment-text.ts";
import { headerField } from "../../core/net/header-fields.ts";
import type { ArchivedResponse } from "../../ports/archive.ts";

type HeaderPair = readonly [name: string, value: string];

/** Archived header fields that are handed on, at most, and their characters together: clients take heads of 16 KiB. */
const fieldsMax = 100;
const charactersMax = 8_192;

/** RFC 9110, section 5.6.2. */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** RFC 9110, section 5.5: visible characters, spaces, tabs and bytes above 127, as one byte each. */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Header fields for an archived body.
 *
 * The body is someone else's page, served from the address of the API that commands the peer: the sandbox keeps it from
 * running scripts with that origin, and no type is guessed. What the page's server sent is data here: its fields are
 * renamed, bounded, and dropped where they are malformed, so that they mean nothing to the client's HTTP.
 */
export function contentHeaders(response: ArchivedResponse): Record<string, string> {
  return {
    "content-type": mediaType(response.headers),
    "content-security-policy": "sandbox",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "x-archive-url": visible(response.url).slice(0, charactersMax),
    "x-archive-status": String(response.status),
    "x-archive-fetched-at": new Date(response.fetchedAtMs).toISOString(),
    "x-archive-truncated": String(response.truncated),
    ...renamedFields(response.headers),
  };
}

/** The head of an archived response, as a document. */
export interface HeadDocument extends Omit<ArchivedResponse, "body" | "headers"> {
  readonly headers: readonly HeaderPair[];
  readonly bodyBytes: number;
  /** ISO 8601, UTC. */
  readonly fetchedAt: string;
}

export function headDocument({ body, headers, ...head }: ArchivedResponse): HeadDocument {
  return {
    ...head,
    headers: [...fieldsOf(headers)],
    bodyBytes: body.length,
    fetchedAt: momentText(head.fetchedAtMs),
  };
}

/** A URL as it stands in the archive, its escapes as they are; only what no field may hold is escaped. */
function visible(url: string): string {
  return url.toWellFormed().replace(/[^\x21-\x7e]+/g, encodeURIComponent);
}

function mediaType(headers: readonly string[]): string {
  const value = headerField(headers, "content-type") ?? "";
  const sound = value.length <= 256 && fieldValue.test(value) && /^\s*[^\s/]+\/[^\s/]+/.test(value);
  return sound ? value.trim() : "application/octet-stream";
}

function renamedFields(headers: readonly string[]): Record<string, string> {
  const renamed = new Map<string, string>();
  let charactersLeft = charactersMax;
  for (const [name, value] of fieldsOf(headers)) {
    const newName = `x-archive-orig-${name.toLowerCase()}`;
    const earlier = renamed.get(newName);
    const newValue = earlier === undefined ? value : `${earlier}, ${value}`;
    if (!token.test(name) || !fieldValue.test(value)) continue;
    charactersLeft -= newName.length + value.length;
    if (charactersLeft < 0 || renamed.size === fieldsMax) break;
    renamed.set(newName, newValue);
  }
  return Object.fromEntries(renamed);
}

function* fieldsOf(headers: readonly string[]): Generator<HeaderPair> {
  for (let i = 0; i + 1 < headers.length; i += 2) yield [headers[i] ?? "", headers[i + 1] ?? ""];
}
