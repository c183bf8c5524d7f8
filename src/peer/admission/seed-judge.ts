import { CrawlError } from "../../core/errors.ts";
import { FairSlots } from "../../core/fair-slots.ts";
import type { ExclusionReason } from "../../core/jobs/exclusion.ts";
import type { JobDefinition } from "../../core/jobs/job-definition.ts";
import { compileJobRules, type JobRules } from "../../core/jobs/job-rules.ts";
import { isPrivateHost } from "../../core/net/address-policy.ts";
import type { PackedLinks } from "../../core/page/parsed-page.ts";
import type { CanonicalUrl, JobId } from "../../core/units.ts";
import { canonicalizeUrl } from "../../core/url/canonicalize-url.ts";
import { hostOf } from "../../core/url/site-of.ts";
import type { JudgeRequest, PageParser } from "../../ports/page-parser.ts";
import { rejectedNamedMax, type InjectReport } from "../../ports/peer-control.ts";
import { peerStopped } from "../durability/journal.ts";
import { endlessPattern } from "../jobs/job-refusals.ts";
import type { Job } from "../jobs/job-registry.ts";
import type { PeerOptions } from "../peer-options.ts";
import type { AdmissionRequest } from "./admission.ts";

/** URLs that are judged at once, at most. Patterns that take milliseconds for each are done with them in the time of a page. */
const judgedAtOnceMax = 1_000;

type Rejections = Pick<InjectReport, "rejected" | "rejectedCount">;

/**
 * Tells the seeds that a job takes from those that it, or the peer's policy on addresses, does not.
 *
 * A pattern may backtrack for ever, and whoever made the job may be a stranger. So the parser tries them, which can be cut
 * short: of all jobs in turn, some URLs at a time, so that its pages wait for no more than these. Seeds that no pattern
 * keeps out are judged in place.
 */
export class SeedJudge {
  readonly #parser: Pick<PageParser, "judgeUrls">;
  readonly #allowPrivate: boolean;
  readonly #signal: AbortSignal;
  readonly #turns = new FairSlots(1);

  /** @param signal aborts when the peer stops */
  constructor(
    parser: Pick<PageParser, "judgeUrls">,
    { allowPrivate }: Pick<PeerOptions, "allowPrivate">,
    signal: AbortSignal,
  ) {
    this.#parser = parser;
    this.#allowPrivate = allowPrivate;
    this.#signal = signal;
  }

  /** Errors: `CONFIG_INVALID` where a pattern takes too long, `PEER_STOPPED`, and `PARSER_CRASHED` of a parser that cannot go on. */
  async judge(
    job: JobDefinition,
    inputs: readonly string[],
  ): Promise<{ readonly seeds: readonly CanonicalUrl[]; readonly rejections: Rejections }> {
    const urls = inputs.map((input) => canonicalizeUrl(input));
    const rules = await this.#rulesOf(job, urls);
    const seeds: CanonicalUrl[] = [];
    const rejected: InjectReport["rejected"][number][] = [];
    for (const [at, input] of inputs.entries()) {
      const url = urls[at];
      if (url === undefined) rejected.push({ input, reason: "invalid-url" });
      else {
        const reason = this.#isForbidden(url) ? "address-forbidden" : rules.judgeSeed(url);
        if (reason === undefined) seeds.push(url);
        else rejected.push({ input, reason });
      }
    }
    const rejectedCount = rejected.length;
    return { seeds, rejections: { rejected: rejected.slice(0, rejectedNamedMax), rejectedCount } };
  }

  #isForbidden(url: CanonicalUrl): boolean {
    return !this.#allowPrivate && isPrivateHost(hostOf(url));
  }

  /** The job's rules, as far as these URLs are concerned. */
  async #rulesOf(
    job: JobDefinition,
    urls: readonly (CanonicalUrl | undefined)[],
  ): Promise<Pick<JobRules, "judgeSeed">> {
    if (job.options.exclude.length === 0) return compileJobRules(job);
    const allowed = urls
      .filter((url) => url !== undefined)
      .filter((url) => !this.#isForbidden(url));
    const reasons = new Map<CanonicalUrl, ExclusionReason | undefined>();
    for (let from = 0; from < allowed.length; from += judgedAtOnceMax) {
      const some = allowed.slice(from, from + judgedAtOnceMax);
      const ofSome = await this.#tryPatterns({ job, urls: some });
      some.forEach((url, at) => reasons.set(url, ofSome[at]));
    }
    return { judgeSeed: (url) => reasons.get(url) };
  }

  async #tryPatterns(request: JudgeRequest): ReturnType<PageParser["judgeUrls"]> {
    const { id } = request.job;
    try {
      return await this.#turns.run(id, () => this.#parser.judgeUrls(request));
    } catch (error) {
      if (!(error instanceof CrawlError) || error.code !== "PARSER_CRASHED") throw error;
      if (this.#signal.aborted) throw peerStopped();
      throw error.details["job"] === undefined ? error : endlessPattern(id, error);
    }
  }
}

/**
 * The report on URLs of which a job that is not there takes none. Such a job is not made: it would stay for good, and with it
 * the options of what may have been a slip, for those that are given rightly the next time.
 */
export function refusalOfAll(job: JobId, rejections: Rejections): InjectReport | undefined {
  return rejections.rejectedCount > 0 ? { job, added: 0, known: 0, ...rejections } : undefined;
}

/** Seeds as a request to admit them. */
export function seedsOf(job: Job, links: PackedLinks): AdmissionRequest {
  return { job, links, excluded: [], depth: 0, redirectChain: [] };
}
