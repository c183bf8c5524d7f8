import type { CaptureIndex } from "./capture.ts";

/** Where a record stands in its file, for its line of the index. */
export interface CdxjPlace {
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

/**
 * One line of a CDXJ index as pywb writes and reads it: key, time, JSON; ends in a line feed.
 *
 * The line is ASCII, so that the byte order that index lookups need is the order of strings. Numbers are strings and
 * the digest has no prefix, as in the indexes of the field's tools.
 */
export function cdxjLine(index: CaptureIndex, place: CdxjPlace): string {
  const fields = JSON.stringify({
    url: index.url,
    mime: index.mime,
    status: String(index.status),
    digest: index.payloadDigest.replace(/^sha1:/, ""),
    length: String(place.length),
    offset: String(place.offset),
    filename: place.file,
  });
  return `${surtKey(index.url)} ${timestamp14(index.fetchedAtMs)} ${asciiJson(fields)}\n`;
}

/** `20260301123000`, in UTC: the time as indexes and file names of archives have it. */
export function timestamp14(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 19).replace(/[-:T]/g, "");
}

function asciiJson(json: string): string {
  return json.replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * Sort-friendly form of a URL: `http://www.example.com:8080/A/?b=2&a=1` is `com,example:8080)/a?a=1&b=2`.
 *
 * The rules are those of the Internet Archive's `surt` with its default canonicaliser, which pywb looks up by: lower
 * case, no scheme, no default port, no user, no `www.`, labels reversed, no slash at the end of a path, parameters
 * sorted, no empty query. Session ids stay: URLs are archived under the name they were fetched by.
 */
export function surtKey(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    return url.toLowerCase().replace(/[^\x21-\x7e]/gu, (char) => escaped(char));
  }
  const host = parsed.hostname.replace(/^www\d*\./, "");
  const labels = host.split(".").reverse().join(",");
  const port = parsed.port === "" ? "" : `:${parsed.port}`;
  const path = parsed.pathname.replace(/(?<=.)\/$/, "");
  const query = parsed.search.slice(1).toLowerCase();
  const sorted = query === "" ? "" : `?${query.split("&").sort().join("&")}`;
  return `${labels}${port})${path.toLowerCase()}${sorted}`;
}

function escaped(char: string): string {
  return Array.from(utf8.encode(char), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
}

const utf8 = new TextEncoder();

/** A line of an index taken apart again: what is needed to know which part of the file it speaks of. */
export function parseCdxjPlace(line: string): CdxjPlace | undefined {
  const jsonAt = line.indexOf(" {") + 1;
  const head = line.slice(0, jsonAt);
  if (!/^[\x21-\x7e]+ \d{14} $/.test(head)) return undefined;
  const fields = parseObject(line.slice(jsonAt));
  if (fields === undefined) return undefined;
  const { filename, offset, length } = fields;
  if (typeof filename !== "string" || !isCount(offset) || !isCount(length)) return undefined;
  return { file: filename, offset: Number(offset), length: Number(length) };
}

function isCount(value: unknown): value is string {
  return typeof value === "string" && /^\d{1,15}$/.test(value);
}

function parseObject(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
