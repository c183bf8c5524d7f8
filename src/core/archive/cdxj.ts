import type { CanonicalUrl, Millis } from "../units.ts";
import { isPlainUrl } from "../url/canonicalize-url.ts";
import { hostOf, pathStartOf } from "../url/site-of.ts";
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
    digest: index.payloadDigest.slice(index.payloadDigest.indexOf(":") + 1),
    length: String(place.length),
    offset: String(place.offset),
    filename: place.file,
  });
  return `${surtKey(index.url)} ${timestamp14(index.fetchedAtMs)} ${asciiJson(fields)}\n`;
}

/** The last one that was written: many pages are fetched in one second. */
const latest = { second: Number.NaN, timestamp: "" };

/** `20260301123000`, in UTC: the time as indexes and file names of archives have it. */
export function timestamp14(atMs: number): string {
  const second = Math.floor(atMs / 1_000);
  if (second !== latest.second) {
    latest.timestamp = new Date(second * 1_000).toISOString().replaceAll(/\D/g, "").slice(0, 14);
    latest.second = second;
  }
  return latest.timestamp;
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
 * case, no scheme, no default port, no user, no `www.`, labels reversed, escapes decoded as often as they are nested, no
 * empty segments and no slash at the end of a path, no session ids, parameters sorted by name and value, no empty query.
 * The URL in the line is the one that was fetched.
 */
export function surtKey(url: string): string {
  const parts = isPlainUrl(url) ? plainParts(url) : partsOf(url);
  if (parts === undefined) {
    return url.toLowerCase().replace(/[^\x21-\x7e]/gu, (char) => escaped(char));
  }
  const host = parts.host.startsWith("www") ? parts.host.replace(/^www\d*\./, "") : parts.host;
  const labels = host.split(".").reverse().join(",");
  // Most URLs have no query, and hardly any has a bracket in its path.
  const path = parts.path.includes("(") ? without(pathSessions, parts.path) : parts.path;
  const query = parts.query === "" ? "" : without(querySessions, parts.query);
  const sorted = query === "" ? "" : `?${query.split("&").sort(byParameter).join("&")}`;
  return `${labels}${parts.port})${path}${sorted}`;
}

/** What a key is made of: path and query without needless escapes, and in lower case. */
interface KeyParts {
  readonly host: string;
  /** With its colon; empty where it is the default one. */
  readonly port: string;
  readonly path: string;
  readonly query: string;
}

function partsOf(url: string): KeyParts | undefined {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return undefined;
  return {
    host: parsed.hostname,
    port: parsed.port === "" ? "" : `:${parsed.port}`,
    path: minimalEscapes(normalPath(unescaped(parsed.pathname))).toLowerCase(),
    query: minimalEscapes(unescaped(parsed.search.slice(1))).toLowerCase(),
  };
}

/** The same of a URL with nothing to decode and no segment to drop, as most are: several times as fast. */
function plainParts(url: CanonicalUrl): KeyParts {
  const pathStart = pathStartOf(url);
  const queryStart = url.indexOf("?", pathStart);
  const pathEnd = queryStart === -1 ? url.length : queryStart;
  // A path of one slash stays.
  const keptEnd = url[pathEnd - 1] === "/" && pathEnd > pathStart + 1 ? pathEnd - 1 : pathEnd;
  const host = hostOf(url);
  const origin = url.slice(0, pathStart);
  return {
    host,
    port: origin.endsWith(host) ? "" : origin.slice(origin.lastIndexOf(":")),
    path: url.slice(pathStart, keptEnd).toLowerCase(),
    query: url.slice(pathEnd + 1).toLowerCase(),
  };
}

/** Session ids of ASP.NET, a segment of the path; what stands around them is kept. Lower case, as all that follow. */
const pathSessions = [
  /^(.*\/)\((?:[a-z]\([0-9a-z]{24}\))+\)\/([^?]+\.aspx.*)$/,
  /^(.*\/)\([0-9a-z]{24}\)\/([^?]+\.aspx.*)$/,
];

/** Session ids in a query, the last one of each kind. A name counts wherever it stands, at the end of another one too. */
const querySessions = [
  /^(.*)jsessionid=[0-9a-z]{32}(?:&(.*))?$/,
  /^(.*)phpsessid=[0-9a-z]{32}(?:&(.*))?$/,
  /^(.*)sid=[0-9a-z]{32}(?:&(.*))?$/,
  /^(.*)aspsessionid[a-z]{8}=[a-z]{24}(?:&(.*))?$/,
  // No value reaches over the next name: a query of nothing but names would take quadratic time.
  /^(.*)cfid=(?:(?!cfid=)[^&])+&cftoken=[^&]+(?:&(.*))?$/,
];

function without(sessions: readonly RegExp[], text: string): string {
  return sessions.reduce((rest, session) => rest.replace(session, "$1$2"), text);
}

const hexEscape = /^%[0-9a-f]{2}$/i;

/** `text` without escapes, those that decoding makes included; a character is a byte. */
function unescaped(text: string): string {
  if (!text.includes("%")) return text;
  const bytes: string[] = [];
  for (const char of text) {
    bytes.push(char);
    while (bytes.at(-3) === "%" && hexEscape.test(bytes.slice(-3).join(""))) {
      const [, ...digits] = bytes.splice(-3);
      bytes.push(String.fromCharCode(Number.parseInt(digits.join(""), 16)));
    }
  }
  return bytes.join("");
}

/** `text` with what may not stand in a line of the index escaped, and what would begin a fragment or an escape. */
function minimalEscapes(text: string): string {
  return text.replace(
    /[^\x21-\x7e]|[#%]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}

/** Without the segments of dots that decoding has made; one that leads above the root stays, as `surt` has it. */
function normalPath(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split("/").slice(1)) {
    if (segment === ".") continue;
    if (segment === ".." && kept.length > 0) kept.pop();
    else kept.push(segment);
  }
  return `/${kept.filter((segment) => segment !== "").join("/")}`;
}

/** As `surt` compares: by name, then one without a value first. */
function byParameter(left: string, right: string): number {
  const [name, value] = parameterOf(left);
  const [otherName, otherValue] = parameterOf(right);
  if (name !== otherName) return name < otherName ? -1 : 1;
  if (value === otherValue) return 0;
  return value < otherValue ? -1 : 1;
}

/** The value with the `=` before it. */
function parameterOf(text: string): readonly [name: string, value: string] {
  const equals = text.indexOf("=");
  return equals === -1 ? [text, ""] : [text.slice(0, equals), text.slice(equals)];
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

/** When the record of a line that {@link parseCdxjPlace} reads was fetched, to the second. */
export function cdxjTimeMs(line: string): Millis {
  const [, ...parts] = / (\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d) \{/.exec(line) ?? [];
  const [year = NaN, month = NaN, day, hour, minute, second] = parts.map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second);
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
