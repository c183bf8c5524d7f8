import { headerField, headerFields } from "../net/header-fields.ts";
import { invariant } from "../errors.ts";
import type { ExclusionReason } from "../jobs/exclusion.ts";
import type { JobRules, LinkSource } from "../jobs/job-rules.ts";
import type { CanonicalUrl } from "../units.ts";
import { canonicalizeUrl } from "../url/canonicalize-url.ts";
import { dedupeKey } from "../url/dedupe-key.ts";
import { canonicalizeFieldUrl } from "../url/header-url.ts";
import { hostOf, siteOfHost } from "../url/site-of.ts";
import { isHtml } from "./content-type.ts";
import { defaultExtractOptions, extractLinks } from "./extract-links.ts";
import { readLinkHeader, type HeaderLink } from "./link-header.ts";
import { parseRefresh } from "./meta-refresh.ts";
import { packKeyedLinks, type KeyedLink } from "./packed-links.ts";
import {
  type ExcludedLinks,
  type ExtractedPage,
  type MetaRefresh,
  type PackedLinks,
  type PageContent,
} from "./parsed-page.ts";
import type { EncodingTables } from "./query-encoder.ts";
import { beginsSitemap, readSitemap, type Sitemap } from "./read-sitemap.ts";
import { mergeDirectives, noDirectives, type RobotsDirectives } from "./robots-directives.ts";
import { parseXRobotsTag } from "./x-robots-tag.ts";

/** A fetched page and what decides about its links. */
export interface PageInput {
  /** Canonical URL that was fetched. */
  readonly url: string;
  /** Response header fields: name, value, name, value. */
  readonly headers: readonly string[];
  /** Body with its content coding removed. */
  readonly body: Uint8Array;
  /** Whether it ends where the server did not mean it to. */
  readonly isCut?: boolean;
  /** False: neither the document nor a `Refresh` or `Link` header leads anywhere. */
  readonly follow: boolean;
  /** Links from a seed to this page. */
  readonly depth: number;
  /** Canonical URLs of the sitemaps that the page's host names, which are followed as its links are. */
  readonly sitemaps: readonly string[];
  /** Whether the body may be a sitemap. */
  readonly readsSitemaps: boolean;
  readonly rules: JobRules;
  readonly normalizeQuery: boolean;
  /** Name under which pages address the crawler alone, in lower case. */
  readonly botName: string;
}

/**
 * Everything that a response says about the crawl's next steps.
 *
 * A link is followed where neither the page nor the link says nofollow and the job's rules let it pass; any other
 * one is excluded, with the reason. What X-Robots-Tag and the page's meta say adds up. A refresh, by header or in the
 * document, is reported and is a link too; so is each URL of a sitemap, and what the `Link` header names as another page.
 *
 * Invariant: no dedupe key comes twice in all the links of the result, and the page's own does not come at all.
 */
export function parsePage(input: PageInput, tables?: EncodingTables): PageContent {
  const contentType = contentTypeOf(input.headers);
  // Scripts that write sitemaps often leave them the type of their pages.
  const isSitemap = input.readsSitemaps && beginsSitemap(input.body);
  const html = isHtml(contentType, input.body) && !isSitemap;
  if (!input.follow) return { html, ...nothingFollowed(input) };
  const page = html ? extract(input, contentType, tables) : undefined;
  const sitemap =
    html || !input.readsSitemaps ? undefined : readSitemap(input.body, { ...input, contentType });
  const ofHeader = headerRefresh(input);
  const headerLinks = readLinkHeader(headerFields(input.headers, "link"), input.url);
  const linksLeftOut = headerLinks.leftOut + (page?.linksLeftOut ?? sitemap?.leftOut ?? 0);
  const { noindex, nofollow } = directivesOf(input, page);
  return {
    html,
    ...sortLinks(input, {
      page,
      sitemap,
      refreshUrl: ofHeader?.url ?? page?.refresh?.url,
      headerLinks: headerLinks.links,
      nofollow,
    }),
    noindex,
    ...(linksLeftOut > 0 && { linksLeftOut }),
    ...(page?.title === undefined ? {} : { title: page.title }),
    ...(page === undefined ? {} : { charset: page.charset }),
  };
}

function extract(
  { url, body, botName }: PageInput,
  contentType: string | undefined,
  tables: EncodingTables | undefined,
): ExtractedPage {
  const options = {
    ...defaultExtractOptions,
    botName,
    ...(tables !== undefined && { tables }),
  };
  return extractLinks(body, { url, contentType }, options);
}

/** Several fields are one list (RFC 9110, section 5.2). */
function contentTypeOf(headers: readonly string[]): string | undefined {
  const values = headerFields(headers, "content-type");
  return values.length > 1 ? values.join(", ") : values[0];
}

