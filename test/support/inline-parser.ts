import { runInNewContext } from "node:vm";
import { PageEncoder, prepareJob } from "../../src/adapters/parser-pool/page-encoder.ts";
import { payloadDigest } from "../../src/adapters/parser-pool/payload-digest.ts";
import { CrawlError } from "../../src/core/errors.ts";
import type { ExclusionReason } from "../../src/core/jobs/exclusion.ts";
import { judgeUrls } from "../../src/core/jobs/job-rules.ts";
import type {
  JudgeRequest,
  PageParser,
  ParsedPage,
  ParseRequest,
} from "../../src/ports/page-parser.ts";

/** Of real time, which ends what would never end by itself. */
const judgeMsMax = 1_000;

/** Parses in place, in the order of the calls: the twin of the pool for virtual time. */
export class InlineParser implements PageParser {
  readonly pendingMax = 16;
  readonly #encoder: PageEncoder;
  #captures = 0;
  #running = false;

  constructor() {
    const newIds = () => ({ responseId: this.#nextId(), requestId: this.#nextId() });
    this.#encoder = new PageEncoder({ gzipLevel: 1, newIds });
  }

  start(): Promise<void> {
    this.#running = true;
    return Promise.resolve();
  }

  stop(): Promise<void> {
    this.#running = false;
    return Promise.resolve();
  }

  payloadDigest(payload: Uint8Array): string {
    return payloadDigest(payload);
  }

  async parse({ job, ...page }: ParseRequest): Promise<ParsedPage> {
    // Never at once: the caller must not come to rely on it.
    await Promise.resolve();
    if (!this.#running) throw new CrawlError("PARSER_CRASHED", "the parser is not running");
    try {
      return this.#encoder.encode({ ...page, job: prepareJob(job) });
    } catch (cause) {
      const { url } = page.exchange;
      throw new CrawlError("PARSER_CRASHED", "the page broke the parser", { url }, { cause });
    }
  }

  async judgeUrls(request: JudgeRequest): Promise<(ExclusionReason | undefined)[]> {
    await Promise.resolve();
    if (!this.#running) throw new CrawlError("PARSER_CRASHED", "the parser is not running");
    const reasons: (ExclusionReason | undefined)[] = [];
    try {
      const { rules } = prepareJob(request.job);
      const judge = (): void => void reasons.push(...judgeUrls(rules, request));
      // Nothing else interrupts a pattern in its own thread.
      runInNewContext("judge()", { judge }, { timeout: judgeMsMax });
      return reasons;
    } catch (cause) {
      const details = { job: request.job.id };
      throw new CrawlError("PARSER_CRASHED", "the URLs broke the parser", details, { cause });
    }
  }

  /** The same in every run, as virtual time wants it. */
  #nextId(): string {
    return `00000000-0000-4000-8000-${(++this.#captures).toString(16).padStart(12, "0")}`;
  }
}
