import type { Exchange } from "../archive/capture.ts";
import type { ExclusionReason } from "../jobs/exclusion.ts";
import type { JobOptions } from "../jobs/job-definition.ts";
import type { JobRules } from "../jobs/job-rules.ts";
import { headerField } from "../net/header-fields.ts";
import type { CanonicalUrl } from "../units.ts";
import { dedupeKey } from "../url/dedupe-key.ts";
import { canonicalizeLocation } from "../url/header-url.ts";
import { hostOf, siteOfHost } from "../url/site-of.ts";

/** Redirects in a row, at most; browsers stop at 20, RFC 9110 section 15.4 asks for some limit. */
const redirectsMax = 10;

/** Where a redirect leads, and whether it is followed. */
export type RedirectPlan =
  | { readonly kind: "none" }
  /** Another page: it is admitted like a link, at the depth of the page that redirects. */
  | { readonly kind: "admit"; readonly target: CanonicalUrl; readonly chain: readonly string[] }
  /** Another spelling of the same page, for instance without a tracking parameter: the same record is asked again there. */
  | { readonly kind: "respell"; readonly target: CanonicalUrl; readonly chain: readonly string[] }
  /** Back to a page of the chain, in another spelling: the sieve knows that page, and it is asked again there. */
  | {
      readonly kind: "return";
      readonly target: CanonicalUrl;
      readonly chain: readonly string[];
      /** Spellings of the page that have been asked. */
      readonly attempts: number;
    }
  | {
      readonly kind: "end";
      readonly target: CanonicalUrl;
      readonly reason: ExclusionReason;
      readonly chain: readonly string[];
    };

/** Where a response leads that ends its URL's visit: a page that is asked again in another spelling has no end yet. */
export type FinalPlan = Exclude<RedirectPlan, { readonly kind: "respell" }>;

/** Statuses whose Location names the page's place (RFC 9110 section 15.4). */
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** A response, and the way to it. */
export interface Redirecting {
  readonly exchange: Pick<Exchange, "headers" | "status" | "url">;
  /** Links from a seed to the URL. */
  readonly depth: number;
  /** URLs whose redirects have led to it, the first one first. */
  readonly redirectChain: readonly string[];
}

/**
 * Decides what a response with a Location means. Redirects are not followed in place: each target goes the way of every
 * discovered URL, so that scope, dedupe, robots and politeness hold for it too.
 */
export function planRedirect(
  { exchange, depth, redirectChain }: Redirecting,
  rules: JobRules,
  options: Pick<JobOptions, "normalizeQuery" | "sitemaps">,
): RedirectPlan {
  const location = headerField(exchange.headers, "location");
  if (!redirectStatuses.has(exchange.status) || location === undefined) return { kind: "none" };
  const from = { url: exchange.url as CanonicalUrl, depth };
  const target = canonicalizeLocation(location, from.url);
  if (target === undefined) return { kind: "none" };
  const chain = [...redirectChain, from.url];
  if (chain.includes(target)) return { kind: "end", target, reason: "redirect-loop", chain };
  if (chain.length > redirectsMax) return { kind: "end", target, reason: "redirect-limit", chain };
  const reason = judge(from, target, rules, options);
  if (reason) return { kind: "end", target, reason, chain };
  if (dedupeKey(target, options) === dedupeKey(from.url, options)) {
    return { kind: "respell", target, chain };
  }
  const attempts = spellingsAsked(target, redirectChain, options);
  if (attempts > 0) return { kind: "return", target, chain, attempts };
  return { kind: "admit", target, chain };
}

/** How many other spellings of `url` are in a redirect chain: each was one of its page's attempts, and was answered. */
export function spellingsAsked(
  url: CanonicalUrl,
  chain: readonly string[],
  options: { readonly normalizeQuery: boolean },
): number {
  if (chain.length === 0) return 0;
  const key = dedupeKey(url, options);
  return chain.filter((before) => dedupeKey(before, options) === key).length;
}

/**
 * A seed may lead to another host, as `example.com` does to `www.example.com`; a link's redirect keeps to the scope. That of
 * a sitemap leads to one, of which no more is asked than of the sitemap: what may not be followed as a link came as one.
 */
function judge(
  from: { readonly url: CanonicalUrl; readonly depth: number },
  target: CanonicalUrl,
  rules: JobRules,
  { sitemaps }: Pick<JobOptions, "sitemaps">,
): ExclusionReason | undefined {
  if (from.depth === 0) return rules.judgeSeed(target);
  const host = hostOf(from.url);
  const source = { host, site: siteOfHost(host), depth: from.depth - 1 };
  const isSitemap = sitemaps && rules.judge(from.url, source) !== undefined;
  return isSitemap ? rules.judgeSitemap(target, source) : rules.judge(target, source);
}
