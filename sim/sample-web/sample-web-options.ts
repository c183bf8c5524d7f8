import type { Millis } from "../../src/core/units.ts";

/**
 * What a URL of the sample web is. Every kind but `ordinary` has a share; pages of a kind without links never carry
 * the tree that makes a site reachable, so that an error page loses nothing but itself.
 */
export const pageKinds = [
  /** HTML page that is part of its site's tree. */
  "ordinary",
  /** HTML page whose answer waits `slowMs`. */
  "slow",
  /** HTML page that answers 429 with Retry-After the first `throttleHits` times. */
  "throttled",
  /** HTML page that answers 503 with Retry-After the first `throttleHits` times. */
  "unavailable",
  /** Dangling link: always 404. */
  "missing",
  /** Always 500. */
  "failing",
  /** The connection is reset instead of an answer, always. */
  "reset",
  /** 200 with a content type that is not HTML. */
  "other",
  /** Same body, byte for byte, as an ordinary page of its host. */
  "duplicate",
  /** HTML page in the part of the site that robots.txt rules speak about. */
  "ruled",
  /** HTML page that says `noindex, nofollow` of itself. */
  "unindexed",
  /** Redirect; runs of them form chains, of which only the head is linked. */
  "redirect",
  /** Redirect that is part of a loop of up to three URLs, of which only the first is linked. */
  "loop",
  /** HTML page that is linked with rel=nofollow only. */
  "nofollowed",
  /** HTML page that nothing links to. */
  "orphan",
] as const;

export type PageKind = (typeof pageKinds)[number];
export type SpecialKind = Exclude<PageKind, "ordinary">;

/** Shape and faults of a sample web. All shares are between 0 and 1. */
export interface SampleWebOptions {
  /** Everything random follows from it and from names. @default 1 */
  readonly seed: number;
  /** `names`: www.site-0007.example and so on; `addresses`: each site is one IPv4 literal. @default "names" */
  readonly naming: "names" | "addresses";
  /** @default 20 */
  readonly sites: number;
  /** Hosts of one site (www, docs, blog, ...); 1 with `addresses`. @default 2 */
  readonly hostsPerSite: number;
  /**
   * First number of the hosts' addresses: 127 keeps the web on its machine, any other takes a machine that has that block.
   * @default 127
   */
  readonly addressBlock: number;
  /** Hosts that share one IP address; 1 with `addresses`. @default 1 */
  readonly hostsPerAddress: number;
  /**
   * `block`: `addressBlock` has an address for each `hostsPerAddress` hosts; `one`: all hosts are at 127.0.0.1, the only
   * loopback address that every system has. @default "block"
   */
  readonly addressing: "block" | "one";
  /** URLs of all sites together, those of every kind included; robots.txt and traps are not counted. @default 2_000 */
  readonly totalPages: number;
  /** Site of rank r has a number of pages in proportion to r to the power of minus this (Zipf); 0 makes all equal. @default 0.8 */
  readonly pagesExponent: number;
  /** Children of a page in its site's tree: 1 is one long chain, more is flatter. @default 8 */
  readonly branching: number;
  /** Mean number of links of an HTML page; its children in the tree are always linked. @default 12 */
  readonly linksPerPage: number;
  /** Share of the links beyond the tree that lead to another site; 0 leaves all sites apart. @default 0.1 */
  readonly crossSiteShare: number;
  /** Mean size of an HTML page; a page is larger where its links need it. @default 4_096 */
  readonly bytesPerPage: number;
  /** Tail index of the Pareto law of page sizes, above 1 (1.2 is heavy); 0 makes all sizes equal. @default 0 */
  readonly bytesExponent: number;
  /** Bound of that law. @default 1 MiB */
  readonly bytesMax: number;
  /** Share of each kind in `totalPages`, exact but for rounding by site. */
  readonly shares: Readonly<Record<SpecialKind, number>>;
  /** @default 200 */
  readonly slowMs: Millis;
  /** Hits of a throttled or unavailable URL that are sent away. @default 1 */
  readonly throttleHits: number;
  /** @default 1 */
  readonly retryAfterSeconds: number;
  /** Redirects in a row, at most. @default 3 */
  readonly redirectChainMax: number;
  /** Share of HTML pages in windows-1252, shift_jis or UTF-16 instead of UTF-8. @default 0.1 */
  readonly charsetShare: number;
  /** Share of HTML pages offered in gzip, br or zstd. @default 0.2 */
  readonly compressedShare: number;
  /** Share of HTML pages sent in chunks instead of with a Content-Length. @default 0.1 */
  readonly chunkedShare: number;
  /** Share of HTML pages with a `<base href>`, against which their links are written. @default 0.05 */
  readonly baseShare: number;
  /** Share of HTML pages one of whose links is a meta refresh. @default 0.03 */
  readonly refreshShare: number;
  /** Share of links in another spelling of the same URL: fragment, dot segments, upper-case host, escapes. @default 0.1 */
  readonly variantShare: number;
  /** Share of links that carry a session id or a tracking parameter: one page under endless URLs. @default 0.02 */
  readonly sessionShare: number;
  /** Share of hosts without a robots.txt (404). @default 0.2 */
  readonly robotsMissingShare: number;
  /** Share of hosts whose robots.txt answers 503, so that nothing there may be fetched. @default 0 */
  readonly robotsFailingShare: number;
  /** Share of hosts with a Crawl-delay, among those with a robots.txt. @default 0 */
  readonly crawlDelayShare: number;
  /** @default 2 */
  readonly crawlDelaySeconds: number;
  /** Share of sites whose root links to an endless calendar, an endless path and an endless query space. @default 0 */
  readonly trapShare: number;
}

