export { parseRobots } from "./core/robots/parse-robots.ts";
export type { RobotsRules } from "./core/robots/parse-robots.ts";
export { canonicalizeUrl } from "./core/url/canonicalize-url.ts";
export { dedupeKey } from "./core/url/dedupe-key.ts";
export type { DedupeKeyOptions } from "./core/url/dedupe-key.ts";
export { siteOf } from "./core/url/site-of.ts";
export { defaultExtractOptions, extractLinks } from "./core/page/extract-links.ts";
export type { ExtractContext, ExtractOptions } from "./core/page/extract-links.ts";
export type { ExtractedPage, MetaRefresh } from "./core/page/parsed-page.ts";
