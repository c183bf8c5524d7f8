import { CrawlError, invariant } from "../../core/errors.ts";
import type { PageParser, ParsedPage, ParseRequest } from "../../ports/page-parser.ts";
import { payloadDigest } from "./payload-digest.ts";
import type { ParserPoolOptions } from "./parser-pool-options.ts";
import { ParserThread } from "./parser-thread.ts";

/** Parses pages in threads. A page goes to the thread that has the fewest. */
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
    if (!this.#running) throw new CrawlError("PARSER_CRASHED", "the parser is not running");
    invariant(this.#pending < this.pendingMax, "ParserPool: more than pendingMax pages");
    this.#pending++;
    try {
      return await new Promise((resolve, reject) => {
        this.#leastLoaded().add({ request, resolve, reject });
      });
    } finally {
      this.#pending--;
    }
  }

  #leastLoaded(): ParserThread {
    const [first, ...others] = this.#threads;
    invariant(first !== undefined, "ParserPool: no threads");
    return others.reduce((least, thread) => (thread.load < least.load ? thread : least), first);
  }
}
