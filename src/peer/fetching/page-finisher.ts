import type { Exchange, RevisitTarget } from "../../core/archive/capture.ts";
import { CrawlError } from "../../core/errors.ts";
import { isRedirectFault } from "../../core/jobs/exclusion.ts";
import { headerField, updatedFields } from "../../core/net/header-fields.ts";
import { packLinks } from "../../core/page/packed-links.ts";
import { noLinks } from "../../core/page/parsed-page.ts";
import type { ExcludedLinks } from "../../core/page/parsed-page.ts";
import type { FinalPlan, RedirectPlan } from "../../core/page/redirect.ts";
import type { UrlRecord } from "../../core/record/record.pb.ts";
import { urlState } from "../../core/record/url-state.ts";
import type { Archive, ArchiveLocation } from "../../ports/archive.ts";
import type { FetchResponse, RawHeaders } from "../../ports/fetcher.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Metrics } from "../../ports/metrics.ts";
import type { PageParser, ParsedPage, ParseRequest } from "../../ports/page-parser.ts";
import type { Store } from "../../ports/store.ts";
import type { Admission, AdmissionRequest } from "../admission/admission.ts";
import { payloadName } from "./digest-index.ts";
import type { DigestFinding, DigestIndex, PayloadName } from "./digest-index.ts";
import type { Frontier } from "../frontier/frontier.ts";
import type { Host } from "../frontier/host.ts";
import type { JobRegistry } from "../jobs/job-registry.ts";
import type { LeaseLog } from "../durability/lease-log.ts";
import type { Lease } from "../frontier/lease.ts";
import type { UnchangedFetch } from "./prior-fetches.ts";
import { settle } from "../durability/settlement.ts";
import type { LeaseEnd } from "../durability/settlement.ts";
import type { SieveKeeper } from "../admission/sieve-keeper.ts";
import { judgeSitemaps } from "./judge-sitemaps.ts";
import { SitemapOffers } from "./sitemap-offers.ts";
import type { VisitedRows } from "../durability/visited-rows.ts";
import { Slots } from "../slots.ts";
import { urlRow } from "../admission/url-row.ts";
import type { UrlRow } from "../admission/url-row.ts";

interface FinisherPorts {
  readonly archive: Archive;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly parser: PageParser;
  readonly store: Store;
}

interface FinisherParts {
  /** Whose archive it is. */
  readonly peerId: string;
  readonly admission: Admission;
  readonly digests: DigestIndex;
  readonly frontier: Frontier;
  readonly jobs: JobRegistry;
  readonly leases: LeaseLog;
  readonly sieve: SieveKeeper;
  /** Absent where no other member writes to the records. */
  readonly visited: VisitedRows | undefined;
}

type FetchedEnd = Extract<LeaseEnd, { kind: "fetched" }>;

/** The URLs that a response leads to. */
type UrlsOf = Pick<
  AdmissionRequest,
  "links" | "excluded" | "depth" | "redirectChain" | "archiveBytes" | "backTo"
>;

/** What is known of a response's content before it is parsed. */
interface Content {
  readonly digest: string;
  readonly payload: PayloadName;
  readonly earlier: DigestFinding;
  /** The earlier fetch whose content the server says is still the same. */
  readonly unchanged: UnchangedFetch | undefined;
}

/** Turns a response into its durable consequences: parsed, archived, its links admitted, its URL settled. */
export class PageFinisher {
  readonly #ports: FinisherPorts;
  readonly #parts: FinisherParts;
  readonly #parserSlots: Slots;
  readonly #sitemaps = new SitemapOffers();

  constructor(ports: FinisherPorts, parts: FinisherParts) {
    this.#ports = ports;
    this.#parserSlots = new Slots(ports.parser.pendingMax);
    this.#parts = parts;
  }

  /** Ends a lease without an archived response. What keeps its URL out may let the sitemaps of its host in. */
  async finish(lease: Lease, row: UrlRow, end: LeaseEnd): Promise<void> {
    const due = end.kind === "excluded" ? this.#sitemaps.due(lease) : [];
    const sitemaps = due.length > 0 ? await this.#judgeSitemaps(lease, due) : undefined;
    await this.#admit(lease, row, sitemaps ?? noUrls(lease), () => end);
    if (sitemaps) this.#sitemaps.taken(lease, due);
  }