const noShares: Readonly<Record<SpecialKind, number>> = Object.freeze({
  slow: 0,
  throttled: 0,
  unavailable: 0,
  missing: 0,
  failing: 0,
  reset: 0,
  other: 0,
  duplicate: 0,
  ruled: 0,
  unindexed: 0,
  redirect: 0,
  loop: 0,
  nofollowed: 0,
  orphan: 0,
});

/** A small web with a little of every fault that a crawl can live through without waiting long. */
export const defaultSampleWebOptions: SampleWebOptions = Object.freeze({
  seed: 1,
  naming: "names",
  sites: 20,
  hostsPerSite: 2,
  addressBlock: 127,
  hostsPerAddress: 1,
  addressing: "block",
  totalPages: 2_000,
  pagesExponent: 0.8,
  branching: 8,
  linksPerPage: 12,
  crossSiteShare: 0.1,
  bytesPerPage: 4_096,
  bytesExponent: 0,
  bytesMax: 1_048_576,
  shares: Object.freeze({
    ...noShares,
    slow: 0.005,
    throttled: 0.003,
    unavailable: 0.002,
    missing: 0.02,
    failing: 0.003,
    reset: 0.001,
    other: 0.02,
    duplicate: 0.02,
    ruled: 0.03,
    unindexed: 0.005,
    redirect: 0.03,
    loop: 0.003,
    nofollowed: 0.01,
    orphan: 0.01,
  }),
  slowMs: 200,
  throttleHits: 1,
  retryAfterSeconds: 1,
  redirectChainMax: 3,
  charsetShare: 0.1,
  compressedShare: 0.2,
  chunkedShare: 0.1,
  baseShare: 0.05,
  refreshShare: 0.03,
  variantShare: 0.1,
  sessionShare: 0.02,
  robotsMissingShare: 0.2,
  robotsFailingShare: 0,
  crawlDelayShare: 0,
  crawlDelaySeconds: 2,
  trapShare: 0,
});

/** A web without any fault or oddity: for measurements, and as a start for tests of one knob. */
export const plainSampleWebOptions: SampleWebOptions = Object.freeze({
  ...defaultSampleWebOptions,
  shares: noShares,
  charsetShare: 0,
  compressedShare: 0,
  chunkedShare: 0,
  baseShare: 0,
  refreshShare: 0,
  variantShare: 0,
  sessionShare: 0,
  robotsMissingShare: 0,
});

/** Beyond it begins multicast. */
const unicastBlockMax = 223;

/** Hosts that have a place in 127.1.0.0 to 127.254.255.255, 250 to a /24. */
const addressesMax = 254 * 256 * 250;

/** What is wrong with `options`, one sentence each; empty when nothing is. */
export function sampleWebProblems(options: SampleWebOptions): string[] {
  const problems: string[] = [];
  const counts = ["sites", "hostsPerSite", "hostsPerAddress", "totalPages", "branching"] as const;
  for (const name of counts) {
    if (!Number.isSafeInteger(options[name]) || options[name] < 1) {
      problems.push(`${name} must be a whole number above 0, got ${options[name]}`);
    }
  }
  const named = Object.entries(options).filter(([name]) => name.endsWith("Share"));
  for (const [name, share] of [...named, ...Object.entries(options.shares)]) {
    if (typeof share !== "number" || !(share >= 0 && share <= 1)) {
      problems.push(`${name} must be between 0 and 1, got ${String(share)}`);
    }
  }
  const { addressBlock } = options;
  if (!Number.isSafeInteger(addressBlock) || addressBlock < 1 || addressBlock > unicastBlockMax) {
    problems.push(`addressBlock must be a whole number from 1 to 223, got ${addressBlock}`);
  }
  if (options.totalPages < options.sites) {
    problems.push(`totalPages (${options.totalPages}) must be at least sites (${options.sites})`);
  }
  if (options.totalPages > 2 ** 31) problems.push("totalPages must be at most 2^31");
  if (Object.values(options.shares).reduce((sum, share) => sum + share, 0) > 0.9) {
    problems.push("the shares of all kinds together must leave a tenth to ordinary pages");
  }
  if (options.naming === "addresses" && options.addressing === "one") {
    problems.push("naming by addresses needs an address for each host");
  }
  if (options.naming === "addresses" && options.hostsPerSite * options.hostsPerAddress !== 1) {
    problems.push("naming by addresses needs hostsPerSite and hostsPerAddress of 1");
  }
  if (options.bytesExponent !== 0 && options.bytesExponent <= 1) {
    problems.push(`bytesExponent must be 0 or above 1, got ${options.bytesExponent}`);
  }
  if (options.sites * options.hostsPerSite > addressesMax) problems.push("too many hosts");
  return problems;
}
