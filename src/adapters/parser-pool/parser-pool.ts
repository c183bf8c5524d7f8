import { CrawlError, invariant } from "../../core/errors.ts";
import type { ExclusionReason } from "../../core/jobs/exclusion.ts";
import type {
  JudgeRequest,
  PageParser,
  ParsedPage,
  ParseRequest,
} from "../../ports/page-parser.ts";
import { payloadDigest } from "./payload-digest.ts";
import type { ParserPoolOptions } from "./parser-pool-options.ts";
import { ParserThread, type WaitingTask } from "./parser-thread.ts";
import type { ThreadAnswer } from "./thread-messages.ts";

/** Parses pages, and judges URLs, in threads. A task goes to the thread that has the fewest. */
export class ParserPool implements PageParser {
  readonly pendingMax: number;
  readonly #threads: readonly ParserThread[];
  #running = false;
  #pending = 0;

  constructor(options: ParserPoolOptions) {
    this.pendingMax = options.pendingMax;
    this.#threads = Array.from({ length: options.threads }, () => new ParserThread(options));
  }

  async start(): Promise<void> {
    this.#running = true;
    try {
      await Promise.all(this.#threads.map((thread) => thread.start()));
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#threads.map((thread) => thread.stop()));
  }

  payloadDigest(payload: Uint8Array): string {
    return payloadDigest(payload);
  }

  async parse(request: ParseRequest): Promise<ParsedPage> {
    invariant(this.#pending < this.pendingMax, "ParserPool: more than pendingMax pages");
    this.#pending++;
    try {
      const answer = await this.#ask(request);
      invariant(answer.kind === "parsed", "ParserPool: a page has another task's answer");
      return answer.page;
    } finally {
      this.#pending--;
    }
  }

  async judgeUrls(request: JudgeRequest): Promise<readonly (ExclusionReason | undefined)[]> {
    const answer = await this.#ask(request);
    invariant(answer.kind === "judged", "ParserPool: URLs have another task's answer");
    return answer.reasons;
  }

  async #ask(request: WaitingTask["request"]): Promise<ThreadAnswer> {
    if (!this.#running) throw new CrawlError("PARSER_CRASHED", "the parser is not running");
    return new Promise((resolve, reject) => {
      this.#leastLoaded().add({ request, resolve, reject });
    });
  }

  #leastLoaded(): ParserThread {
    const [first, ...others] = this.#threads;
    invariant(first !== undefined, "ParserPool: no threads");
    return others.reduce((least, thread) => (thread.load < least.load ? thread : least), first);
  }
}
