import { wholeLines } from "../robots/read-robots.ts";
import { SitemapElements } from "./sitemap-elements.ts";
import { SitemapUrls } from "./sitemap-urls.ts";

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
  /** Whether the file ends where it was not meant to: the last line of a list may then be part of a URL. */
  readonly isCut?: boolean;
}

/** Entries of one file, at most, by the protocol. */
export const sitemapEntriesMax = 50_000;

/** Long enough for declarations, a style sheet's instruction and the comments of those who made the file. */
const sniffedBytes = 1_024;

/** A document type, as old feeds have it, may hold declarations in brackets. */
const startOfSitemap =
  /^(?:\xEF\xBB\xBF)?(?:[\t\n\r ]|<\?[^>]*>|<!--(?:(?!-->)[^])*-->|<!DOCTYPE[^>[]*(?:\[[^\]]*\][^>]*)?>)*<(?:[\w.-]+:)?(?:feed|rss|sitemapindex|urlset)[\t\n\r />]/;

/** Whether `body` is XML that begins as a sitemap or a feed, and so is no HTML, whatever a header says. */
export function beginsSitemap(body: Uint8Array): boolean {
  return startOfSitemap.test(startOf(body));
}

function startOf(body: Uint8Array): string {
  return String.fromCharCode(...body.subarray(0, sniffedBytes));
}

const startOfXml = /^(?:\xEF\xBB\xBF)?[\t\n\r ]*</;
const startOfList = /^(?:\xEF\xBB\xBF)?[\t\n\r ]*https?:\/\//i;

/**
 * The URLs of a sitemap, an index of sitemaps, a feed (RSS 2.0, Atom) or a list of URLs, one a line (sitemaps.org, protocol
 * 0.9, with its other formats); nothing when `body` is none of them, by its first element or its first line. UTF-8, as the
 * protocol asks. Only the location of an entry counts, not what extensions say of images or videos. Time and memory are
 * linear in the length of `body`, whatever it contains; nothing is ever thrown. A file that was cut gives what it has until
 * there.
 */
export function readSitemap(
  body: Uint8Array,
  { url, isCut = false }: SitemapContext = {},
  entriesMax: number = sitemapEntriesMax,
): Sitemap | undefined {
  const start = startOf(body);
  const urls = new SitemapUrls(entriesMax);
  if (startOfXml.test(start)) {
    const root = new SitemapElements(new TextDecoder().decode(body), urls, url).read();
    return root === undefined ? undefined : { isIndex: root === "sitemapindex", ...urls.found() };
  }
  if (!startOfList.test(start)) return undefined;
  const text = new TextDecoder().decode(body);
  readList(isCut ? wholeLines(text) : text, urls);
  return { isIndex: false, ...urls.found() };
}

/** Lines end with a line feed or a carriage return, or both. */
function readList(text: string, urls: SitemapUrls): void {
  for (const [line] of text.matchAll(/[^\n\r]+/g)) urls.add(line);
}
