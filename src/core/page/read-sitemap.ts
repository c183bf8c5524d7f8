import { wholeLines } from "../robots/read-robots.ts";
import { byteOrderMark } from "./byte-order-mark.ts";
import { parseContentType } from "./content-type.ts";
import { decodeBytes, encodingOfLabel, type EncodingName } from "./encoding-label.ts";
import { xmlEncoding } from "./meta-prescan.ts";
import { SitemapElements } from "./sitemap-elements.ts";
import { SitemapUrls } from "./sitemap-urls.ts";
import { xmlStart } from "./xml-start.ts";

/** What a sitemap names. */
export interface Sitemap {
  /** Whether its URLs are those of further sitemaps. */
  readonly isIndex: boolean;
  /** Canonical http(s) URLs in their order, each once. */
  readonly urls: readonly string[];
  /** Entries for which there was no room; absent where there are none. */
  readonly leftOut?: number;
}

/** Where a sitemap comes from. */
export interface SitemapContext {
  /** That of the file; without it, Atom's references count as none. */
  readonly url?: string;
  /** Its `Content-Type`, which may name the encoding. */
  readonly contentType?: string | undefined;
  /** Whether the file ends where it was not meant to: the last line of a list may then be part of a URL. */
  readonly isCut?: boolean;
}

/** Entries of one file, at most, by the protocol. */
export const sitemapEntriesMax = 50_000;

/** Long enough for declarations, a style sheet's instruction and the comments of those who made the file. */
const sniffedBytes = 1_024;

const startOfSitemap = xmlStart(
  /(?:[\w.-]+:)?(?:feed|RDF|rss|sitemapindex|urlset)[\t\n\r />]/.source,
);

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Whether `body` is XML that begins as a sitemap or a feed, and so is no HTML, whatever a header says. */
export function beginsSitemap(body: Uint8Array): boolean {
  return startOfSitemap.test(startOf(body));
}

/** Byte by byte, unless a mark says that two of them make a character. */
function startOf(body: Uint8Array): string {
  const start = body.subarray(0, sniffedBytes);
  const marked = byteOrderMark(body) ?? "utf-8";
  return marked === "utf-8" ? String.fromCharCode(...start) : decodeBytes(start, marked);
}

/**
 * The text of `body`: by its byte order mark; as UTF-8 where it is that, whatever is declared; else in the encoding that the
 * header or the XML declaration names.
 */
function textOf(body: Uint8Array, contentType: string | undefined): string {
  const marked = byteOrderMark(body);
  if (marked !== undefined) return decodeBytes(body, marked);
  try {
    return utf8.decode(body);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return decodeBytes(body, declaredEncoding(body, contentType) ?? "utf-8");
  }
}

function declaredEncoding(
  body: Uint8Array,
  contentType: string | undefined,
): EncodingName | undefined {
  const label = parseContentType(contentType)?.charset;
  const named = label === undefined ? undefined : encodingOfLabel(label);
  return named ?? xmlEncoding(body.subarray(0, sniffedBytes));
}

const startOfXml = /^(?:\xEF\xBB\xBF)?[\t\n\r ]*</;
const startOfList = /^(?:\xEF\xBB\xBF)?[\t\n\r ]*https?:\/\//i;

/**
 * The URLs of a sitemap, an index of sitemaps, a feed (RSS 1.0 and 2.0, Atom) or a list of URLs, one a line (sitemaps.org,
 * protocol 0.9, with its other formats); nothing when `body` is none of them, by its first element or its first line. UTF-8,
 * as the protocol asks, or what feeds have besides. Only the location of an entry counts, not what extensions say of images or
 * videos. Time and memory are linear in the length of `body`, whatever it contains; nothing is ever thrown. A file that was
 * cut gives what it has until there.
 */
export function readSitemap(
  body: Uint8Array,
  { url, contentType, isCut = false }: SitemapContext = {},
  entriesMax: number = sitemapEntriesMax,
): Sitemap | undefined {
  const start = startOf(body);
  const urls = new SitemapUrls(entriesMax);
  if (startOfXml.test(start)) {
    const root = new SitemapElements(textOf(body, contentType), urls, url).read();
    return root === undefined ? undefined : { isIndex: root === "sitemapindex", ...urls.found() };
  }
  if (!startOfList.test(start)) return undefined;
  const text = textOf(body, contentType);
  readList(isCut ? wholeLines(text) : text, urls);
  return { isIndex: false, ...urls.found() };
}

/** Lines end with a line feed or a carriage return, or both. */
function readList(text: string, urls: SitemapUrls): void {
  for (const [line] of text.matchAll(/[^\n\r]+/g)) urls.add(line);
}
