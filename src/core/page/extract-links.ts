import type { CanonicalUrl } from "../units.ts";
import { admittedUrlBytesMax, isPlainUrl } from "../url/canonicalize-url.ts";
import { isXhtml } from "./content-type.ts";
import { decodeBytes, type EncodingName } from "./encoding-label.ts";
import { LinkResolver } from "./link-resolver.ts";
import { PageReader, withoutFragment, type RawPage } from "./page-reader.ts";
import type { ExtractedPage, MetaRefresh } from "./parsed-page.ts";
import { EncodingTables } from "./query-encoder.ts";
import { defaultBotName } from "./robots-directives.ts";
import { sniffCharset, type SniffedCharset } from "./sniff-charset.ts";

export interface ExtractContext {
  /** Absolute URL of the document. */
  readonly url: string;
  /** Content-Type header, where there was one. */
  readonly contentType?: string | undefined;
}

export interface ExtractOptions {
  /** Distinct references taken from a page; those after them are left out, and counted. @default 50_000 */
  readonly linksMax: number;
  /**
   * Length of all resolved links of a page together. A long base makes every short reference long, so that the bytes of
   * a page alone do not bound them; a reference that is no URL counts as what was tried. @default 16 Mi units
   */
  readonly linkUnitsMax: number;
  /** Name under which pages address the crawler alone, in lower case. @default "orbweaver" */
  readonly botName?: string;
  /** Tables kept from page to page, so that they are made once. @default new ones for each page */
  readonly tables?: EncodingTables;
}

export const defaultExtractOptions: ExtractOptions = Object.freeze({
  linksMax: 50_000,
  linkUnitsMax: 16 * 1_024 * 1_024,
});

/**
 * What an HTML document says to a crawler: its links, where it wants to be found, what it does not want.
 *
 * One pass of a tokenizer, no tree; a second one where the document turns out to be in another encoding. References are
 * resolved after the pass, because a `base` holds for the links before it too. Time and memory are linear in the
 * document's length, whatever it contains; nothing is ever thrown.
 */
export function extractLinks(
  html: Uint8Array,
  context: ExtractContext,
  options: ExtractOptions = defaultExtractOptions,
): ExtractedPage {
  const { charset, source, raw } = readDocument(html, context, options);
  const tables = options.tables ?? new EncodingTables();
  const pageUrl = isPlainUrl(context.url) ? context.url : URL.parse(context.url)?.href;
  const pageResolver = new LinkResolver(pageUrl, charset, tables);
  const ownBase = documentBase(raw, pageResolver);
  const base = ownBase ?? pageUrl;
  const resolver = ownBase === undefined ? pageResolver : new LinkResolver(base, charset, tables);

  const { followed, unfollowed, leftOut } = resolveLinks(raw, resolver, options.linkUnitsMax);
  const canonical = raw.canonical === undefined ? undefined : resolver.resolve(raw.canonical);
  const refresh = resolveRefresh(raw, resolver);
  return {
    links: followed,
    nofollowLinks: unfollowed,
    base: base ?? context.url,
    nofollow: raw.directives.nofollow,
    noindex: raw.directives.noindex,
    charset,
    charsetSource: source,
    ...(leftOut > 0 && { linksLeftOut: leftOut }),
    ...(canonical === undefined ? {} : { canonical }),
    ...(refresh === undefined ? {} : { refresh }),
    ...(raw.title === undefined ? {} : { title: raw.title }),
    ...(raw.lang === undefined ? {} : { lang: raw.lang }),
  };
}

interface ReadDocument extends SniffedCharset {
  readonly raw: RawPage;
}

/**
 * Decodes and reads a document, and reads it again where one of its `meta` elements declares another encoding than its first
 * bytes did: behind them, or where those only looked as if they did. A byte order mark and the header are believed in any
 * case (HTML Standard, sections 13.2.6.4.4 on `meta` and 13.2.3.4, "changing the encoding while parsing").
 */
function readDocument(
  html: Uint8Array,
  { contentType }: ExtractContext,
  { linksMax, botName = defaultBotName }: ExtractOptions,
): ReadDocument {
  const xhtml = isXhtml(contentType);
  const readAs = (charset: EncodingName): RawPage =>
    new PageReader(linksMax, botName).read(decodeBytes(html, charset), xhtml);

  const sniffed = sniffCharset(html, contentType);
  const raw = readAs(sniffed.charset);
  const declared = raw.charset;
  if (declared === undefined || xhtml || isCertain(sniffed)) return { ...sniffed, raw };
  const isSame = declared === sniffed.charset;
  return { charset: declared, source: "meta", raw: isSame ? raw : readAs(declared) };
}

/** UTF-16 is found by how the bytes of the document's beginning lie, which no declaration changes. */
function isCertain({ charset, source }: SniffedCharset): boolean {
  return source === "bom" || source === "header" || charset.startsWith("utf-16");
}

/** HTML Standard, section 4.2.3: a base that is no URL, or a `data:` or `javascript:` one, does not count. */
function documentBase(raw: RawPage, resolver: LinkResolver): string | undefined {
  const href = raw.base === undefined ? undefined : resolver.resolveUrl(raw.base);
  return href === undefined || /^(?:data|javascript):/.test(href) ? undefined : href;
}

interface ResolvedLinks {
  readonly followed: CanonicalUrl[];
  readonly unfollowed: CanonicalUrl[];
  readonly leftOut: number;
}

/** A URL that one link follows and another does not is followed. */
function resolveLinks(raw: RawPage, resolver: LinkResolver, unitsMax: number): ResolvedLinks {
  const followedByUrl = new Map<CanonicalUrl, boolean>();
  let units = 0;
  let looked = 0;
  for (const [reference, followed] of raw.references) {
    const url = resolver.resolve(reference);
    units += url?.length ?? reference.length + resolver.baseUnits;
    // To resolve against it takes its time, however short what comes of it is.
    if (resolver.baseUnits > admittedUrlBytesMax) units += resolver.baseUnits;
    if (units > unitsMax) break;
    looked += 1;
    if (url === undefined) continue;
    followedByUrl.set(url, followed || followedByUrl.get(url) === true);
  }
  const leftOut = raw.referencesLeftOut + raw.references.size - looked;
  const links: ResolvedLinks = { followed: [], unfollowed: [], leftOut };
  for (const [url, followed] of followedByUrl) {
    (followed ? links.followed : links.unfollowed).push(url);
  }
  return links;
}

/** A refresh to something that is not http(s) is none. */
function resolveRefresh(raw: RawPage, resolver: LinkResolver): MetaRefresh | undefined {
  if (raw.refresh === undefined) return undefined;
  const { seconds, target } = raw.refresh;
  if (target === undefined) return { seconds };
  const url = resolver.resolve(withoutFragment(target));
  return url === undefined ? undefined : { seconds, url };
}