/** The host's sitemaps are none of the response's links. */
function nothingFollowed(input: PageInput): Omit<PageContent, "html"> {
  const { noindex } = directivesOf(input, undefined);
  const sorter = new LinkSorter(input);
  for (const link of input.sitemaps) sorter.addSitemap(link, false);
  return { ...sorter.packed(), noindex };
}

/** `Refresh` as browsers know it: what `<meta http-equiv=refresh>` imitates, and stronger than it. */
function headerRefresh({ headers, url }: PageInput): MetaRefresh | undefined {
  const value = headerField(headers, "refresh");
  const instruction = value === undefined ? undefined : parseRefresh(value);
  if (instruction === undefined) return undefined;
  const { seconds, target } = instruction;
  if (target === undefined) return { seconds };
  const resolved = canonicalizeFieldUrl(target, url);
  return resolved === undefined ? undefined : { seconds, url: resolved };
}

function directivesOf(
  { headers, botName }: PageInput,
  page: ExtractedPage | undefined,
): RobotsDirectives {
  return mergeDirectives(
    parseXRobotsTag(headerFields(headers, "x-robots-tag"), botName),
    page ?? noDirectives,
  );
}

interface SortedLinks {
  readonly links: PackedLinks;
  readonly excluded: readonly ExcludedLinks[];
}

/** What a response leads to. */
interface Leads {
  readonly page: ExtractedPage | undefined;
  readonly sitemap: Sitemap | undefined;
  readonly refreshUrl: string | undefined;
  readonly headerLinks: readonly HeaderLink[];
  /** Whether it says nofollow of all of them. */
  readonly nofollow: boolean;
}

function sortLinks(input: PageInput, leads: Leads): SortedLinks {
  const { page, sitemap, refreshUrl, headerLinks, nofollow } = leads;
  const sorter = new LinkSorter(input);
  if (refreshUrl !== undefined) sorter.add(refreshUrl, nofollow);
  for (const { url, followed } of headerLinks) sorter.add(url, nofollow || !followed);
  for (const link of page?.links ?? []) sorter.add(link, nofollow);
  for (const link of page?.nofollowLinks ?? []) sorter.add(link, true);
  for (const link of sitemap?.urls ?? []) {
    if (sitemap?.isIndex) sorter.addSitemap(link, nofollow);
    else sorter.add(link, nofollow);
  }
  for (const link of input.sitemaps) sorter.addSitemap(link, false);
  return sorter.packed();
}

/** Judges links one after another; of those with one dedupe key the first that is not excluded counts. */
class LinkSorter {
  readonly #input: PageInput;
  readonly #source: LinkSource;
  readonly #ownKey: string;
  readonly #followed = new Map<string, KeyedLink>();
  readonly #excluded = new Map<string, KeyedLink & { readonly reason: ExclusionReason }>();

  constructor(input: PageInput) {
    const url = canonicalizeUrl(input.url);
    invariant(url !== undefined, "parsePage: the page has no http(s) URL");
    const host = hostOf(url);
    this.#input = input;
    this.#source = { host, site: siteOfHost(host), depth: input.depth };
    this.#ownKey = this.#keyOf(url);
  }

  /** `link` is canonical. */
  add(link: string, nofollow: boolean): void {
    this.#add(link as CanonicalUrl, nofollow, "judge");
  }

  /** `link` is canonical, and leads to a sitemap. */
  addSitemap(link: string, nofollow: boolean): void {
    this.#add(link as CanonicalUrl, nofollow, "judgeSitemap");
  }

  #add(url: CanonicalUrl, nofollow: boolean, judge: "judge" | "judgeSitemap"): void {
    const key = this.#keyOf(url);
    if (key === this.#ownKey || this.#followed.has(key)) return;
    const reason = nofollow ? "nofollow" : this.#input.rules[judge](url, this.#source);
    if (reason === undefined) this.#followed.set(key, { url, key });
    else if (!this.#excluded.has(key)) this.#excluded.set(key, { url, key, reason });
  }

  packed(): SortedLinks {
    const byReason = new Map<ExclusionReason, KeyedLink[]>();
    for (const link of this.#excluded.values()) {
      if (this.#followed.has(link.key)) continue;
      const links = byReason.get(link.reason) ?? [];
      if (links.length === 0) byReason.set(link.reason, links);
      links.push(link);
    }
    return {
      links: packKeyedLinks([...this.#followed.values()]),
      excluded: Array.from(byReason, ([reason, links]) => ({
        reason,
        links: packKeyedLinks(links),
      })),
    };
  }

  #keyOf(url: CanonicalUrl): string {
    return dedupeKey(url, { normalizeQuery: this.#input.normalizeQuery });
  }
}
