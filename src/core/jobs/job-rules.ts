import type { CanonicalUrl, HostName, SiteName } from "../units.ts";
import { hostOf, pathStartOf, siteOfHost } from "../url/site-of.ts";
import type { ExclusionReason } from "./exclusion.ts";
import type { JobDefinition, JobOptions, JobScope } from "./job-definition.ts";
import { UrlPattern } from "./url-pattern.ts";
import { hasRepeatedSegments, isFarCalendarPage, pathSegmentCount } from "./trap-guards.ts";

/** The page that a link was found on. */
export interface LinkSource {
  readonly host: HostName;
  readonly site: SiteName;
  /** Links from a seed to the page. */
  readonly depth: number;
}

/**
 * What a job says of one URL, by the URL alone; the guards that count (pages of a host, queries of a path, pages of the
 * job) stand elsewhere.
 */
export interface JobRules {
  /** Why a link of the page `from` is not to be crawled; undefined: it is. */
  judge(link: CanonicalUrl, from: LinkSource): ExclusionReason | undefined;
  /**
   * Why a sitemap that the page's host, or an index of sitemaps, names is not to be read. Its URL says nothing of those in
   * it: `include` and the guards against traps do not apply.
   */
  judgeSitemap(link: CanonicalUrl, from: LinkSource): ExclusionReason | undefined;
  /**
   * Why a seed is not to be crawled. A seed was asked for by name: neither scope nor `include` apply, which say what is
   * to be followed from it, nor the guards against traps.
   */
  judgeSeed(link: CanonicalUrl): ExclusionReason | undefined;
}

/** Whether a job takes no URL of this length, whatever it is: told without a pattern. */
export function isTooLong(link: string, { urlBytesMax }: Pick<JobOptions, "urlBytesMax">): boolean {
  return link.length > urlBytesMax;
}

/** The rules of a job whose options are valid, made ready to judge many links. */
export function compileJobRules(definition: JobDefinition): JobRules {
  return new CompiledRules(definition.options);
}

/** Why each of the URLs is not to be crawled, in their order: as a sitemap that the host of the page `from` names, or as a seed. */
export function judgeUrls(
  rules: JobRules,
  { urls, from }: { readonly urls: readonly CanonicalUrl[]; readonly from?: LinkSource },
): (ExclusionReason | undefined)[] {
  return urls.map((url) => (from ? rules.judgeSitemap(url, from) : rules.judgeSeed(url)));
}

class CompiledRules implements JobRules {
  readonly #options: JobOptions;
  readonly #include: readonly UrlPattern[];
  readonly #exclude: readonly UrlPattern[];
  readonly #sites = new SiteMemo();

  constructor(options: JobOptions) {
    this.#options = options;
    this.#include = options.include.map((source) => new UrlPattern(source));
    this.#exclude = options.exclude.map((source) => new UrlPattern(source));
  }

  judge(link: CanonicalUrl, from: LinkSource): ExclusionReason | undefined {
    return this.#judgePlace(link, from) ?? this.#judgeContent(link);
  }

  judgeSitemap(link: CanonicalUrl, from: LinkSource): ExclusionReason | undefined {
    return this.#judgePlace(link, from);
  }

  judgeSeed(link: CanonicalUrl): ExclusionReason | undefined {
    if (isTooLong(link, this.#options)) return "url-length";
    return this.#isExcluded(link) ? "pattern" : undefined;
  }

  #judgePlace(link: CanonicalUrl, from: LinkSource): ExclusionReason | undefined {
    const { scope, depthMax } = this.#options;
    if (!this.#inScope(scope, link, from)) return "scope";
    return from.depth >= depthMax ? "depth" : this.judgeSeed(link);
  }

  #judgeContent(link: CanonicalUrl): ExclusionReason | undefined {
    return this.#isIncluded(link) ? this.#judgeTrap(link) : "pattern";
  }

  #inScope(scope: JobScope, link: CanonicalUrl, from: LinkSource): boolean {
    switch (scope) {
      case "page":
        return false;
      case "host":
        return hostOf(link) === from.host;
      case "site":
        return this.#isOnSite(hostOf(link), from);
      case "any":
        return true;
    }
  }

  /** Asks the Public Suffix List only of names below the site: `a.github.io` is below `github.io` and another site. */
  #isOnSite(host: HostName, from: LinkSource): boolean {
    if (host === from.host || host === (from.site as string)) return true;
    return host.endsWith(`.${from.site}`) && this.#sites.siteOf(host) === from.site;
  }

  #isExcluded(link: CanonicalUrl): boolean {
    return this.#exclude.some((pattern) => pattern.test(link));
  }

  #isIncluded(link: CanonicalUrl): boolean {
    return this.#include.length === 0 || this.#include.some((pattern) => pattern.test(link));
  }

  #judgeTrap(link: CanonicalUrl): ExclusionReason | undefined {
    const { pathSegmentsMax, segmentRepeatsMax } = this.#options;
    const start = pathStartOf(link);
    const segments = pathSegmentCount(link, start);
    if (segments > pathSegmentsMax) return "path-depth";
    if (segments > segmentRepeatsMax && hasRepeatedSegments(link, start, segmentRepeatsMax)) {
      return "repeated-segments";
    }
    return isFarCalendarPage(link, start) ? "calendar" : undefined;
  }
}

/** The last answer, since the links of a page to a neighbouring host come together. */
class SiteMemo {
  #host: HostName | undefined;
  #site: SiteName | undefined;

  siteOf(host: HostName): SiteName {
    if (host !== this.#host || this.#site === undefined) {
      this.#host = host;
      this.#site = siteOfHost(host);
    }
    return this.#site;
  }
}
