import { payloadDigestText } from "../../src/core/archive/payload-digest.ts";
import { CrawlError } from "../../src/core/errors.ts";
import { hash64Bytes } from "../../src/core/hash/hash64.ts";
import type { ExclusionReason } from "../../src/core/jobs/exclusion.ts";
import type { JobDefinition, JobOptions } from "../../src/core/jobs/job-definition.ts";
import { compileJobRules, judgeUrls, type JobRules } from "../../src/core/jobs/job-rules.ts";
import { isHtml } from "../../src/core/page/content-type.ts";
import { packKeyedLinks, type KeyedLink } from "../../src/core/page/packed-links.ts";
import { noLinks, type ExcludedLinks, type PageContent } from "../../src/core/page/parsed-page.ts";
import { planRedirect } from "../../src/core/page/redirect.ts";
import type { CanonicalUrl, HostName, Millis, SiteName } from "../../src/core/units.ts";
import { dedupeKey } from "../../src/core/url/dedupe-key.ts";
import { hostOf, siteOfHost } from "../../src/core/url/site-of.ts";
import type { EncodedCapture } from "../../src/ports/archive.ts";
import type {
  JudgeRequest,
  PageParser,
  ParsedPage,
  ParseRequest,
} from "../../src/ports/page-parser.ts";
import type { VirtualPages } from "./virtual-pages.ts";
import type { VirtualProcess } from "./virtual-process.ts";

const sitesMax = 16_384;

/** Bytes of every capture: nobody reads them, the archive makes a page anew from its URL. */
const captureBytes = new Uint8Array(512);
const captureResponseLength = 384;
const recordId = "<urn:uuid:00000000-0000-4000-8000-000000000000>";

/** Threads of a peer's machine would work on so many pages at once. */
const pendingMax = 16;

/**
 * Takes a virtual page's links from the true graph and judges them as the real parser does. What is not there, because
 * no bytes are read: titles, charsets, records of the archive.
 *
 * @param parseMs how long a page takes
 */
export class VirtualParser implements PageParser {
  readonly pendingMax = pendingMax;
  readonly #pages: VirtualPages;
  readonly #process: VirtualProcess;
  readonly #parseMs: Millis;
  /** By the options themselves: two members may change a job at once, and a draft of one has the revision of what is refused. */
  readonly #rules = new WeakMap<JobOptions, JobRules>();
  readonly #sites = new Map<HostName, SiteName>();
  #isRunning = false;

  constructor(pages: VirtualPages, process: VirtualProcess, parseMs: Millis = 0) {
    this.#pages = pages;
    this.#process = process;
    this.#parseMs = parseMs;
  }

  start(): Promise<void> {
    return this.#process.answer(() => {
      this.#isRunning = true;
    });
  }

  stop(): Promise<void> {
    return this.#process.answer(() => {
      this.#isRunning = false;
    });
  }

  /** Not SHA-1: 160 bits that are equal where the bytes are, which is all that anybody asks of it here. */
  payloadDigest(payload: Uint8Array): string {
    const words = new BigUint64Array(3);
    for (let word = 0; word < words.length; word += 1) {
      words[word] = hash64Bytes(payload, BigInt(word));
    }
    return payloadDigestText(new Uint8Array(words.buffer, 0, 20));
  }

  async parse(request: ParseRequest): Promise<ParsedPage> {
    if (this.#parseMs > 0) await this.#process.clock.sleep(this.#parseMs);
    return this.#process.answer(() => {
      if (!this.#isRunning) throw new CrawlError("PARSER_CRASHED", "the parser is not running");
      const { job } = request;
      const redirect = planRedirect(request, this.#rulesOf(job), job.options);
      return { ...this.#content(request), redirect, capture: captureOf(request) };
    });
  }

  judgeUrls(request: JudgeRequest): Promise<(ExclusionReason | undefined)[]> {
    return this.#process.answer(() => {
      if (!this.#isRunning) throw new CrawlError("PARSER_CRASHED", "the parser is not running");
      return judgeUrls(this.#rulesOf(request.job), request);
    });
  }

  #content({ exchange, body, contentHeaders, follow, job, depth }: ParseRequest): PageContent {
    const url = exchange.url as CanonicalUrl;
    const typeAt = contentHeaders.indexOf("content-type");
    const html = isHtml(typeAt < 0 ? undefined : contentHeaders[typeAt + 1], body);
    const nothing = { html, links: noLinks, excluded: [], noindex: false };
    if (!html || !follow) return nothing;
    const { links, noindex, nofollow } = this.#pages.content(body, url);
    const host = hostOf(url);
    const source = { host, site: this.#siteOf(host), depth };
    const rules = this.#rulesOf(job);
    const sorter = new LinkSorter(url, job.options.normalizeQuery);
    // As in a document: a link that is followed somewhere counts, wherever the others stand.
    for (const link of links) {
      if (!link.nofollow && !nofollow) sorter.add(link.url, rules.judge(link.url, source));
    }
    for (const link of links) if (link.nofollow || nofollow) sorter.add(link.url, "nofollow");
    return { html, ...sorter.packed(), noindex };
  }

  #rulesOf(job: JobDefinition): JobRules {
    const known = this.#rules.get(job.options);
    if (known !== undefined) return known;
    const rules = compileJobRules(job);
    this.#rules.set(job.options, rules);
    return rules;
  }

  #siteOf(host: HostName): SiteName {
    const known = this.#sites.get(host);
    if (known !== undefined) return known;
    if (this.#sites.size >= sitesMax) this.#sites.clear();
    const site = siteOfHost(host);
    this.#sites.set(host, site);
    return site;
  }
}

/** Of the links with one dedupe key the first that is followed counts, or else the first. */
class LinkSorter {
  readonly #normalizeQuery: boolean;
  readonly #ownKey: string;
  readonly #followed = new Map<string, KeyedLink>();
  readonly #excluded = new Map<string, KeyedLink & { readonly reason: ExclusionReason }>();

  constructor(page: CanonicalUrl, normalizeQuery: boolean) {
    this.#normalizeQuery = normalizeQuery;
    this.#ownKey = dedupeKey(page, { normalizeQuery });
  }

  add(url: CanonicalUrl, reason: ExclusionReason | undefined): void {
    const key = dedupeKey(url, { normalizeQuery: this.#normalizeQuery });
    if (key === this.#ownKey || this.#followed.has(key)) return;
    if (reason === undefined) this.#followed.set(key, { url, key });
    else if (!this.#excluded.has(key)) this.#excluded.set(key, { url, key, reason });
  }

  packed(): Pick<PageContent, "links" | "excluded"> {
    const excluded = [...this.#excluded.values()].filter(({ key }) => !this.#followed.has(key));
    const byReason = Map.groupBy(excluded, ({ reason }) => reason);
    return {
      links: packKeyedLinks([...this.#followed.values()]),
      excluded: Array.from(byReason, ([reason, links]): ExcludedLinks => ({
        reason,
        links: packKeyedLinks(links),
      })),
    };
  }
}

function captureOf({ exchange, payloadDigest, revisitOf }: ParseRequest): EncodedCapture {
  const { url, fetchedAtMs, status } = exchange;
  const mime = revisitOf === undefined ? "text/html" : "warc/revisit";
  const index = { url, fetchedAtMs, status, mime, payloadDigest, recordId };
  return { bytes: captureBytes, responseLength: captureResponseLength, index };
}
