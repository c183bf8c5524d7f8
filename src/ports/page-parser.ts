import type { Exchange, RevisitTarget } from "../core/archive/capture.ts";
import type { ExclusionReason } from "../core/jobs/exclusion.ts";
import type { JobDefinition } from "../core/jobs/job-definition.ts";
import type { LinkSource } from "../core/jobs/job-rules.ts";
import type { PageContent } from "../core/page/parsed-page.ts";
import type { Redirecting, RedirectPlan } from "../core/page/redirect.ts";
import type { CanonicalUrl } from "../core/units.ts";
import type { EncodedCapture } from "./archive.ts";
import type { RawHeaders } from "./fetcher.ts";

export interface ParseRequest extends Redirecting {
  readonly exchange: Exchange;
  /** What {@link PageParser.payloadDigest} says of the exchange's body. */
  readonly payloadDigest: string;
  /** The earlier capture that holds this content already: only the heads are archived, as a revisit. */
  readonly revisitOf?: RevisitTarget;
  /** Body with its content coding removed; parsed only where it is HTML, XHTML or a sitemap. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** Header fields that describe `body`: the exchange's own, or those of the earlier fetch after a 304, with the directives of that. */
  readonly contentHeaders: RawHeaders;
  /** False: an error page or a redirect; it is digested and archived, its links do not count. */
  readonly follow: boolean;
  readonly job: JobDefinition;
  /** Canonical URLs of the sitemaps that the page's host names, to be followed as its links are. */
  readonly sitemaps: readonly string[];
}

export interface ParsedPage extends PageContent {
  /** Where the response sends whoever asks. */
  readonly redirect: RedirectPlan;
  /** Ready for {@link Archive.append}. */
  readonly capture: EncodedCapture;
}

/** URLs that a job is asked to take without a page that has them: seeds, or the sitemaps of a host. */
export interface JudgeRequest {
  readonly job: JobDefinition;
  readonly urls: readonly CanonicalUrl[];
  /** The page whose host names them as its sitemaps; absent where they are seeds. */
  readonly from?: LinkSource;
}

/**
 * Everything about a fetched page that costs CPU: charset, links, job rules, canonical forms, fingerprints, archive
 * record. The real one runs in threads; a virtual one calls the same core functions in place.
 *
 * At most `pendingMax` pages, or lists of sitemaps, are under way, and a batch of seeds beside them; the caller keeps to it.
 * A parser that breaks on a page, or takes too long for it, rejects with `PARSER_CRASHED` for that page alone, with its `url`
 * in the details, and for other URLs likewise, with their `job`. Without either it is nobody's fault: the parser cannot go on.
 */
export interface PageParser {
  readonly pendingMax: number;
  /** Pages may be given as soon as this has been called, and wait until it resolves. Errors: `PARSER_CRASHED`. */
  start(): Promise<void>;
  /** Ends the threads; idempotent. Requests under way are rejected with `PARSER_CRASHED`. */
  stop(): Promise<void>;
  /** SHA-1 of a payload as `sha1:` and base32: cheap, and known before the page is parsed. */
  payloadDigest(payload: Uint8Array): string;
  parse(request: ParseRequest): Promise<ParsedPage>;
  /** Why each of the URLs is not to be crawled, in their order; undefined: it is. */
  judgeUrls(request: JudgeRequest): Promise<readonly (ExclusionReason | undefined)[]>;
}
