import { xmlStart } from "./xml-start.ts";

/** A parsed Content-Type header. */
export interface ContentType {
  /** Type and subtype in lower case, for instance `text/html`. */
  readonly mime: string;
  readonly charset?: string;
}

/** A header longer than this names no type that we handle. */
const headerCharsMax = 1_024;

/**
 * The parts of a Content-Type header that matter here; nothing when it has no type at all. Of a list, as several fields
 * make it, the first type and the first charset count.
 */
export function parseContentType(header: string | undefined): ContentType | undefined {
  if (header === undefined || header.length > headerCharsMax) return undefined;
  const mime = /^[\t\n\r ]*([!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+)[\t\n\r ]*(?=[;,]|$)/.exec(
    header,
  )?.[1];
  if (mime === undefined) return undefined;
  const charset = charsetParameter(header);
  return { mime: mime.toLowerCase(), ...(charset === undefined ? {} : { charset }) };
}

/** A parameter: its name, and its value as a quoted string or as what stands before the next one, or the next type. */
const parameter = /;[\t\n\r ]*([^;,=]*)(?:=(?:"((?:[^"\\]|\\.)*)"?|([^;,]*)))?/gs;

/**
 * The first `charset` parameter that has a value, as a token or as a quoted string; an empty one in quotes is a value, too, that
 * names nothing (MIME Sniffing Standard, section 4.4). What looks like one in another's quotes is none.
 */
function charsetParameter(header: string): string | undefined {
  for (const [, name = "", quoted, token = ""] of header.matchAll(parameter)) {
    if (name.toLowerCase() !== "charset") continue;
    const charset = (quoted?.replace(/\\(.)/gs, "$1") ?? token).trim();
    if (charset !== "") return charset;
    if (quoted !== undefined) return undefined;
  }
  return undefined;
}

const htmlMimes: ReadonlySet<string> = new Set(["text/html", "application/xhtml+xml"]);

/** Types of any XML, which some servers give to XHTML. */
const xmlMimes: ReadonlySet<string> = new Set(["application/xml", "text/xml"]);

/** What servers send that know no type: as good as none (MIME Sniffing Standard, section 7). */
const unknownMimes: ReadonlySet<string> = new Set([
  "*/*",
  "application/unknown",
  "unknown/unknown",
]);

/** Whether this is a type that pages have. */
export function namesHtml(type: string | undefined): boolean {
  const mime = parseContentType(type)?.mime;
  return mime !== undefined && htmlMimes.has(mime);
}

function knownMime(header: string | undefined): string | undefined {
  const mime = parseContentType(header)?.mime;
  return mime === undefined || unknownMimes.has(mime) ? undefined : mime;
}

/** Whether a response with this header may be HTML, so that its body is worth having; see {@link isHtml}. */
export function isHtmlType(header: string | undefined): boolean {
  const mime = knownMime(header);
  return mime === undefined || htmlMimes.has(mime);
}

const sitemapMimes: ReadonlySet<string> = new Set([
  "application/xml",
  "text/xml",
  "application/rss+xml",
  "application/rdf+xml",
  "application/atom+xml",
  "text/plain",
  "application/gzip",
  "application/x-gzip",
]);

/** What servers send whose tables do not know the ending of a file: nginx has none for `.gz`. */
const binaryMimes: ReadonlySet<string> = new Set([
  "application/octet-stream",
  "binary/octet-stream",
]);

const sitemapFile = /^[^?]*\.(?:xml|txt|rss|rdf|atom)(?:\.gz)?(?:\?|$)/i;

/** Whether a response with this header, from a canonical URL, may be a sitemap of any format, compressed as a file or not. */
export function isSitemapType(header: string | undefined, url: string): boolean {
  const mime = parseContentType(header)?.mime;
  if (mime === undefined) return false;
  return sitemapMimes.has(mime) || (binaryMimes.has(mime) && sitemapFile.test(url));
}

/**
 * Whether a body is to be parsed for links: HTML or XHTML by its header; XML of which the root is that of XHTML; or without
 * a header that names a type, something that begins like HTML.
 */
export function isHtml(header: string | undefined, body: Uint8Array): boolean {
  const mime = knownMime(header);
  if (mime === undefined) return htmlStart.test(startOf(body, sniffedBytes));
  return htmlMimes.has(mime) || (xmlMimes.has(mime) && xhtmlStart.test(startOf(body, prologBytes)));
}

/** Whether a page with this header is XML. */
export function isXhtml(header: string | undefined): boolean {
  const mime = parseContentType(header)?.mime;
  return mime !== undefined && (mime === "application/xhtml+xml" || xmlMimes.has(mime));
}

/** Long enough for the white space that pages begin with, and a tag. */
const sniffedBytes = 512;

/** Long enough for declarations, a style sheet's instruction and some comments. */
const prologBytes = 1_024;

/** By its name space; a root with a prefix is not looked for, since no tag of such a page would be found. */
const xhtmlStart = xmlStart(
  /html[\t\n\r ][^>]*\bxmlns[\t\n\r ]*=[\t\n\r ]*["']http:\/\/www\.w3\.org\/1999\/xhtml["']/.source,
);

/** MIME Sniffing Standard, section 7.1: the patterns of `text/html`, each followed by a space or `>`. */
const htmlStart =
  /^(?:\xEF\xBB\xBF)?[\t\n\f\r ]*<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|!--)[ >]/i;

function startOf(body: Uint8Array, bytes: number): string {
  return String.fromCharCode(...body.subarray(0, bytes));
}