  /**
   * Ends a lease with what the server answered.
   *
   * @param unchanged what a 304 says is still the same
   */
  async finishResponse(
    lease: Lease,
    row: UrlRow,
    exchange: Exchange,
    response: FetchResponse,
    unchanged: UnchangedFetch | undefined,
  ): Promise<void> {
    if (!response.bodyRead) {
      await this.finish(lease, row, { kind: "excluded", reason: "content-type" });
      return;
    }
    const digest = this.#ports.parser.payloadDigest(exchange.encodedBody);
    const payload = payloadName(digest, exchange.headers);
    const earlier = hasPayload(exchange) ? await this.#parts.digests.find(payload) : "unsure";
    const content: Content = {
      digest: unchanged?.record.payloadDigest ?? digest,
      payload,
      earlier,
      unchanged,
    };
    const sitemaps = this.#sitemaps.due(lease);
    const parsed = await this.#parse(lease, exchange, response, { ...content, sitemaps });
    if (!parsed) {
      await this.finish(lease, row, { kind: "failed", failure: "parse-failed" });
      return;
    }
    const { redirect: plan } = parsed;
    const archiveBytes = parsed.capture.bytes.length;
    if (plan.kind === "respell") {
      const { target, chain } = plan;
      // Who reads the archive has the URL of the link, and gets to the page by this alone.
      await this.#admit(lease, row, { ...noUrls(lease), archiveBytes }, () => {
        this.#append(parsed);
        return { kind: "again", url: target, redirectChain: chain, isUnseen: false };
      });
      return;
    }
    this.#tellOfLinksLeftOut(exchange.url, parsed);
    await this.#admit(lease, row, { ...urlsOf(lease, parsed, plan), archiveBytes }, (backHost) => {
      const location = this.#append(parsed);
      const end = this.#fetchedEnd(exchange, response, parsed, plan, { ...content, location });
      return plan.kind === "return" ? returnEnd(lease, end, plan, backHost) : end;
    });
    if (plan.kind === "none") this.#sitemaps.taken(lease, sitemaps);
  }

  #append({ capture }: ParsedPage): ArchiveLocation {
    this.#ports.metrics.count("archive_bytes_total", capture.bytes.length);
    return this.#ports.archive.append(capture);
  }

  async #parse(
    lease: Lease,
    exchange: Exchange,
    response: FetchResponse,
    content: Content & Pick<ParseRequest, "sitemaps">,
  ): Promise<ParsedPage | undefined> {
    const { url, job } = lease;
    const { digest, unchanged } = content;
    const revisitOf = revisitTarget(content);
    return this.#ask(lease, (parser) =>
      parser.parse({
        exchange,
        payloadDigest: digest,
        body: unchanged ? unchanged.response.body : response.body,
        contentHeaders: unchanged ? headInForce(unchanged, exchange) : exchange.headers,
        follow: isFollowed(response, content),
        job: job.definition,
        depth: url.entry.depth,
        redirectChain: url.entry.redirectChain,
        sitemaps: content.sitemaps,
        ...(revisitOf && { revisitOf }),
      }),
    );
  }

  async #judgeSitemaps(lease: Lease, sitemaps: readonly string[]): Promise<UrlsOf | undefined> {
    const judged = await this.#ask(lease, (parser) => judgeSitemaps(parser, lease, sitemaps));
    return judged && { ...judged, redirectChain: [] };
  }

  /** What the parser makes of the lease's URL; undefined where that breaks it. */
  async #ask<T>(
    { url }: Lease,
    question: (parser: PageParser) => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await this.#parserSlots.run(() => question(this.#ports.parser));
    } catch (error) {
      if (!(error instanceof CrawlError) || error.code !== "PARSER_CRASHED") throw error;
      // No page's fault: to go on would give up every page.
      if (error.details["url"] === undefined && error.details["job"] === undefined) throw error;
      this.#ports.logger.warn("parser-crashed", { url: url.entry.url, cause: error.message });
      return undefined;
    }
  }

  /** Nothing else tells of such links: they are in no record. */
  #tellOfLinksLeftOut(url: string, { linksLeftOut: links }: ParsedPage): void {
    if (links === undefined) return;
    this.#ports.logger.warn("links-left-out", { url, links });
    this.#ports.metrics.count("links_left_out_total", links);
  }

  #fetchedEnd(
    exchange: Exchange,
    response: FetchResponse,
    parsed: ParsedPage,
    plan: FinalPlan,
    {
      digest,
      payload,
      earlier,
      unchanged,
      location,
    }: Content & { readonly location: ArchiveLocation },
  ): FetchedEnd {
    const { status } = response;
    const { url } = exchange;
    const fetchedAtMs = Math.floor(exchange.fetchedAtMs);
    const body =
      (typeof earlier === "object" ? earlier.capture : undefined) ??
      unchanged?.record.body ??
      unchanged?.record.capture;
    return {
      kind: "fetched",
      isPage: (status === 200 || unchanged !== undefined) && parsed.html,
      record: {
        ...describe(response, parsed, unchanged),
        fetchedAtMs,
        payloadDigest: digest,
        capture: location,
        capturedBy: this.#parts.peerId,
        ...(body && { body }),
        ...(plan.kind !== "none" && { redirect: plan.target }),
        ...(plan.kind === "end" && isRedirectFault(plan.reason) && { excluded: plan.reason }),
      },
      extraOps:
        earlier === "new"
          ? this.#parts.digests.add(payload, { url, fetchedAtMs, capture: location })
          : [],
    };
  }

  async #admit(
    lease: Lease,
    row: UrlRow,
    urls: UrlsOf,
    endOf: (backHost: Host | undefined) => LeaseEnd,
  ): Promise<void> {
    await this.#parts.admission.admit({
      job: lease.job,
      source: lease.host,
      ...urls,
      ...foundOn(lease, urls),
      settle: (backHost) =>
        settle(lease, row, endOf(backHost), {
          frontier: this.#parts.frontier,
          leases: this.#parts.leases,
          metrics: this.#ports.metrics,
          visited: this.#parts.visited,
        }),
    });
  }
}

/** Fields by which a head says where its page leads, and whether that is followed. */
const leadingFields: readonly string[] = ["link", "refresh", "x-robots-tag"];

/** The head of what has not changed, with what its 304 says anew of where it leads (RFC 9111, section 4.3.4). */
function headInForce({ headers }: UnchangedFetch, notModified: Exchange): RawHeaders {
  return leadingFields.reduce(
    (fields, name) => updatedFields(fields, notModified.headers, name),
    headers,
  );
}

/** The earlier capture that a revisit record will refer to, where the content is in the archive already. */
function revisitTarget({ digest, earlier, unchanged }: Content): RevisitTarget | undefined {
  if (unchanged) {
    const { url, fetchedAtMs } = unchanged.response;
    return { url, fetchedAtMs, reason: "server-not-modified", payloadDigest: digest };
  }
  if (typeof earlier !== "object") return undefined;
  const { url, fetchedAtMs } = earlier;
  return { url, fetchedAtMs, reason: "identical-payload-digest", payloadDigest: digest };
}

/**
 * The page that the chain leads back to is asked again, unless that is for another member to do: it could not be told from
 * a page that is known there, so the chain ends here.
 */
function returnEnd(
  { job, url: { entry } }: Lease,
  end: FetchedEnd,
  { target, chain, attempts }: Extract<RedirectPlan, { kind: "return" }>,
  host: Host | undefined,
): FetchedEnd {
  if (!host) return { ...end, record: { ...end.record, excluded: "redirect-loop" } };
  const { key: rowKey } = urlRow(target, job);
  const back = { ...entry, url: target, attempts, unseen: 0, redirectChain: [...chain] };
  return { ...end, back: { host, job, rowKey, entry: back } };
}

/** The page that has the link to these URLs: not one that redirects to them, which people never see. */
function foundOn({ url }: Lease, { redirectChain }: UrlsOf): Pick<AdmissionRequest, "via"> {
  const via = redirectChain.length > 0 ? url.entry.via : url.entry.url;
  return via === undefined ? {} : { via };
}

function noUrls({ url }: Lease): UrlsOf {
  return { links: noLinks, excluded: [], depth: url.entry.depth, redirectChain: [] };
}

function urlsOf({ url, job }: Lease, parsed: ParsedPage, plan: FinalPlan): UrlsOf {
  const { normalizeQuery } = job.definition.options;
  const { depth } = url.entry;
  switch (plan.kind) {
    case "none": {
      const { links, excluded } = parsed;
      return { links, excluded, depth: depth + 1, redirectChain: [] };
    }
    case "return":
      return { links: noLinks, excluded: [], depth, redirectChain: [], backTo: plan.target };
    case "admit":
      return {
        links: packLinks([plan.target], normalizeQuery),
        excluded: [],
        depth,
        redirectChain: plan.chain,
      };
    case "end": {
      const links = packLinks([plan.target], normalizeQuery);
      const excluded: ExcludedLinks[] = [{ reason: plan.reason, links }];
      return { links: noLinks, excluded, depth, redirectChain: plan.chain };
    }
  }
}

/** Type and length are those of the content: where nothing has changed, the answer has none of its own. */
function describe(
  response: FetchResponse,
  parsed: ParsedPage,
  unchanged: UnchangedFetch | undefined,
): Partial<UrlRecord> & { readonly httpStatus: number } {
  const { status, truncation } = response;
  const { headers } = unchanged ?? response;
  const { body } = unchanged?.response ?? response;
  const contentType = headerField(headers, "content-type");
  const etag = headerField(headers, "etag");
  const lastModified = headerField(headers, "last-modified");
  return {
    state: urlState.done,
    httpStatus: status,
    bodyBytes: body.length,
    truncated: truncation !== undefined,
    noindex: parsed.noindex,
    ...(contentType !== undefined && { contentType }),
    ...(etag !== undefined && { etag }),
    ...(lastModified !== undefined && { lastModified }),
    ...(parsed.title !== undefined && { title: parsed.title }),
    ...(parsed.charset !== undefined && { charset: parsed.charset }),
  };
}

function hasPayload({ status, encodedBody, truncation }: Exchange): boolean {
  return status === 200 && encodedBody.length > 0 && truncation === undefined;
}

/** Whether what the response says leads anywhere, but for a redirect. */
function isFollowed({ status }: FetchResponse, { unchanged }: Content): boolean {
  return unchanged !== undefined || (status >= 200 && status < 300);
}
